// Invariants
// 1. Memory is bounded by the longest entry, however many there are.
// 2. An answer that ends before its trailer is an error, never a short answer. One that breaks off because what it is read
//    from is not kept any more says where another one goes on: that is asked for, at most `mostParts` times, and is a part of
//    the same answer for who reads it.

internal import Catalog
internal import Glibc

/// Why there is no answer, or not all of it.
package struct AnswerFailure: Error, Equatable {
  /// Whether it is the query that is wrong; the place is in the lines below the first.
  package var isQuery: Bool
  /// What is wrong, in a sentence.
  package var message: String

  /// A failure with its sentence.
  package init(isQuery: Bool = false, _ message: String) {
    self.isQuery = isQuery
    self.message = message
  }
}

/// Something that gives the bytes of an answer.
package protocol AnswerStream {
  /// The next bytes; empty at the end.
  func read() throws -> [UInt8]
}

/// What ends an answer.
package struct AnswerTrailer: Equatable {
  /// How many answers there were in this page.
  package var count = 0
  /// Where the next page begins; nil if this is the last.
  package var next: String?
  /// Files that wait to be examined.
  package var pending = 0
  /// Whether they are examined meanwhile.
  package var isExamining = true
}

/// Reads the answer of the door.
package struct AnswerReader {
  /// Asks for the rest of an answer, by the cursor of the last entry and the number of entries that there were.
  package typealias Continuation = (_ cursor: String, _ told: Int) throws -> any AnswerStream

  /// Parts in which an answer may come. Each has an entry at least.
  private static let mostParts = 100

  private var stream: any AnswerStream
  private let goOn: Continuation?
  private var parts = 1
  /// Entries that were given out, and those of parts that are over.
  private var told = 0
  private var toldBefore = 0
  private var bytes: [UInt8] = []
  private var place = 0
  private var isAtEnd = false

  /// A reader of an answer that begins now. `goOn` asks for the rest of one that breaks off, where that can be done.
  ///
  /// - Throws: `AnswerFailure` with what the door says is wrong.
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
    // What points at a place in the query has several lines.
    let isQuery = message.contains(UInt8(ascii: "\n"))
    throw AnswerFailure(isQuery: isQuery, String(decoding: message, as: UTF8.self) + (isQuery ? "" : "."))
  }

  /// What another version of the program may say.
  package static let unknownAnswer = AnswerFailure(
    "The answer of the mount cannot be read; another version of agonyfs may serve it.")

  /// Reads paths, each ended by a zero byte.
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

  /// Reads tiles of eight bytes, each with the number of the inode and the path.
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

  /// Reads until some bytes are there; false if there are not so many.
  private mutating func fill(_ count: Int) throws -> Bool {
    while bytes.count - place < count, !isAtEnd { try readOn() }
    return bytes.count - place >= count
  }

  /// Reads more. What was given out is let go before.
  private mutating func readOn() throws {
    bytes.removeFirst(place)
    place = 0
    let block = try stream.read()
    if block.isEmpty { isAtEnd = true } else { bytes += block }
  }

  /// Reads lines of JSON up to the one that says that it is the last.
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

  /// Reads a number on a line of its own, and the trailer if there is one.
  package mutating func number() throws -> (Int, AnswerTrailer) {
    guard let line = try entry(endedBy: UInt8(ascii: "\n")), let count = Int(String(decoding: line, as: UTF8.self))
    else { throw Self.unknownAnswer }
    let rest = try text()
    guard !rest.isEmpty else { return (count, AnswerTrailer(count: count)) }
    return (count, try Self.trailer(JSONReader.value(of: rest)))
  }

  /// Reads what is left, as one text.
  package mutating func text() throws -> [UInt8] {
    var whole = Array(bytes[place...])
    bytes = []
    place = 0
    while !isAtEnd, case let block = try stream.read(), !block.isEmpty { whole += block }
    isAtEnd = true
    return whole
  }

  /// The trailer of the whole answer; nil if the rest of it comes now.
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
      throw AnswerFailure("The answer broke off: \(TerminalText.safe(value["error"]?.text ?? "")).")
    }
    guard let count = value["count"]?.whole else { throw unknownAnswer }
    return AnswerTrailer(
      count: count, next: value["next"]?.text, pending: value["pending"]?.whole ?? 0,
      isExamining: value["examining"] != .bool(false))
  }

  /// As `firstIndex(of:)`, by memchr(3), which looks at many bytes at a time.
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
