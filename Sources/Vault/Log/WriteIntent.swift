// Writes that become durable before the database contains them.
//
// A program that appends a line and calls fsync changes little, but a commit of the database costs far more than the
// line. So a commit may state such a write by itself. The next mount repeats the write, in the order of the log.
//
// Invariants
// 1. Intents are writes to regular files that the database contains. After any other change since the last commit of
//    the database, the database is committed instead.
// 2. Intents are pending from their commit until a commit replaces them. Every head repeats the pending ones.
// 3. Repeating them on the state of the database gives the state for which they were stated, no matter how often they
//    are repeated.

internal import System

/// Writes to one file that the next mount repeats.
package struct WriteIntent: Equatable, Sendable {
  /// Bytes at an offset in a file.
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
  /// The least size of the file afterwards, in bytes.
  package let size: Int64
  /// The time of the change: seconds since 1970, and nanoseconds.
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

  /// The encoded size of an intent with one write of `count` bytes.
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
    guard (0...Space.maximumFileSize).contains(size),
      writes.allSatisfy({
        !$0.bytes.isEmpty && $0.offset >= .zero && $0.offset.rawValue <= size - Int64($0.bytes.count)
      })
    else { throw ByteReader.Malformed() }
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

/// A commit's change of the pending intents.
package struct IntentChange: Equatable, Sendable {
  /// No change.
  package static let none = IntentChange(bytes: [], replacesOlder: false)

  /// The change for a database that contains everything except `remaining`.
  package static func replace(by remaining: [WriteIntent]) -> IntentChange {
    IntentChange(bytes: WriteIntent.encode(remaining), replacesOlder: true)
  }

  /// New intents, encoded.
  var bytes: [UInt8]
  /// Whether the older intents are no longer pending, because the database contains them.
  var replacesOlder: Bool

  func apply(to intents: inout [UInt8]) {
    if replacesOlder { intents = bytes } else { intents += bytes }
  }
}
