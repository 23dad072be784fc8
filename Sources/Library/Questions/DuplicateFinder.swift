// Finds files with the same content, files with the same pixels, and pictures that look alike. These are three
// different questions, and a stack is another matter.
//
// Invariants
// 1. For each file only its number and the compared value are in memory.

package import Albums
package import Catalog
internal import Crypto
internal import Index
internal import Media
internal import System
package import SystemPackage
package import Vault

/// The kinds of duplicates.
package enum DuplicateKind: String, Sendable, CaseIterable {
  /// The same bytes, by a keyed hash of 256 bits.
  case exact
  /// The same pixels; metadata may differ.
  case pixels
  /// Pictures that look alike.
  case similar
}

/// Finds duplicate files of a file system.
package struct DuplicateFinder: Sendable {
  let fileSystem: FileSystem
  /// Rows that one call of the index reads.
  private static let batch = 4096

  /// Groups of duplicates, each in ascending order. This ignores access rights and the user's decisions;
  /// `seen(among:for:)` applies them.
  package func groups(_ kind: DuplicateKind) throws(Errno) -> [[InodeNumber]] {
    try fileSystem.cataloguer.settle()
    switch kind {
    case .exact: return try fileSystem.questions.asking { files throws(Errno) in try exactGroups(files) }
    case .pixels:
      var waiting = try filesWithUnknownPixels()
      while !waiting.isEmpty { try findSomePixels(&waiting) }
      return try pixelGroups()
    case .similar:
      giveMemoryBack()
      defer { giveMemoryBack() }
      return try fileSystem.questions.asking { files throws(Errno) in try similarGroups(files) }
    }
  }

  /// Groups of pictures that look alike and belong to at least two stacks.
  private func similarGroups(_ files: CatalogFiles) throws(Errno) -> [[InodeNumber]] {
    var candidates = SimilarCandidates()
    try forEachLook(files) { row in
      guard let look = row.look else { return }
      candidates.append(row.inode.rawValue, hash: UInt64(bitPattern: look))
    }
    files.index.releaseMemory()
    let groups = SimilarPictures.groups(of: candidates)
    fileSystem.pool.trim()
    var found: [[InodeNumber]] = []
    for group in groups {
      let inodes = group.map(InodeNumber.init(rawValue:))
      if try hasSeveralStacks(inodes, files) { found.append(inodes) }
    }
    return found
  }

  /// The files of a group that a user sees and did not mark as distinct, the best first: most facts from the camera,
  /// then most pixels, then the earliest. Empty unless they belong to at least two stacks; a photo in no stack counts
  /// as one.
  package func seen(among inodes: [InodeNumber], for opener: Opener) throws(Errno) -> [MediaItem] {
    try fileSystem.questions.asking { files throws(Errno) in try seen(among: inodes, for: opener, files) }
  }

  /// As above, from the given files.
  func seen(
    among inodes: [InodeNumber], for opener: Opener, _ files: CatalogFiles
  ) throws(Errno) -> [MediaItem] {
    var view = CatalogView(.all, showsTrash: false, for: opener)
    var items: [MediaItem] = []
    for inode in inodes {
      if try files.isDistinct(inode) { continue }
      if let item = try view.item(inode, files) { items.append(item) }
    }
    let stacks = Set(items.map { $0.links.stack?.stack ?? $0.inode })
    guard items.count > 1, stacks.count > 1 else { return [] }
    return items.sorted { one, other in
      if one.ownFacts != other.ownFacts { return one.ownFacts > other.ownFacts }
      let pixels = (one.width * one.height, other.width * other.height)
      if pixels.0 != pixels.1 { return pixels.0 > pixels.1 }
      let times = (one.taken?.wall.seconds ?? one.modified, other.taken?.wall.seconds ?? other.modified)
      if times.0 != times.1 { return times.0 < times.1 }
      if one.modified != other.modified { return one.modified < other.modified }
      if one.size != other.size { return one.size > other.size }
      return one.inode < other.inode
    }
  }

  /// Sets whether long searches are abandoned, so that the end of a mount need not wait for them.
  package func abandonsSearches(_ abandons: Bool) { fileSystem.locked { $0.catalog.abandonsSearches = abandons } }

  /// Frees the index's memory, because a search among all photos needs as much again.
  private func giveMemoryBack() {
    fileSystem.locked { $0.index.releaseMemory() }
    fileSystem.library.readers.closeIdle()
    fileSystem.pool.trim()
  }

  /// Whether files belong to several stacks; a stack counts as one picture.
  private func hasSeveralStacks(_ group: [InodeNumber], _ files: CatalogFiles) throws(Errno) -> Bool {
    var stacks: Set<[UInt64]> = []
    for inode in group {
      let stack = try files.result(of: files.index.catalog.item(inode))?.stack
      stacks.insert(stack.map { [1, $0.rawValue] } ?? [0, inode.rawValue])
    }
    return stacks.count > 1
  }

  private func exactGroups(_ files: CatalogFiles) throws(Errno) -> [[InodeNumber]] {
    var groups: [[InodeNumber]] = []
    var hash: [UInt8] = []
    var group: [InodeNumber] = []
    var last: InodeNumber?
    while true {
      let rows = try files.result(of: files.index.catalog.hashes(after: hash, last, limit: Self.batch))
      for row in rows {
        if row.hash != hash {
          if group.count > 1 { groups.append(group) }
          group = []
          hash = row.hash
        }
        group.append(row.inode)
        last = row.inode
      }
      if rows.count < Self.batch { break }
    }
    if group.count > 1 { groups.append(group) }
    return groups.sorted { $0[0] < $1[0] }
  }

  /// Groups of files with the same pixels, among those with a known pixel hash.
  fileprivate func pixelGroups() throws(Errno) -> [[InodeNumber]] {
    try fileSystem.questions.asking { files throws(Errno) -> [[InodeNumber]] in
      var known: [(inode: UInt64, hash: [UInt8], stack: UInt64?)] = []
      try forEachLook(files) { row in
        if let pixels = row.pixels { known.append((row.inode.rawValue, pixels, row.stack?.rawValue)) }
      }
      return EqualFiles.groups(of: known).map { $0.map(InodeNumber.init(rawValue:)) }
    }
  }

  /// Files that must be decoded before all groups of equal pixels are known: files of equal dimensions that have the
  /// same perceptual hash, each once.
  fileprivate func filesWithUnknownPixels() throws(Errno) -> [InodeNumber] {
    guard fileSystem.library.options.thumbnails != nil, !fileSystem.isReadOnly else { return [] }
    try fileSystem.cataloguer.settle()
    return try fileSystem.questions.asking { files throws(Errno) -> [InodeNumber] in
      var looks: [(look: Int64, inode: InodeNumber)] = []
      try forEachLook(files) { row in
        if let look = row.look { looks.append((look, row.inode)) }
      }
      looks.sort { ($0.look, $0.inode.rawValue) < ($1.look, $1.inode.rawValue) }
      var unknown: [InodeNumber] = []
      var rest = looks[...]
      while let first = rest.first {
        let group = rest.prefix { $0.look == first.look }
        rest = rest[group.endIndex...]
        if group.count > 1 { unknown += try needingPixels(group.map(\.inode), files) }
      }
      return unknown
    }
  }

  private static let decodedAtOnce = 4

  /// Decodes a few files, and removes them from the waiting ones.
  fileprivate func findSomePixels(_ waiting: inout [InodeNumber]) throws(Errno) {
    guard let maker = fileSystem.library.options.thumbnails?.maker else { return waiting.removeAll() }
    for _ in 0..<Self.decodedAtOnce {
      guard let inode = waiting.popLast() else { return }
      if fileSystem.locked({ $0.catalog.abandonsSearches || $0.isStopping }) { throw .ioError }
      try findPixels(of: inode, maker)
    }
  }

  /// Files of a group without a pixel hash that have the dimensions of another file with different content.
  private func needingPixels(_ group: [InodeNumber], _ files: CatalogFiles) throws(Errno) -> [InodeNumber] {
    var sizes: [[Int]: [(inode: InodeNumber, hash: [UInt8], isKnown: Bool)]] = [:]
    for inode in group {
      guard let row = try files.result(of: files.index.catalog.item(inode)),
        let packed = PackedRecord(packed: row.record),
        let kind = MediaKind(rawValue: UInt8(truncatingIfNeeded: row.kind)), !kind.isVideo, packed.width > 0,
        // The video in a motion photo is not part of the pixels, and would be lost with the duplicate.
        packed.motion == nil,
        let hash = try files.result(of: files.index.media.row(inode))?.hash
      else { continue }
      sizes[[packed.width, packed.height], default: []].append((inode, hash, row.pixels != nil))
    }
    return sizes.values.filter { Set($0.map(\.hash)).count > 1 }.flatMap { $0.filter { !$0.isKnown }.map(\.inode) }
  }

  private func findPixels(of number: InodeNumber, _ maker: any DerivativeMaker) throws(Errno) {
    guard let held = try fileSystem.cataloguer.holdForLook(at: number) else { return }
    defer { fileSystem.cataloguer.letGo(held) }
    let source = FileSource(fileSystem: fileSystem, inode: number, size: held.size)
    let digest: [UInt8]
    do throws(DecoderError) {
      digest = try maker.pixelDigest(of: source)
    } catch {
      return
    }
    // The decoder may know its digest, but a digest stored without the key would reveal the pixels.
    var hasher = fileSystem.space.contentHasher()
    unsafe digest.withUnsafeBytes { unsafe hasher.update($0) }
    let hash = hasher.finish()
    try fileSystem.locked { files throws(Errno) in
      try files.waitToChange()
      if held.object.isMediaPending || held.object.contentChanged != held.changed { return }
      guard var row = try files.result(of: files.index.catalog.item(number)) else { return }
      row.pixels = hash
      try files.withSavepoint { index throws(IndexError) in
        try index.catalog.updateItem(row)
        try index.catalog.addStaleItem(number)
      }
      files.noteChange()
    }
  }

  private func forEachLook(_ files: CatalogFiles, _ body: (LookRecord) -> Void) throws(Errno) {
    var last: InodeNumber?
    while true {
      let rows = try files.result(of: files.index.catalog.looks(after: last, limit: Self.batch))
      rows.forEach(body)
      // These rows are not read again, and the caller needs the memory.
      files.index.releaseMemory()
      guard rows.count == Self.batch, let end = rows.last else { return }
      last = end.inode
    }
  }
}

