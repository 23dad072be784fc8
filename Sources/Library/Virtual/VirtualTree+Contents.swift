internal import Albums
package import Index
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage
package import Vault

/// The contents of virtual files.
extension VirtualTree {
  /// The JPEG of a file. If its stored bytes are damaged, it is made again.
  func jpeg(_ size: DerivativeSize, of inode: InodeNumber) throws(Errno) -> [UInt8] {
    let derivative = try fileSystem.thumbnailer.derivative(size, of: inode)
    do throws(Errno) {
      return try fileSystem.wholeContent(of: derivative, limit: Self.mostThumbnailBytes)
    } catch {
      try fileSystem.thumbnailer.remakeThumbnail(of: inode)
      let remade = try fileSystem.thumbnailer.derivative(size, of: inode)
      return try fileSystem.wholeContent(of: remade, limit: Self.mostThumbnailBytes)
    }
  }

  /// Larger than any stored thumbnail.
  private static let mostThumbnailBytes = 64 << 20

  /// The PNG of a file in the form of the thumbnail standard; without a thumbnail, one that programs treat as broken.
  func picture(_ size: SharedSize, of inode: InodeNumber) throws(Errno) -> [UInt8] {
    guard let name = pictures.name(of: inode) else { throw Errno(rawValue: 116) }  // ESTALE: look the name up again.
    let modified = try fileSystem.attributes(of: inode).modified
    let uri = "./" + String(decoding: NameDigests.escape(name.bytes), as: UTF8.self)
    let text = [("Thumb::URI", uri), ("Thumb::MTime", modified.thumbnailTime)]
    guard hasThumbnails, let source = try? fileSystem.thumbnailer.derivative(size.source, of: inode) else {
      return Placeholder.png(text)
    }
    let key = PictureCache.Key(inode: inode, size: size, source: source, modified: modified, name: name)
    if let known = pictures[key] { return known }
    guard let jpeg = try? jpeg(size.source, of: inode),
      let png = try? fileSystem.thumbnailer.png(from: jpeg, longerSide: size.pixels, text: text)
    else { return Placeholder.png(text) }
    pictures.insert(png, for: key)
    return png
  }

  /// The place where the thumbnail of a file was last looked up.
  package func place(ofPictureOf inode: InodeNumber) -> PicturePlace? { pictures.place(of: inode) }

  /// Counts, the queue and figures of the store, as JSON.
  func status() throws(Errno) -> String {
    let counts = try fileSystem.thumbnailer.mediaCounts()
    let examining = try fileSystem.thumbnailer.examiningCount()
    let capacity = fileSystem.space.capacity()
    let options = fileSystem.library.options.thumbnails
    let paused = fileSystem.thumbnailer.thumbnailPause
    let reason = fileSystem.space.gate.reason
    return """
      {
        "thumbnails": {
          "mode": "\(options.map { $0.isLazy ? "lazy" : "eager" } ?? "none")",
          "pending": \(counts.pending),
          "known": \(counts.known),
          "failed": \(counts.failed),
          "other": \(counts.other),
          "hidden": \(counts.hidden),
          "examining": \(examining),
          "paused": \(Self.json(paused)),
          "decoder": \(Self.json(options?.maker.confinement))
        },
        "store": {
          "segmentSize": \(fileSystem.space.segmentBytes),
          "segments": \(fileSystem.space.segments().count),
          "retiredSegments": \(fileSystem.space.retiredSegments),
          "totalBytes": \(capacity.totalBytes),
          "availableBytes": \(capacity.availableBytes)
        },
        "readOnly": \(Self.json(reason)),
        "warnings": [\(fileSystem.library.options.notices.map(Self.json).joined(separator: ", "))]
      }

      """
  }

  private static func json(_ text: String?) -> String {
    guard let text else { return "null" }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case _ where scalar.value < 0x20: escaped += " "
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return "\"\(escaped)\""
  }

  /// A line for each file that lacks a thumbnail: the reason, a tab, and the path from the root of the mount, as
  /// bytes.
  func failures() throws(Errno) -> [UInt8] {
    var text: [UInt8] = []
    for (path, reason) in try fileSystem.thumbnailer.failedThumbnails() {
      text += Array(reason.utf8) + [0x09] + path + [0x0A]
    }
    return text
  }
}

/// The place where a thumbnail was looked up: in a folder of `.sh_thumbnails` in an album.
package struct PicturePlace: Sendable {
  /// The stored directory with the photo.
  package var album: InodeNumber
  /// The PNG's name.
  package var name: FileName
}

/// A cache of PNGs, and of the names for which they were looked up.
final class PictureCache: Sendable {
  /// Bytes that are kept at most.
  private static let limit = 16 << 20
  /// Names that are kept at most.
  private static let nameLimit = 4096

  struct Key: Hashable {
    var inode: InodeNumber
    var size: SharedSize
    var source: InodeNumber
    var modified: Timestamp
    var name: FileName
  }

  private struct State {
    var pictures: [Key: [UInt8]] = [:]
    var order = Queue<Key>()
    var bytes = 0
    var names: [InodeNumber: (name: FileName, place: PicturePlace?)] = [:]
    var nameOrder = Queue<InodeNumber>()
  }

  private let state = Mutex<State>(State())

  subscript(key: Key) -> [UInt8]? { state.withLock { $0.pictures[key] } }

  /// The size of a cached PNG of the file.
  func size(_ inode: InodeNumber, _ size: SharedSize) -> Int? {
    state.withLock { state in state.pictures.first { $0.key.inode == inode && $0.key.size == size }?.value.count }
  }

  func insert(_ picture: [UInt8], for key: Key) {
    state.withLock { state in
      guard state.pictures.updateValue(picture, forKey: key) == nil else { return }
      state.order.append(key)
      state.bytes += picture.count
      while state.bytes > Self.limit, let oldest = state.order.popFirst() {
        state.bytes -= state.pictures.removeValue(forKey: oldest)?.count ?? 0
      }
    }
  }

  /// Remembers the name of a file whose thumbnail was looked up, and the place; nil for a place outside stored
  /// directories.
  func remember(_ name: FileName, of inode: InodeNumber, as place: PicturePlace?) {
    state.withLock { state in
      if state.names.updateValue((name, place), forKey: inode) == nil { state.nameOrder.append(inode) }
      while state.names.count > Self.nameLimit, let oldest = state.nameOrder.popFirst() { state.names[oldest] = nil }
    }
  }

  func name(of inode: InodeNumber) -> FileName? { state.withLock { $0.names[inode]?.name } }

  func place(of inode: InodeNumber) -> PicturePlace? { state.withLock { $0.names[inode]?.place } }
}

extension Timestamp {
  /// The time as thumbnails state it: seconds, with microseconds if there are nanoseconds (tumbler compares in this
  /// form).
  var thumbnailTime: String {
    // GLib takes seconds before 1970 as a large unsigned number, so large that a double cannot hold its last digits.
    if seconds < 0 { return "\(UInt64(bitPattern: seconds))" }
    if nanoseconds == 0 { return "\(seconds)" }
    let fraction = String(nanoseconds / 1000)
    return "\(seconds)." + String(repeating: "0", count: 6 - fraction.count) + fraction
  }
}
