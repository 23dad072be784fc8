// Invariants
// 1. Memory is bounded by the longest entry, not by the number of entries.
// 2. An answer that ends before its trailer is an error, never a short answer. An answer may break off because its
//    snapshot is not kept any more; it then says where the rest begins. The rest is requested, at most `mostParts`
//    times, and callers see one answer.

internal import Catalog
internal import Glibc

/// Why there is no answer, or only a part of it.
package struct AnswerFailure: Error, Equatable {
  /// Whether the query is wrong; the lines after the first point at the place.
  package var isQuery: Bool
  /// The failure, as a sentence.
  package var message: String

  /// A failure with its sentence.
  ///
  /// - Parameter isQuery: whether the query is wrong.
  package init(isQuery: Bool = false, _ message: String) {
    self.isQuery = isQuery
    self.message = message
  }
}

/// A source of an answer's bytes.
package protocol AnswerStream {
  /// The next bytes; empty at the end.
  func read() throws -> [UInt8]
}

/// The end of an answer.
package struct AnswerTrailer: Equatable {
  /// The number of answers in this page.
  package var count = 0
  /// The cursor of the next page; nil if this is the last.
  package var next: String?
  /// The number of files that wait to be examined.
  package var pending = 0
  /// Whether the mount is examining them.
  package var isExamining = true
}

