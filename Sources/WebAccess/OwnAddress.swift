internal import Glibc

/// An address of an interface of this machine, of 4 or 16 bytes.
struct OwnAddress {
  /// The name of the interface; for a second address its label, such as wlan0:1.
  let interface: String
  /// `IFF_UP` and other flags of netdevice(7).
  let flags: UInt32
  let bytes: [UInt8]

  /// All current addresses; nil if the system does not report them.
  static func all() -> [OwnAddress]? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return nil }
    defer { unsafe freeifaddrs(list) }
    var found: [OwnAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let address = unsafe entry.pointee.ifa_addr else { continue }
      let flags = unsafe entry.pointee.ifa_flags
      let raw = UnsafeRawPointer(address)
      var bytes: [UInt8] = []
      switch unsafe CInt(address.pointee.sa_family) {
      case AF_INET:
        let number = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
        bytes = unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
      case AF_INET6:
        let number = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        bytes = unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
      default: continue
      }
      let name = unsafe String(cString: entry.pointee.ifa_name)
      found.append(OwnAddress(interface: name, flags: flags, bytes: bytes))
    }
    return found
  }
}