/// Groups of duplicates, one after another; a user may see none of a group.
struct DuplicateSearch {
  let kind: DuplicateKind
  private var groups: [[InodeNumber]]?
  /// Files to decode first; nil before they were looked up.
  private var waiting: [InodeNumber]?
  private var place = 0
  /// Groups that were written.
  private(set) var count = 0

  init(kind: DuplicateKind) { self.kind = kind }

  var isAtEnd: Bool { groups.map { place == $0.count } ?? false }

  enum Step {
    case group([InodeNumber])
    /// Some files were decoded; the number is of those still waiting.
    case waiting(Int)
    /// There are no more groups.
    case nothing
  }

  /// Continues by one group, or by decoding a few files that must be decoded before there are groups.
  mutating func next(in fileSystem: FileSystem) throws(Errno) -> Step {
    if kind == .pixels, groups == nil {
      var left = if let waiting { waiting } else { try fileSystem.duplicates.filesWithUnknownPixels() }
      if !left.isEmpty {
        try fileSystem.duplicates.findSomePixels(&left)
        waiting = left
        return .waiting(left.count)
      }
      groups = try fileSystem.duplicates.pixelGroups()
    }
    let all = if let groups { groups } else { try fileSystem.duplicates.groups(kind) }
    groups = all
    guard place < all.count else { return .nothing }
    place += 1
    return .group(all[place - 1])
  }

  /// Counts a group that was written.
  mutating func noteTold() { count += 1 }
}

extension CatalogFiles {
  /// Whether the user marked a file as distinct from all others.
  fileprivate func isDistinct(_ inode: InodeNumber) throws(Errno) -> Bool {
    guard let record = try record(inode), record.hasExtendedAttributes else { return false }
    let value = try result(of: index.attributes.value(named: UserWord.distinct.name, of: inode))
    return value == [UInt8(ascii: "1")]
  }
}
