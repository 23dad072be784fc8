internal import Albums
package import Index
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage
package import Vault

/// What the files that are not stored hold.
extension VirtualTree {
  /// The JPEG of a file. One that is damaged in the log is rebuilt.
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

  /// More than any thumbnail that was stored has.
  private static let mostThumbnailBytes = 64 << 20

  /// The PNG of a file, as the thumbnail standard wants it; where there is no thumbnail, one that cannot be shown.
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

  /// Where the thumbnail of a file was looked up last.
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

  /// A line for each file without a thumbnail: the reason, a tab, the path from the root of the mount, as bytes.
  func failures() throws(Errno) -> [UInt8] {
    var text: [UInt8] = []
    for (path, reason) in try fileSystem.thumbnailer.failedThumbnails() {
      text += Array(reason.utf8) + [0x09] + path + [0x0A]
    }
    return text
  }
}

/// Where a thumbnail was looked up: in a folder of `.sh_thumbnails` in an album.
package struct PicturePlace: Sendable {
  /// The stored directory with the photo.
  package var album: InodeNumber
  /// The PNG's name.
  package var name: FileName
}

/// PNGs that were made, and the names that they were asked for by.
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

  /// The size of a PNG of the file that is kept.
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

  /// Keeps the name of a file whose thumbnail was looked up, and where that was; nil if not in a stored directory.
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
  /// As thumbnails state it: seconds, with microseconds where there are nanoseconds (tumbler compares just so).
  var thumbnailTime: String {
    // GLib takes seconds before 1970 for a large number, of which a double has not even the last digits.
    if seconds < 0 { return "\(UInt64(bitPattern: seconds))" }
    if nanoseconds == 0 { return "\(seconds)" }
    let fraction = String(nanoseconds / 1000)
    return "\(seconds)." + String(repeating: "0", count: 6 - fraction.count) + fraction
  }
}
