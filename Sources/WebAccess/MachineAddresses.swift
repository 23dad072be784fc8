internal import Glibc
internal import System

/// An address of an interface of this machine.
public struct InterfaceAddress: Hashable, Sendable {
  /// The name of the interface, such as `wlan0`.
  public let interface: String
  /// The form in a URL, without brackets.
  public let text: String
  /// Whether the interface is connected.
  public let isRunning: Bool
  /// Whether the interface is hardware, or based on hardware as a bridge is; those of a VPN and of containers are not.
  public let isPhysical: Bool

  /// An address with these properties.
  public init(interface: String, text: String, isRunning: Bool, isPhysical: Bool) {
    (self.interface, self.text, self.isRunning, self.isPhysical) = (interface, text, isRunning, isPhysical)
  }

  /// Whether it is an IPv6 address.
  public var isVersion6: Bool { text.utf8.contains(UInt8(ascii: ":")) }

  /// Whether it can be reached only from this machine.
  public var isLoopback: Bool { text == "::1" || text.hasPrefix("127.") }

  /// Whether it belongs to a private network: RFC 1918, RFC 4193.
  var isPrivate: Bool {
    if isVersion6 { return text.hasPrefix("fc") || text.hasPrefix("fd") }
    let parts = text.split(separator: ".").compactMap { UInt8($0) }
    guard parts.count == 4 else { return false }
    return parts[0] == 10 || (parts[0] == 192 && parts[1] == 168) || (parts[0] == 172 && 16...31 ~= parts[1])
  }
}

/// The addresses of this machine, sorted by how likely a phone can reach them.
public struct MachineAddresses: Equatable, Sendable {
  /// The addresses, the most likely first.
  public let all: [InterfaceAddress]
  /// Whether a phone may be able to reach the first address.
  public let isWithinReach: Bool

  /// - Parameters:
  ///   - outward: The addresses from which this machine reaches others, according to its routes.
  ///   - prefersVersion6: Whether IPv6 addresses come first; otherwise they are used only if there is no other way.
  public init(_ found: [InterfaceAddress], outward: Set<String>, prefersVersion6: Bool = false) {
    func isOpen(_ one: InterfaceAddress) -> Bool { one.isPhysical || outward.contains(one.text) }
    // A VPN may carry all outgoing traffic, but phones are in the network of the hardware.
    func faults(_ one: InterfaceAddress) -> [Int] {
      let found: [Bool] = [
        !one.isRunning, one.isLoopback, !isOpen(one), one.isVersion6 != prefersVersion6,
        !(one.isPhysical && one.isPrivate), !one.isPhysical, !outward.contains(one.text),
      ]
      return found.map { $0 ? 1 : 0 }
    }
    let ranked = found.enumerated().map { place, one in (faults: faults(one) + [place], one: one) }
    all = ranked.sorted { $0.faults.lexicographicallyPrecedes($1.faults) }.map { $0.one }
    isWithinReach = all.first.map { $0.isRunning && !$0.isLoopback && isOpen($0) } ?? false
  }

  /// The current addresses; if `withoutVersion6`, only those of IPv4. Link-local IPv6 addresses are left out, because
  /// browsers do not accept their zone.
  public static func current(prefersVersion6: Bool = false, withoutVersion6: Bool = false) -> MachineAddresses {
    guard let all = OwnAddress.all() else { return MachineAddresses([], outward: []) }
    var found: [InterfaceAddress] = []
    for own in all where own.flags & UInt32(IFF_UP) != 0 {
      if own.bytes.count == 16, withoutVersion6 || own.bytes[0] == 0xFE && own.bytes[1] & 0xC0 == 0x80 { continue }
      let name = String(own.interface.prefix { $0 != ":" })
      found.append(
        InterfaceAddress(
          interface: name, text: text(of: own.bytes), isRunning: own.flags & UInt32(IFF_RUNNING) != 0,
          isPhysical: isPhysical(name)))
    }
    return MachineAddresses(found, outward: outward(), prefersVersion6: prefersVersion6)
  }

  /// Whether an interface is hardware or lies above some, according to the folder of all interfaces.
  static func isPhysical(_ interface: String, in folder: String = "/sys/class/net", depth: Int = 4) -> Bool {
    let own = "\(folder)/\(interface)"
    if unsafe access(own + "/device", F_OK) == 0 { return true }
    guard depth > 0 else { return false }
    let names = ((try? Directory.names(in: own)) ?? []).map { String(decoding: $0, as: UTF8.self) }
    return names.contains {
      $0.hasPrefix("lower_") && isPhysical(String($0.dropFirst(6)), in: folder, depth: depth - 1)
    }
  }

  /// For each IP version, the address from which this machine reaches others. Nothing is sent: the destinations are
  /// reserved for documentation (RFC 5737, RFC 3849), so that the default route applies.
  private static func outward() -> Set<String> {
    var found: Set<String> = []
    var version4 = sockaddr_in()
    version4.sin_family = sa_family_t(AF_INET)
    version4.sin_port = in_port_t(9).bigEndian
    version4.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    if leads(AF_INET, to: &version4) {
      let own = version4.sin_addr
      found.insert(text(of: unsafe withUnsafeBytes(of: own) { unsafe Array($0) }))
    }
    var version6 = sockaddr_in6()
    version6.sin6_family = sa_family_t(AF_INET6)
    version6.sin6_port = in_port_t(9).bigEndian
    if unsafe inet_pton(AF_INET6, "2001:db8::1", &version6.sin6_addr) == 1, leads(AF_INET6, to: &version6) {
      let own = version6.sin6_addr
      found.insert(text(of: unsafe withUnsafeBytes(of: own) { unsafe Array($0) }))
    }
    return found
  }

  /// Whether a route to a destination exists; if so, replaces it with this machine's address on that route.
  private static func leads<Place>(_ family: CInt, to place: inout Place) -> Bool {
    let number = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return false }
    defer { close(number) }
    var length = socklen_t(MemoryLayout<Place>.size)
    return unsafe withUnsafeMutablePointer(to: &place) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        unsafe connect(number, place, length) == 0 && getsockname(number, place, &length) == 0
      }
    }
  }

  /// The usual form of 4 or 16 bytes.
  private static func text(of bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard unsafe inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
