internal import Glibc

/// An address of this machine.
package struct LocalAddress: Hashable, Sendable {
  /// As in a URL, without brackets.
  package let text: String
  /// 4 or 16 bytes.
  package let bytes: [UInt8]

  /// Whether only this machine reaches it.
  package var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1] }

  /// Whether it means all addresses.
  package var isAny: Bool { bytes.allSatisfy { $0 == 0 } }

  /// As the host of a URL.
  package var host: String { bytes.count == 4 ? text : "[\(text)]" }

  /// The address that a text is; nil for names.
  package init?(_ text: String) {
    var version4 = in_addr()
    var version6 = in6_addr()
    if unsafe inet_pton(AF_INET, text, &version4) == 1 {
      bytes = unsafe withUnsafeBytes(of: &version4) { unsafe Array($0) }
    } else if unsafe inet_pton(AF_INET6, text, &version6) == 1 {
      bytes = unsafe withUnsafeBytes(of: &version6) { unsafe Array($0) }
    } else {
      return nil
    }
    self.text = text
  }

  private init(text: String, bytes: [UInt8]) { (self.text, self.bytes) = (text, bytes) }

  /// The address that this machine has for others, of several that it may have for containers and the like. Nothing is
  /// sent for that.
  private static func outward() -> String? {
    let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return nil }
    defer { close(number) }
    // An address for documents (RFC 5737), which is nobody's: the default route leads there.
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = in_port_t(9).bigEndian
    place.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isFound = unsafe withUnsafeMutablePointer(to: &place) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        unsafe connect(number, place, length) == 0 && getsockname(number, place, &length) == 0
      }
    }
    guard isFound else { return nil }
    let bytes = place.sin_addr.s_addr
    return unsafe withUnsafeBytes(of: bytes) { unsafe Array($0) }.map(String.init).joined(separator: ".")
  }

  /// The addresses of version 4 that interfaces which are up have now: first the one that others reach, loopback last.
  package static func current() -> [LocalAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var found: [LocalAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let address = unsafe entry.pointee.ifa_addr, unsafe CInt(address.pointee.sa_family) == AF_INET,
        unsafe entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
      else { continue }
      let bytes = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr
      let parts = unsafe withUnsafeBytes(of: bytes) { unsafe Array($0) }
      found.append(LocalAddress(text: parts.map(String.init).joined(separator: "."), bytes: parts))
    }
    let first = outward()
    return found.filter { !$0.isLoopback && $0.text == first } + found.filter { !$0.isLoopback && $0.text != first }
      + found.filter(\.isLoopback)
  }
}
