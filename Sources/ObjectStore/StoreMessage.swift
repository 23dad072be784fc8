package import System

/// The messages between agonyfs and its helper `agonyfs-store`. Each is its kind and its length, 4 bytes each, then its
/// bytes. All numbers are little-endian. Both ends come from one build, so there is no version.
///
/// agonyfs sends `configure` once and then one job after another. The helper answers `configure` with `hello` or
/// `failed`, and each job with any number of `progress` and `wanted` and then `done` or `failed`. agonyfs answers each
/// `wanted` with `content`, and sends nothing else during a job. So neither end sends while the other one does, a
/// request can begin again, and nothing is left over of one that ends early.
package enum StoreMessage: UInt32, Sendable {
  // Sent by agonyfs.
  /// A `StoreConfiguration`, before the helper gives up its rights.
  case configure = 1
  /// A `StoreJob`.
  case job = 2
  /// The bytes that `wanted` asks for.
  case content = 3
  // Sent by the helper.
  /// Its confinement: the version of Landlock's interface in 4 bytes (0 for none), and in one byte whether system calls
  /// are filtered.
  case hello = 16
  /// Empty: further bytes were sent to the store or came from it. At most one in a second.
  case progress = 17
  /// A `StoreAnswer`, after the time of the reply.
  case done = 18
  /// A `StoreError`, after the time of the reply.
  case failed = 19
  /// A range of the bytes of the object that is stored: its start and its length, 4 bytes each. The helper waits for
  /// them.
  case wanted = 20

  /// Bytes before every message.
  package static let headerBytes = 8
  /// Most bytes of any message: an object with the rest of its answer.
  package static let mostBytes = ObjectLimits.mostBytes + 16_384

  /// The bytes before a message.
  package func header(_ count: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(rawValue)
    writer.append(UInt32(count))
    return writer.bytes
  }

  /// The bytes of `done` or `failed`: the seconds since 1970 that the Date header of the reply states (8 bytes, 0 if there
  /// is none), then the encoded answer or error.
  package static func outcome(_ encoded: [UInt8], date: RequestTime?) -> [UInt8] {
    var writer = ByteWriter(capacity: encoded.count + 8)
    writer.append(date?.seconds ?? 0)
    writer.append(encoded)
    return writer.bytes
  }

  /// The parts of `done` or `failed`.
  package static func parts(ofOutcome bytes: [UInt8]) throws(ByteReader.Malformed) -> (
    date: RequestTime?, encoded: [UInt8]
  ) {
    var reader = ByteReader(bytes)
    let seconds = try reader.read(Int64.self)
    return (seconds > 0 ? RequestTime(seconds: seconds) : nil, try reader.rest())
  }

  /// The bytes of `wanted`.
  package static func bytes(ofWanted range: Range<Int>) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt32(range.lowerBound))
    writer.append(UInt32(range.count))
    return writer.bytes
  }

  /// The range in `wanted`; nil if it breaks the protocol, or is empty or not within an object of `count` bytes.
  package static func range(ofWanted bytes: [UInt8], within count: Int) -> Range<Int>? {
    var reader = ByteReader(bytes)
    guard let start = try? reader.read(UInt32.self), let length = try? reader.read(UInt32.self),
      (try? reader.finish()) != nil, length > 0, Int(start) + Int(length) <= count
    else { return nil }
    return Int(start)..<(Int(start) + Int(length))
  }

  /// Reads the bytes before a message; nil if they break the protocol.
  package static func decode(header: [UInt8]) -> (message: StoreMessage, count: Int)? {
    var reader = ByteReader(header)
    guard let message = (try? reader.read(UInt32.self)).flatMap(StoreMessage.init(rawValue:)),
      let count = try? reader.read(UInt32.self), count <= mostBytes
    else { return nil }
    return (message, Int(count))
  }
}

// Encodings other than numbers and bytes. A message that breaks the protocol is `ByteReader.Malformed`.

extension ByteWriter {
  mutating func flag(_ value: Bool) { append(UInt8(value ? 1 : 0)) }

  /// Appends a length and that many bytes.
  mutating func blob(_ value: some Collection<UInt8>) {
    append(UInt32(value.count))
    append(value)
  }

  /// Appends whether there is a value, and the value.
  mutating func optional<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
    flag(value != nil)
    if let value { write(&self, value) }
  }
}

extension ByteReader {
  mutating func flag() throws(Malformed) -> Bool {
    switch try read(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw Malformed()
    }
  }

  /// Reads a length and that many bytes.
  mutating func blob(most: Int) throws(Malformed) -> [UInt8] {
    let count = Int(try read(UInt32.self))
    guard count <= most else { throw Malformed() }
    return try readBytes(count)
  }

  /// Reads a text in UTF-8.
  mutating func text(most: Int) throws(Malformed) -> String {
    guard let text = String(validating: try blob(most: most), as: UTF8.self) else { throw Malformed() }
    return text
  }

  mutating func key() throws(Malformed) -> ObjectKey {
    guard let key = ObjectKey(try text(most: ObjectKey.mostBytes)) else { throw Malformed() }
    return key
  }

  /// Reads whether there is a value, and the value.
  mutating func optional<T>(_ read: (inout ByteReader) throws(Malformed) -> T) throws(Malformed) -> T? {
    try flag() ? try read(&self) : nil
  }

  /// Reads all bytes that are left.
  mutating func rest() throws(Malformed) -> [UInt8] { try readBytes(remaining) }
}
