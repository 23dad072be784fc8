// `.agonyfs/thumbnails/full` and `.agonyfs/motion`: whole pictures in widely supported formats, and the videos in
// motion photos.
//
// Invariants
// 1. A user who may not read a photo may not read these either (VirtualTree, invariant 1).
// 2. A picture is made when it is opened, and is never stored. `FullPictures.limit` bounds the cache, `mostOpenBytes`
//    the open pictures.
// 3. The video of a motion photo is a part of the file and is read like the file, without a decoder.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import Synchronization
internal import SystemPackage
package import Vault

/// The content of an open virtual file.
package enum VirtualContent: Sendable {
  case bytes([UInt8])
  /// A part of a stored file.
  case part(InodeNumber, Range<Int64>)

  /// Its length in bytes.
  package var count: Int64 {
    switch self {
    case .bytes(let bytes): Int64(bytes.count)
    case .part(_, let range): range.upperBound - range.lowerBound
    }
  }
}

extension VirtualTree {
  /// Entries of a listing that are looked at while the lock is held once.
  private static let batch = 256
  private static let videoEnding = Array(".mp4".utf8)

  // MARK: Whole pictures

  /// The node of a name in `full`.
  func fullPicture(named name: FileName, in directory: InodeNumber) throws(Errno) -> VirtualNode {
    let found = try fileSystem.lookup(name, in: directory)
    if found.kind == FileKind.directory >> 12 { return .full(found.inode) }
    guard found.kind == FileKind.regular >> 12 else { throw .noSuchFileOrDirectory }
    // Waits until the file was examined.
    _ = try fileSystem.thumbnailer.derivative(.small, of: found.inode)
    guard try kind(of: found.inode)?.isPicture == true else { throw .noSuchFileOrDirectory }
    return .full(found.inode)
  }

  /// The format of a file that was examined.
  private func kind(of inode: InodeNumber) throws(Errno) -> MediaKind? {
    let row = try fileSystem.reading { files throws(Errno) in try files.result(of: files.index.media.row(inode)) }
    guard let row, row.state == .known else { return nil }
    return MediaKind(rawValue: UInt8(clamping: row.kind))
  }

  /// A picture in a widely supported format: the file itself, or a JPEG of it.
  func fullPicture(of inode: InodeNumber) throws(Errno) -> VirtualContent {
    guard let kind = try kind(of: inode), kind.isPicture else { throw .noSuchFileOrDirectory }
    let attributes = try fileSystem.attributes(of: inode)
    if kind.isWidelyRead { return .part(inode, 0..<attributes.size) }
    let key = FullPictures.Key(inode: inode, modified: attributes.modified, size: attributes.size)
    if let known = fullPictures[key] { return .bytes(known) }
    let made = try fileSystem.thumbnailer.fullPicture(of: inode, size: attributes.size)
    fullPictures.insert(made, for: key)
    return .bytes(made)
  }

  /// The size of a whole picture; 0 before it was made.
  func fullPictureSize(of inode: InodeNumber) throws(Errno) -> Int64 {
    let attributes = try fileSystem.attributes(of: inode)
    if try kind(of: inode)?.isWidelyRead ?? false { return attributes.size }
    let key = FullPictures.Key(inode: inode, modified: attributes.modified, size: attributes.size)
    return Int64(fullPictures[key]?.count ?? 0)
  }

  // MARK: Videos in photos

  /// The node of a name in `motion`: the name of the photo, or that with ".mp4" added.
  func motion(named name: FileName, in directory: InodeNumber) throws(Errno) -> VirtualNode {
    do throws(Errno) {
      let found = try fileSystem.lookup(name, in: directory)
      if found.kind == FileKind.directory >> 12 { return .motion(found.inode) }
      if try motionRange(of: found.inode) != nil { return .motion(found.inode) }
    } catch {
      if error != .noSuchFileOrDirectory { throw error }
    }
    guard name.bytes.suffix(Self.videoEnding.count).elementsEqual(Self.videoEnding),
      let photo = FileName([UInt8](name.bytes.dropLast(Self.videoEnding.count)))
    else { throw .noSuchFileOrDirectory }
    let found = try fileSystem.lookup(photo, in: directory)
    guard try motionRange(of: found.inode) != nil else { throw .noSuchFileOrDirectory }
    return .motion(found.inode)
  }

