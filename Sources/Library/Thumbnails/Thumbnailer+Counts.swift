// Counts files by the state of their thumbnails, and has thumbnails made again.

internal import Albums
internal import Catalog
package import Index
internal import System
package import SystemPackage
internal import Vault

extension Thumbnailer {
  /// The number of files in each state.
  package func mediaCounts() throws(Errno) -> MediaCounts {
    try fileSystem.reading { files throws(Errno) in try files.result(of: files.index.media.mediaCounts()) }
  }

  /// The number of files that the catalog does not show as they are: never examined, or changed since. Photos that
  /// still lack a row count too; a read-only mount never makes their rows.
  func unexaminedCount() throws(Errno) -> Int64 {
    try fileSystem.reading { files throws(Errno) in
      let isFilled = files.catalog.filled == .done
      return try files.withIndex { index throws(IndexError) in
        let counts = try index.media.mediaCounts()
        var count = counts.pending + (try index.catalog.staleCount(for: [.merge, .look, .read]))
        if !isFilled, try index.metaInteger(CatalogUpdates.filledKey) != Int64(MediaItem.factsVersion) {
          count += max(0, counts.known + counts.failed - (index.hasCatalog ? try index.catalog.itemCount() : 0))
        }
        return count
      }
    }
  }

  /// The number of those that the background work will examine; 0 while it does not run.
  func examiningCount() throws(Errno) -> Int64 {
    guard looksAtNewFiles else { return 0 }
    return examiningCount(of: try unexaminedCount())
  }

  /// As above, from the number of unexamined files.
  func examiningCount(of unexamined: Int64) -> Int64 {
    guard looksAtNewFiles, thumbnailPause == nil else { return 0 }
    let passedOver: Int? = fileSystem.locked {
      $0.catalog.isGivenUp || !$0.catalogUpdates.mayMerge ? nil : $0.catalog.passedOver.count
    }
    guard let passedOver else { return 0 }
    return max(0, unexamined - Int64(passedOver))
  }

  /// Why no thumbnails can be made now; nil if they can.
  var thumbnailPause: String? { fileSystem.locked { $0.thumbnails.unavailable } }

  /// Whether new photos and videos are examined without a demand.
  var looksAtNewFiles: Bool { fileSystem.space.gate.isOpen && fileSystem.library.options.thumbnails?.isLazy == false }

  /// The files that should have a thumbnail and do not: path from the root, as bytes, and reason.
  func failedThumbnails() throws(Errno) -> [(path: [UInt8], reason: String)] {
    try fileSystem.reading { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in
        let failed = try index.media.failedMedia()
        let reasons = [InodeNumber: String](failed.map { ($0.inode, $0.reason) }) { first, _ in first }
        if reasons.isEmpty { return [] }
        return try index.names(of: Set(reasons.keys)).map { (entry) throws(IndexError) in
          let path = try index.path(of: entry.parent) + [entry.name]
          return (Array(path.map(\.bytes).joined(separator: [0x2F])), reasons[entry.inode] ?? "")
        }
      }
    }
  }

  /// Has the thumbnail of a content made again, for all files with that content.
  func remakeThumbnail(of inode: InodeNumber) throws(Errno) {
    try fileSystem.changing { files throws(Errno) in
      var next = try files.result(of: files.index.media.row(inode))
      while let old = next {
        try files.mediaUpdates.lookAgain(at: old.inode)
        next = if let hash = old.hash { try files.result(of: files.index.media.row(withHash: hash)) } else { nil }
      }
    }
  }

  /// Has all thumbnails made again.
  package func remakeThumbnails() throws(Errno) {
    var last: InodeNumber?
    while true {
      let batch = try fileSystem.changing { files throws(Errno) in
        let batch = try files.result(of: files.index.media.derivatives(after: last, limit: 64))
        for entry in batch { try files.mediaUpdates.lookAgain(at: entry.inode) }
        return batch
      }
      guard let end = batch.last else { break }
      last = end.inode
    }
    try fileSystem.changing { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in
        try index.media.changeMediaStates(from: .failed, to: .pending)
        try index.media.changeMediaStates(from: .other, to: .pending)
        try index.media.noteAllContents()
      }
      files.thumbnails.noteSuccess()
      files.signals[.sinkWork].signal()
    }
  }
}
