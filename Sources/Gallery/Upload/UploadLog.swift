// What was received of an upload: a line that says of which file, and one for each piece with its length and SHA-256. It
// lies beside the bytes, as `.partial-web-ID.log`, and survives the server and the mount. When the file has its name the
// log stays, for who did not get the last answer.
//
// Invariants
// 1. A line is written after the bytes of its piece were, and counts only with its end. So what the log has was received
//    whole, and bytes beyond it are cut off.
// 2. Before the file gets a name the log says which one, and which file it is, so that a server that was killed right then
//    knows it, and nobody takes another file for it. So does it before the file goes because it was there already.

internal import HostFiles
internal import System
internal import SystemPackage

struct UploadLog: Sendable {
  struct Piece: Hashable, Sendable {
    var length: Int64
    var hash: [UInt8]
  }

  /// What gets a name, or was there already.
  struct Placed: Hashable, Sendable {
    /// The name in the album; the path in the space of what was there already.
    var name: [UInt8]
    var inode: UInt64
    var modified: FileTime
    /// Whether it was there already, with the content that was sent.
    var isThere = false
  }

  let description: UploadDescription
  private(set) var pieces: [Piece] = []
  /// What was to be given a name last.
  private(set) var placed: Placed?
  /// The bytes of the lines.
  private(set) var length: Int64 = 0
  /// The bytes up to the end of each piece's line.
  private var ends: [Int64] = []

  /// Most bytes that are read of a log: pieces of 8 MiB of a file of more than 100 TiB.
  private static let mostBytes = 2 << 30

  /// A log of nothing received.
  init(_ description: UploadDescription) { self.description = description }

  /// Reads a log; nil if it is none.
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

  /// Bytes of the file that were received.
  var received: Int64 { pieces.reduce(0) { $0 + $1.length } }

  /// The first line, with its end.
  static func start(_ description: UploadDescription) -> [UInt8] { description.line + [0x0A] }

  /// Notes a piece of which the bytes are written.
  mutating func add(_ piece: Piece, to file: Descriptor, _ calls: FileCalls) throws(Errno) {
    try write("\(piece.length) \(Hexadecimal.text(of: piece.hash))\n", to: file, calls)
    pieces.append(piece)
    ends.append(length)
  }

  /// Notes the name that the file gets next, or where it is already.
  mutating func willPlace(_ placed: Placed, in file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let (word, name, time) = (placed.isThere ? "there" : "name", Hexadecimal.text(of: placed.name), placed.modified)
    try write("\(word) \(name) \(placed.inode) \(time.seconds) \(time.nanoseconds)\n", to: file, calls)
    self.placed = placed
  }

  /// Whether a file is what was received, or was found in its place, as it was then.
  func isPlaced(_ status: FileStatus) -> Bool {
    status.kind == .file && status.inode == placed?.inode && status.modified == placed?.modified
      && status.size == description.length
  }

  /// Forgets all that was received.
  mutating func restart(in file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let start = Int64(Self.start(description).count)
    try calls.truncate(file, to: start)
    (pieces, ends, placed, length) = ([], [], nil, start)
  }

  private mutating func write(_ line: String, to file: Descriptor, _ calls: FileCalls) throws(Errno) {
    let bytes = Array(line.utf8)
    // What a cut line left is written over.
    try calls.truncate(file, to: length)
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try unsafe calls.write(bytes, to: file, at: length)
    }
    length += Int64(bytes.count)
  }

  /// The same without the pieces of which a file of some length has not all bytes.
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
