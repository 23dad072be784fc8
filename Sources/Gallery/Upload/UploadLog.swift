// The log of an upload: a line that describes the file, and one for each received piece with its length and SHA-256. It
// lies next to the bytes, as `.partial-web-ID.log`, and survives the server and the mount. When the file has its name
// the log stays, for a browser that did not get the last answer.
//
// Invariants
// 1. A line is written after the bytes of its piece were, and is valid only with its end. So everything in the log was
//    received completely, and further bytes are cut off.
// 2. Before the file gets a name, the log states the name and the inode, so that after a server was killed at that
//    moment, the file is recognized and not mistaken for another. It does so also before received bytes are removed
//    because the space has the content already.

internal import HostFiles
internal import System
internal import SystemPackage

struct UploadLog: Sendable {
  struct Piece: Hashable, Sendable {
    var length: Int64
    var hash: [UInt8]
  }

  /// The file that gets the name, or that had the content already.
  struct Placed: Hashable, Sendable {
    /// The name in the album; for a file that had the content already, its path in the space.
    var name: [UInt8]
    var inode: UInt64
    var modified: FileTime
    /// Whether the space had the content already.
    var isThere = false
  }

  let description: UploadDescription
  private(set) var pieces: [Piece] = []
  /// The last name that the log states.
  private(set) var placed: Placed?
  /// The bytes of all valid lines.
  private(set) var length: Int64 = 0
  /// The end of each piece's line, in bytes.
  private var ends: [Int64] = []

  /// The most bytes of a log that are read: enough for a file of more than 100 TiB in pieces of 8 MiB.
  private static let mostBytes = 2 << 30

  /// The log of an upload without received bytes.
  init(_ description: UploadDescription) { self.description = description }

  /// Reads a log; nil if it is invalid.
  init?(_ file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let size = try calls.status(of: file).size
    guard size <= Self.mostBytes else { return nil }
    let bytes = try calls.bytes(of: file, at: 0, count: Int(size))
    guard let end = bytes.firstIndex(of: 0x0A), let description = UploadDescription(line: bytes[..<end]) else {
      return nil
    }
    self.description = description
    length = Int64(end + 1)
    var rest = bytes[(end + 1)...]
    while let end = rest.firstIndex(of: 0x0A) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
      guard words.count > 1, let value = Hexadecimal.bytes(of: words[1].utf8) else { break }
      if words.count == 5, ["name", "there"].contains(words[0]), let inode = UInt64(words[2]),
        let seconds = Int64(words[3]), let nanoseconds = Int64(words[4])
      {
        let time = FileTime(seconds: seconds, nanoseconds: nanoseconds)
        placed = Placed(name: value, inode: inode, modified: time, isThere: words[0] == "there")
      } else if words.count == 2, let count = Int64(words[0]), count > 0, value.count == 32 {
        pieces.append(Piece(length: count, hash: value))
        ends.append(Int64(end + 1))
      } else {
        break
      }
      rest = rest[(end + 1)...]
      length = Int64(rest.startIndex)
    }
  }

  /// The received bytes of the file.
  var received: Int64 { pieces.reduce(0) { $0 + $1.length } }

  /// The first line, with its end.
  static func start(_ description: UploadDescription) -> [UInt8] { description.line + [0x0A] }

  /// Appends a piece whose bytes are written.
  mutating func add(_ piece: Piece, to file: Descriptor, _ calls: FileCalls) throws(Errno) {
    try write("\(piece.length) \(Hexadecimal.text(of: piece.hash))\n", to: file, calls)
    pieces.append(piece)
    ends.append(length)
  }

  /// Appends the name that the file is about to get, or the file that had the content already.
  mutating func willPlace(_ placed: Placed, in file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let (word, name, time) = (placed.isThere ? "there" : "name", Hexadecimal.text(of: placed.name), placed.modified)
    try write("\(word) \(name) \(placed.inode) \(time.seconds) \(time.nanoseconds)\n", to: file, calls)
    self.placed = placed
  }

  /// Whether the status is still that of the named file, or of the file that had the content already.
  func isPlaced(_ status: FileStatus) -> Bool {
    status.kind == .file && status.inode == placed?.inode && status.modified == placed?.modified
      && status.size == description.length
  }

  /// Drops all pieces, so that the upload starts again.
  mutating func restart(in file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let start = Int64(Self.start(description).count)
    try calls.truncate(file, to: start)
    (pieces, ends, placed, length) = ([], [], nil, start)
  }

  private mutating func write(_ line: String, to file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let bytes = Array(line.utf8)
    // Overwrites an incomplete last line.
    try calls.truncate(file, to: length)
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try unsafe calls.write(bytes, to: file, at: length)
    }
    length += Int64(bytes.count)
  }

  /// The log without the pieces that lie beyond the size of the file.
  func within(_ size: Int64) -> UploadLog {
    var log = self
    while !log.pieces.isEmpty, log.received > size {
      log.placed = nil
      log.pieces.removeLast()
      log.ends.removeLast()
      log.length = log.ends.last ?? Int64(Self.start(description).count)
    }
    return log
  }
}
