// The messages between agonyfs and its helper, through two pipes: one request, one reply. A reply that asks for a touch
// of the token may come first.
//
// Invariants
// 1. Secrets pass between locked memory and a pipe directly, never through an array or a string.
// 2. Lengths in a message are checked before memory is allocated.

package import Crypto
internal import Glibc
package import System
package import SystemPackage

/// The operations of the helper.
package enum UnlockOperation: UInt8, Sendable {
  /// Makes a secret. The reply holds it, and the record that leads to it.
  case make = 1
  /// Gets the secret that a record leads to.
  case get = 2
  /// Deletes the stored secret.
  case drop = 3
}

/// A message is malformed or incomplete.
package struct UnlockMessageError: Error {}

/// A request to the helper.
package struct UnlockRequest: Sendable {
  /// The operation.
  package var operation: UnlockOperation
  /// The method that holds the key.
  package var method: UnlockMethod
  /// The record that an earlier `make` returned.
  package var record: [UInt8]
  /// Whether the token stores the credential itself (resident key).
  package var isResident: Bool
  /// The PIN, of 1 to `UnlockRecord.pinLimit` bytes.
  package var pin: SecretBytes?

  /// A request with its fields.
  package init(
    _ operation: UnlockOperation, _ method: UnlockMethod, record: [UInt8] = [], isResident: Bool = false,
    pin: SecretBytes? = nil
  ) {
    (self.operation, self.method, self.record) = (operation, method, record)
    (self.isResident, self.pin) = (isResident, pin)
  }

  /// Writes the request to a pipe.
  package func send(to pipe: Descriptor) throws(Errno) {
    var writer = ByteWriter()
    writer.append(operation.rawValue)
    writer.append(method.rawValue)
    writer.append(UInt8(isResident ? 1 : 0))
    writer.append(UInt8(pin?.count ?? 0))
    writer.append(UInt32(record.count))
    writer.append(record)
    try pipe.writeAll(writer.bytes)
    if let pin { try unsafe pin.withUnsafeBytes { (bytes) throws(Errno) in try unsafe pipe.writeAll(bytes) } }
  }

  /// Reads a request from a pipe. Throws `UnlockMessageError` and `Errno`.
  package init(from pipe: Descriptor) throws {
    var reader = ByteReader(try pipe.readExactly(8))
    let operation = UnlockOperation(rawValue: try reader.read())
    let method = UnlockMethod(rawValue: try reader.read())
    let isResident: UInt8 = try reader.read()
    let pinSize: UInt8 = try reader.read()
    guard let operation, let method else { throw UnlockMessageError() }
    let record = try pipe.readExactly(UnlockRecord.checked(reader.read()))
    let pin = pinSize == 0 ? nil : try SecretBytes(reading: Int(pinSize), from: pipe)
    self.init(operation, method, record: record, isResident: isResident != 0, pin: pin)
  }
}

/// The helper's answer.
package struct UnlockReply: Sendable {
  /// The outcome of the request.
  package var status: UnlockStatus
  /// The library's error number, 0 for none. If no token has the key: the number of tokens that were asked.
  package var detail: UInt32
  /// The secret, of `UnlockRecord.secretSize` bytes.
  package var secret: SecretBytes?
  /// The record for later `get` and `drop` requests.
  package var record: [UInt8]

  /// A reply with its fields.
  package init(_ status: UnlockStatus, detail: UInt32 = 0, secret: SecretBytes? = nil, record: [UInt8] = []) {
    (self.status, self.detail, self.secret, self.record) = (status, detail, secret, record)
  }

  /// Writes the reply to a pipe.
  package func send(to pipe: Descriptor) throws(Errno) {
    var writer = ByteWriter()
    writer.append(status.rawValue)
    writer.append(detail)
    writer.append(UInt8(secret == nil ? 0 : 1))
    writer.append(UInt32(record.count))
    writer.append(record)
    try pipe.writeAll(writer.bytes)
    if let secret { try unsafe secret.withUnsafeBytes { (bytes) throws(Errno) in try unsafe pipe.writeAll(bytes) } }
  }

  /// Reads a reply from a pipe. Throws `UnlockMessageError` and `Errno`.
  package init(from pipe: Descriptor) throws {
    var reader = ByteReader(try pipe.readExactly(10))
    let status = UnlockStatus(rawValue: try reader.read())
    let detail: UInt32 = try reader.read()
    let hasSecret: UInt8 = try reader.read()
    let record = try pipe.readExactly(UnlockRecord.checked(reader.read()))
    guard let status else { throw UnlockMessageError() }
    let secret = hasSecret == 0 ? nil : try SecretBytes(reading: UnlockRecord.secretSize, from: pipe)
    self.init(status, detail: detail, secret: secret, record: record)
  }
}

/// Sizes of secrets, PINs and records.
package enum UnlockRecord {
  /// The size of a secret, in bytes.
  package static let secretSize = 32
  /// The longest PIN, in bytes.
  package static let pinLimit = 63
  /// The longest record, in bytes.
  package static let limit = 3000

  static func checked(_ count: UInt32) throws(UnlockMessageError) -> Int {
    guard count <= limit else { throw UnlockMessageError() }
    return Int(count)
  }
}

extension SecretBytes {
  /// Reads exactly `count` bytes from a pipe. Throws `UnlockMessageError` if there are fewer, and `Errno`.
  package convenience init(reading count: Int, from pipe: Descriptor) throws {
    try unsafe self.init(count: count) { (buffer: UnsafeMutableRawBufferPointer) throws(any Error) in
      var filled = 0
      while filled < buffer.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
        let some = try systemCall { unsafe read(pipe.number, rest.baseAddress, rest.count) }
        if some == 0 { throw UnlockMessageError() }
        filled += some
      }
    }
  }
}

extension Descriptor {
  /// Reads exactly `count` bytes. Throws `UnlockMessageError` if there are fewer, and `Errno`.
  func readExactly(_ count: Int) throws -> [UInt8] {
    let bytes = try readToEnd(limit: count)
    guard bytes.count == count else { throw UnlockMessageError() }
    return bytes
  }
}