  /// The byte range of a motion photo's video.
  func motionRange(of inode: InodeNumber) throws(Errno) -> Range<Int64>? {
    try fileSystem.cataloguer.settle()
    return try fileSystem.reading { files throws(Errno) in try files.rights.motion(of: inode) }
  }

  // MARK: Listing

  /// As `list(_:after:_:)`, for a stored directory in `full` or `motion`: its directories and its photos.
  func listOriginals(_ directory: InodeNumber, motion: Bool, after cookie: UInt64, _ body: Visitor) throws(Errno) {
    if motion { try fileSystem.cataloguer.settle() }
    var last = cookie
    while true {
      let start = last
      var entries: [(name: FileName, inode: InodeNumber, kind: UInt8, cookie: UInt64)] = []
      try fileSystem.list(directory, after: start) { name, inode, kind, place in
        if kind == FileKind.directory >> 12 || kind == FileKind.regular >> 12 {
          entries.append((copy name, inode, kind, place))
        }
        last = place
        return entries.count < Self.batch
      }
      if last == start { return }
      let photos = try fileSystem.reading { files throws(Errno) in
        var photos: Set<InodeNumber> = []
        for entry in entries where entry.kind == FileKind.regular >> 12 {
          if try files.rights.isListed(entry.inode, motion: motion) { photos.insert(entry.inode) }
        }
        return photos
      }
      for entry in entries where entry.kind == FileKind.directory >> 12 || photos.contains(entry.inode) {
        let number = (motion ? VirtualNode.motion(entry.inode) : .full(entry.inode)).number
        guard body(entry.name, number, entry.kind, entry.cookie) else { return }
      }
    }
  }
}

extension AccessRights {
  fileprivate func motion(of inode: InodeNumber) throws(Errno) -> Range<Int64>? {
    guard let item = try files.result(of: files.index.catalog.item(inode)),
      let range = PackedRecord(packed: item.record)?.motion,
      let record = try presentRecord(inode), record.mode & FileKind.mask == FileKind.regular,
      let start = Int64(exactly: range.lowerBound), let end = Int64(exactly: range.upperBound), start < end,
      end <= record.size
    else { return nil }
    return start..<end
  }

  fileprivate func isListed(_ inode: InodeNumber, motion: Bool) throws(Errno) -> Bool {
    if motion { return try self.motion(of: inode) != nil }
    guard let row = try files.result(of: files.index.media.row(inode)), row.state == .known else { return false }
    return MediaKind(rawValue: UInt8(clamping: row.kind))?.isPicture == true
  }
}

extension MediaKind {
  /// Whether viewers and browsers everywhere support it.
  fileprivate var isWidelyRead: Bool {
    switch self {
    case .jpeg, .png, .gif, .webp: true
    default: false
    }
  }
}

/// A cache of whole pictures.
final class FullPictures: Sendable {
  /// Bytes that are kept at most.
  static let limit = 32 << 20

  struct Key: Hashable {
    var inode: InodeNumber
    var modified: Timestamp
    var size: Int64
  }

  private let pictures = Mutex<[(key: Key, bytes: [UInt8])]>([])

  subscript(key: Key) -> [UInt8]? { pictures.withLock { all in all.first { $0.key == key }?.bytes } }

  func insert(_ bytes: [UInt8], for key: Key) {
    pictures.withLock { all in
      all.removeAll { $0.key.inode == key.inode }
      all.append((key, bytes))
      while all.reduce(0, { $0 + $1.bytes.count }) > Self.limit { all.removeFirst() }
    }
  }
}