/// Reads an answer of the query door.
package struct AnswerReader {
  /// Requests the rest of an answer, by the cursor of the last entry and the number of entries so far.
  package typealias Continuation = (_ cursor: String, _ told: Int) throws -> any AnswerStream

  /// Most parts of an answer. Each has at least one entry.
  private static let mostParts = 100

  private var stream: any AnswerStream
  private let goOn: Continuation?
  private var parts = 1
  /// Entries passed to the caller so far, and those of finished parts.
  private var told = 0
  private var toldBefore = 0
  private var bytes: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  /// Begins to read an answer. `goOn` requests the rest of an answer that breaks off, if the source supports that.
  ///
  /// - Throws: `AnswerFailure` with the error that the door reports.
  package init(_ stream: any AnswerStream, goOn: Continuation? = nil) throws {
    self.stream = stream
    self.goOn = goOn
    try begin()
  }

  /// Reads the first line.
  private mutating func begin() throws {
    let first = try entry(endedBy: UInt8(ascii: "\n")) ?? []
    let word = String(decoding: first, as: UTF8.self)
    if word == "ok" { return }
    guard word == "error" || word.hasPrefix("error ") else { throw Self.unknownAnswer }
    var message = Array(first.dropFirst("error ".utf8.count))
    while let line = try entry(endedBy: UInt8(ascii: "\n")) {
      if !message.isEmpty { message.append(UInt8(ascii: "\n")) }
      message += line
    }
    // Only an error that points at a place in the query has several lines.
    let isQuery = message.contains(UInt8(ascii: "\n"))
    throw AnswerFailure(isQuery: isQuery, String(decoding: message, as: UTF8.self) + (isQuery ? "" : "."))
  }

  /// The failure for an answer that this version cannot parse.
  package static let unknownAnswer = AnswerFailure(
    "The answer of the mount cannot be read; another version of agonyfs may serve it.")

  /// Calls `body` for each path; paths end with a zero byte. Throws `AnswerFailure` if the answer is incomplete.
  package mutating func paths(_ body: (ArraySlice<UInt8>) throws -> Void) throws -> AnswerTrailer {
    while let path = try entry(endedBy: 0) {
      if path.isEmpty {
        var rest: [UInt8] = []
        while let more = try entry(endedBy: 0) { rest += more }
        if let trailer = try end(JSONReader.value(of: rest)) { return trailer }
        continue
      }
      told += 1
      try body(path)
    }
    throw Self.unknownAnswer
  }

  /// Calls `body` for each tile of eight bytes, with inode number and path. Throws `AnswerFailure` if the answer is
  /// incomplete.
  package mutating func tiles(
    _ body: (_ tile: ArraySlice<UInt8>, _ inode: UInt64, _ path: ArraySlice<UInt8>) throws -> Void
  ) throws -> AnswerTrailer {
    let count = 16
    while true {
      guard try fill(count) else { throw Self.unknownAnswer }
      let tile = Array(bytes[place..<place + count])
      place += count
      guard let path = try entry(endedBy: 0) else { throw Self.unknownAnswer }
      if path.isEmpty {
        if let trailer = try end(JSONReader.value(of: try text())) { return trailer }
        continue
      }
      told += 1
      try body(tile[..<8], tile[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) }, path)
    }
  }

  /// Reads until `count` bytes are buffered; false if the answer ends before.
  private mutating func fill(_ count: Int) throws -> Bool {
    while bytes.count - place < count, !isAtEnd { try readOn() }
    return bytes.count - place >= count
  }

  /// Reads another block; drops the bytes that were passed on.
  private mutating func readOn() throws {
    bytes.removeFirst(place)
    place = 0
    let block = try stream.read()
    if block.isEmpty { isAtEnd = true } else { bytes += block }
  }

  /// Calls `body` for each line of JSON except the trailer. Throws `AnswerFailure` if the answer is incomplete.
  package mutating func lines(_ body: (ArraySlice<UInt8>) throws -> Void) throws -> AnswerTrailer {
    let end = Array("{\"end\":".utf8)
    while let line = try entry(endedBy: UInt8(ascii: "\n")) {
      if line.starts(with: end) {
        if let trailer = try self.end(JSONReader.value(of: Array(line))) { return trailer }
        continue
      }
      if line.isEmpty { continue }
      told += 1
      try body(line)
    }
    throw Self.unknownAnswer
  }

  /// Reads a line with a number, and the trailer if there is one. Throws `AnswerFailure`.
  package mutating func number() throws -> (Int, AnswerTrailer) {
    guard let line = try entry(endedBy: UInt8(ascii: "\n")), let count = Int(String(decoding: line, as: UTF8.self))
    else { throw Self.unknownAnswer }
    let rest = try text()
    guard !rest.isEmpty else { return (count, AnswerTrailer(count: count)) }
    return (count, try Self.trailer(JSONReader.value(of: rest)))
  }

  /// Reads the rest, as one text.
  package mutating func text() throws -> [UInt8] {
    var whole = Array(bytes[place...])
    bytes = []
    place = 0
    while !isAtEnd, case let block = try stream.read(), !block.isEmpty { whole += block }
    isAtEnd = true
    return whole
  }

  /// The trailer of the whole answer; nil if its next part follows.
  private mutating func end(_ value: JSONValue) throws -> AnswerTrailer? {
    if value["end"] == .bool(false), let cursor = value["next"]?.text, let goOn, parts < Self.mostParts {
      parts += 1
      toldBefore = told
      stream = try goOn(cursor, told)
      (bytes, place, isAtEnd) = ([], 0, false)
      try begin()
      return nil
    }
    var trailer = try Self.trailer(value)
    trailer.count += toldBefore
    return trailer
  }

  private static func trailer(_ value: JSONValue) throws -> AnswerTrailer {
    if value["end"] == .bool(false) {
      throw AnswerFailure("The answer is incomplete: \(TerminalText.safe(value["error"]?.text ?? "")).")
    }
    guard let count = value["count"]?.whole else { throw unknownAnswer }
    return AnswerTrailer(
      count: count, next: value["next"]?.text, pending: value["pending"]?.whole ?? 0,
      isExamining: value["examining"] != .bool(false))
  }

  /// As `firstIndex(of:)`, by memchr(3), which checks many bytes at a time.
  private static func firstIndex(of byte: UInt8, in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, CInt(byte), bytes.count - start)
      else { return nil }
      return unsafe base.distance(to: UnsafeRawPointer(found))
    }
  }

  /// The bytes up to an end mark, or the last ones; nil at the end.
  private mutating func entry(endedBy end: UInt8) throws -> ArraySlice<UInt8>? {
    var searched = place
    while true {
      if let mark = Self.firstIndex(of: end, in: bytes, from: searched) {
        defer { place = mark + 1 }
        return bytes[place..<mark]
      }
      if isAtEnd {
        guard place < bytes.count else { return nil }
        defer { place = bytes.count }
        return bytes[place...]
      }
      searched = bytes.count - place
      try readOn()
    }
  }
}
