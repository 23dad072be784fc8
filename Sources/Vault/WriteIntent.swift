// Writes that are durable before the database says so.
//
// A program that appends a line and syncs changes little, and a commit of the database costs much more than the line. So what was written may be
// stated in a commit by itself: whoever opens the space next writes it again, in the order of the log.
//
// Invariants
// 1. Intents are writes to regular files that the database knows, and nothing else. Where anything else changed since the last commit of the
//    database, that is committed instead.
// 2. They count from their commit on until a commit says that it replaces them; every head repeats those that count.
// 3. Writing them again over what the database says gives the state that they were stated for, however often it is done.

internal import System

/// What was written to one file, and is to be written again by whoever opens the space next.
package struct WriteIntent: Equatable, Sendable {
  /// Bytes at a place of a file.
  package struct Write: Equatable, Sendable {
    package let offset: FileOffset
    package let bytes: [UInt8]

    package init(offset: FileOffset, bytes: [UInt8]) {
      self.offset = offset
      self.bytes = bytes
    }
  }

  private static let fixedSize = 32
  private static let writeSize = 12

  package let inode: InodeNumber
  /// Bytes in the file afterwards, at least.
  package let size: Int64
  /// When the content was changed: seconds since 1970, and nanoseconds.
  package let modifiedSeconds: Int64
  package let modifiedNanoseconds: UInt32
  package let writes: [Write]

  package init(
    inode: InodeNumber, size: Int64, modifiedSeconds: Int64, modifiedNanoseconds: UInt32, writes: [Write]
  ) {
    self.inode = inode
    self.size = size
    self.modifiedSeconds = modifiedSeconds
    self.modifiedNanoseconds = modifiedNanoseconds
    self.writes = writes
  }

  /// Bytes in the log that an intent of `count` bytes takes, if they are in one piece.
  package static func encodedSize(_ count: Int) -> Int { fixedSize + writeSize + count }

  private func encode(into writer: inout ByteWriter) {
    writer.append(inode.rawValue)
    writer.append(size)
    writer.append(modifiedSeconds)
    writer.append(modifiedNanoseconds)
    writer.append(UInt32(writes.count))
    for write in writes {
      writer.append(write.offset.rawValue)
      writer.append(UInt32(write.bytes.count))
      writer.append(write.bytes)
    }
  }

  private init(_ reader: inout ByteReader) throws(ByteReader.Malformed) {
    inode = InodeNumber(rawValue: try reader.read())
    size = try reader.read()
    modifiedSeconds = try reader.read()
    modifiedNanoseconds = try reader.read()
    var writes: [Write] = []
    for _ in 0..<(try reader.read(UInt32.self)) {
      let offset = FileOffset(rawValue: try reader.read())
      writes.append(Write(offset: offset, bytes: try reader.readBytes(Int(try reader.read(UInt32.self)))))
    }
    self.writes = writes
    let end = writes.map { $0.offset.rawValue + Int64($0.bytes.count) }.max() ?? 0
    guard size >= end, writes.allSatisfy({ $0.offset >= .zero && !$0.bytes.isEmpty }) else {
      throw ByteReader.Malformed()
    }
  }

  static func encode(_ intents: [WriteIntent]) -> [UInt8] {
    let size = intents.reduce(0) { $0 + $1.writes.reduce(fixedSize) { $0 + writeSize + $1.bytes.count } }
    var writer = ByteWriter(capacity: size)
    for intent in intents { intent.encode(into: &writer) }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(ByteReader.Malformed) -> [WriteIntent] {
    var reader = ByteReader(bytes)
    var intents: [WriteIntent] = []
    while reader.remaining > 0 { intents.append(try WriteIntent(&reader)) }
    return intents
  }
}

/// What a commit makes of the intents.
package struct IntentChange: Equatable, Sendable {
  /// Leaves them as they are.
  package static let none = IntentChange(bytes: [], replacesOlder: false)

  /// Has the log say that the database has everything but `remaining`.
  package static func replace(by remaining: [WriteIntent]) -> IntentChange {
    IntentChange(bytes: WriteIntent.encode(remaining), replacesOlder: true)
  }

  /// Further intents, encoded.
  var bytes: [UInt8]
  /// Whether those before count no longer, since the database has them.
  var replacesOlder: Bool

  func apply(to intents: inout [UInt8]) {
    if replacesOlder { intents = bytes } else { intents += bytes }
  }
}
