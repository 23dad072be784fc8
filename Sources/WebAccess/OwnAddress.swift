internal import Glibc

/// What an interface of this machine has: an address of 4 bytes, or of 16.
struct OwnAddress {
  /// The name of the interface; a second address has a label, such as wlan0:1.
  let interface: String
  /// `IFF_UP` and others of netdevice(7).
  let flags: UInt32
  let bytes: [UInt8]

  /// All that there are now; nil if the system does not say.
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
