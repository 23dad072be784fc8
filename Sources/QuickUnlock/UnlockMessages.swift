// What agonyfs and its helper say to each other, through two pipes: one request, one reply. Before that may come one that a
// token is to be touched.
//
// Invariants
// 1. Secrets go between locked memory and a pipe directly, never through an array or a string.
// 2. Lengths of what is read are checked before anything is allocated.

package import Crypto
internal import Glibc
package import System
package import SystemPackage

/// What the helper is to do.
package enum UnlockOperation: UInt8, Sendable {
  /// Makes a secret. The reply has it, and the record by which it is got again.
  case make = 1
  /// Gets the secret that a record leads to.
  case get = 2
  /// Deletes what holds the secret.
  case drop = 3
}

/// Why a message means nothing.
package struct UnlockMessageError: Error {}

/// A request to the helper.
package struct UnlockRequest: Sendable {
  /// What to do.
  package var operation: UnlockOperation
  /// By what.
  package var method: UnlockMethod
  /// What an earlier `make` has returned.
  package var record: [UInt8]
  /// Whether a token is to find the credential by itself.
  package var isResident: Bool
  /// The PIN, of 1 to `UnlockRecord.pinLimit` bytes.
  package var pin: SecretBytes?

  /// A request.
  package init(
    _ operation: UnlockOperation, _ method: UnlockMethod, record: [UInt8] = [], isResident: Bool = false,
    pin: SecretBytes? = nil
  ) {
    (self.operation, self.method, self.record) = (operation, method, record)
    (self.isResident, self.pin) = (isResident, pin)
  }

  /// Writes it.
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

  /// Reads one. Throws `UnlockMessageError` and `Errno`.
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

/// What the helper answers.
package struct UnlockReply: Sendable {
  /// What became of the request.
  package var status: UnlockStatus
  /// The number of the library's error; 0 if there is none. How many tokens were asked if none has the key.
  package var detail: UInt32
  /// The secret, of `UnlockRecord.secretSize` bytes.
  package var secret: SecretBytes?
  /// What `get` and `drop` need.
  package var record: [UInt8]

  /// A reply.
  package init(_ status: UnlockStatus, detail: UInt32 = 0, secret: SecretBytes? = nil, record: [UInt8] = []) {
    (self.status, self.detail, self.secret, self.record) = (status, detail, secret, record)
  }

  /// Writes it.
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

  /// Reads one. Throws `UnlockMessageError` and `Errno`.
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

/// Sizes.
package enum UnlockRecord {
  /// Bytes of a secret.
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
  /// Reads so many bytes from a pipe. Throws `UnlockMessageError` if there are fewer, and `Errno`.
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
  /// Reads so many bytes. Throws `UnlockMessageError` if there are fewer, and `Errno`.
  func readExactly(_ count: Int) throws -> [UInt8] {
    let bytes = try readToEnd(limit: count)
    guard bytes.count == count else { throw UnlockMessageError() }
    return bytes
  }
}
