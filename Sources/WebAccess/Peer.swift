internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The client of a connection.
public struct Peer: Hashable, Sendable {
  /// Its address, without a port.
  public let address: String
  /// The user who owns the connection, if it comes from this machine; nil if it comes from another one.
  public let user: UInt32?

  /// A client with these properties.
  public init(address: String, user: UInt32?) { (self.address, self.user) = (address, user) }

  /// One end of a connection: an address of 4 or 16 bytes, and a port.
  public struct End: Hashable, Sendable {
    /// 16 bytes; an IPv4 address is mapped to IPv6.
    let bytes: [UInt8]
    let port: UInt16

    /// - Parameter address: The form in a URL, without brackets; the result is nil if it is not an address.
    public init?(address: String, port: Int) {
      var version4 = in_addr()
      var version6 = in6_addr()
      let plain = String(address.prefix { $0 != "%" })
      if unsafe inet_pton(AF_INET, plain, &version4) == 1 {
        bytes = unsafe Self.mapped + withUnsafeBytes(of: &version4) { unsafe Array($0) }
      } else if unsafe inet_pton(AF_INET6, plain, &version6) == 1 {
        bytes = unsafe withUnsafeBytes(of: &version6) { unsafe Array($0) }
      } else {
        return nil
      }
      self.port = UInt16(truncatingIfNeeded: port)
    }

    /// Parses an end in `/proc/net/tcp`: words of the address in this machine's byte order, in hexadecimal.
    init?(table text: Substring) {
      let parts = text.split(separator: ":")
      guard parts.count == 2, parts[0].utf8.count == 8 || parts[0].utf8.count == 32,
        let port = UInt16(parts[1], radix: 16)
      else { return nil }
      var bytes: [UInt8] = []
      var rest = parts[0]
      while !rest.isEmpty {
        guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
        bytes += unsafe withUnsafeBytes(of: word) { unsafe Array($0) }
        rest = rest.dropFirst(8)
      }
      self.bytes = bytes.count == 4 ? Self.mapped + bytes : bytes
      self.port = port
    }

    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// Whether it is a loopback address.
    var isLoopback: Bool {
      bytes.starts(with: Self.mapped + [127]) || bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether an interface of this machine has the address now.
    var isOfThisMachine: Bool {
      if isLoopback { return true }
      guard let all = OwnAddress.all() else { return true }
      return all.contains { ($0.bytes.count == 4 ? Self.mapped : []) + $0.bytes == bytes }
    }
  }

  /// The user who owns a connection from this machine, by the kernel's table; nil if the table does not have it.
  ///
  /// - Parameters:
  ///   - far: The client's end.
  ///   - near: Our end.
  static func user(far: End, near: End, in table: String) -> UInt32? {
    for line in table.split(separator: "\n").dropFirst() {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      // In the client's entry, the client's own end comes first.
      guard words.count > 7, End(table: words[1]) == far, End(table: words[2]) == near else { continue }
      return UInt32(words[7])
    }
    return nil
  }

  /// The client of a connection. Nil if it comes from this machine and its user is unknown.
  public static func of(far: End, near: End, address: String) -> Peer? {
    guard far.isOfThisMachine else { return Peer(address: address, user: nil) }
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
      guard let table = try? Descriptor.open(path, O_RDONLY).readToEnd(limit: 64 << 20) else { continue }
      if let user = user(far: far, near: near, in: String(decoding: table, as: UTF8.self)) {
        return Peer(address: address, user: user)
      }
    }
    return nil
  }
}
