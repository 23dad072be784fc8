internal import Crypto
internal import HostFiles

/// An original that may be deleted.
package struct Original: Hashable, Sendable {
  /// Its absolute directory, and its name.
  package let directory: [UInt8]
  package let name: [UInt8]
  package let size: Int64
  /// Hashes of its state when this run verified it. Other runs do not have the key and cannot compare them.
  let seen: Seen

  /// Its absolute path.
  package var path: [UInt8] { directory == [0x2F] ? directory + name : directory + [0x2F] + name }

  /// Whether the status is the same as when this run verified the original. `inodeCounts` includes the inode number.
  func isUnchanged(_ status: FileStatus, inodeCounts: Bool) -> Bool {
    status.kind == .file
      && StatusHash.of(status, inodeCounts: inodeCounts) == (inodeCounts ? seen.statusAndInode : seen.status)
  }

  /// A copy with the status that this run saw when it verified the original again.
  func verified(as status: FileStatus) -> Original {
    Original(directory: directory, name: name, status, hash: seen.content)
  }

  /// Hashes that identify the verified state of an original within the run that made them.
  struct Seen: Hashable, Sendable {
    /// Hashes of its status, without and with the inode number (`StatusHash`).
    let status: [UInt8]
    let statusAndInode: [UInt8]
    /// The hash of its content (`ContentHasher`).
    let content: [UInt8]
  }
}

/// Hashes of statuses, with a key that only this process has.
private enum StatusHash {
  static let count = 16
  private static let key = SecretBytes.random(count: 32)

  /// The hash of device, size, both times and, if `inodeCounts`, the inode number.
  static func of(_ status: FileStatus, inodeCounts: Bool) -> [UInt8] {
    let numbers = [
      Int64(bitPattern: status.device), inodeCounts ? Int64(bitPattern: status.inode) : 0, status.size,
      status.modified.seconds, status.modified.nanoseconds, status.changed.seconds, status.changed.nanoseconds,
    ]
    return KeyedHash.identifier(
      of: key, context: inodeCounts ? "agonyfs original with inode" : "agonyfs original",
      data: numbers.flatMap { Original.bytes(of: UInt64(bitPattern: $0)) }, count: count)
  }
}

extension Original {
  init(directory: [UInt8], name: [UInt8], _ status: FileStatus, hash: [UInt8]) {
    let seen = Seen(
      status: StatusHash.of(status, inodeCounts: false), statusAndInode: StatusHash.of(status, inodeCounts: true),
      content: hash)
    self.init(directory: directory, name: name, size: status.size, seen: seen)
  }

  /// The bytes of a record: the length of the rest in four bytes, the size in eight, the three hashes, the length of
  /// the directory in four bytes, the directory, the name. Numbers are little-endian.
  var encoded: [UInt8] {
    let body =
      Self.bytes(of: UInt64(bitPattern: size)) + seen.status + seen.statusAndInode + seen.content
      + Self.bytes(of: UInt32(directory.count)) + directory + name
    return Self.bytes(of: UInt32(body.count)) + body
  }

  fileprivate static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
  }

  private static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Number {
    bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  /// The most bytes of a record: the longest path on Linux, and the fixed fields.
  static let mostBytes = 16_384
  private static let fixedBytes = 8 + 2 * StatusHash.count + ContentHasher.count + 4

  /// Takes the next record from the bytes; nil if they do not begin with a whole valid one.
  static func next(_ bytes: inout ArraySlice<UInt8>) -> Original? {
    guard bytes.count >= 4 else { return nil }
    let count: UInt32 = number(bytes.prefix(4))
    guard count >= fixedBytes, count <= mostBytes, bytes.count >= 4 + Int(count) else { return nil }
    var rest = bytes.dropFirst(4).prefix(Int(count))
    func take(_ count: Int) -> ArraySlice<UInt8> {
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    let size: UInt64 = number(take(8))
    let seen = Seen(
      status: Array(take(StatusHash.count)), statusAndInode: Array(take(StatusHash.count)),
      content: Array(take(ContentHasher.count)))
    let length: UInt32 = number(take(4))
    guard Int(length) < rest.count else { return nil }
    let directory = Array(take(Int(length)))
    bytes = bytes.dropFirst(4 + Int(count))
    return Original(directory: directory, name: Array(rest), size: Int64(bitPattern: size), seen: seen)
  }
}
