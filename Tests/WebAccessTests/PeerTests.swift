import Glibc
import TestSupport
import Testing

@testable import System
@testable import WebAccess

@Suite struct PeerTests {
  // As on a machine with the lower byte first.
  private let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:20FB 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 39 1 0 100 0 0 10 0
       1: 0100007F:D431 0100007F:20FB 01 00000000:00000000 00:00000000 00000000  1001        0 40 1 0 100 0 0 10 0
       2: 0900007F:D432 0100007F:20FB 01 00000000:00000000 00:00000000 00000000     0        0 41 1 0 100 0 0 10 0
       3: garbage

    """
  private func end(_ address: String, _ port: Int) throws -> Peer.End {
    try #require(.init(address: address, port: port))
  }

  @Test(.enabled(if: 1.littleEndian == 1)) func aConnectionIsOfWhoHasItsFarEnd() throws {
    let near = try end("127.0.0.1", 0x20FB)
    #expect(Peer.user(far: try end("127.0.0.1", 0xD431), near: near, in: table) == 1001)
    #expect(Peer.user(far: try end("127.0.0.9", 0xD432), near: near, in: table) == 0)
    #expect(Peer.user(far: try end("127.0.0.9", 0xD433), near: near, in: table) == nil)
    #expect(Peer.user(far: try end("::ffff:127.0.0.1", 0xD431), near: near, in: table) == 1001)
    #expect(Peer.user(far: try end("127.0.0.1", 0xD431), near: try end("127.0.0.2", 0x20FB), in: table) == nil)
  }

  @Test func addressesOfThisMachineAreKnown() throws {
    #expect(try end("127.4.5.6", 1).isOfThisMachine)
    #expect(try end("::1", 1).isOfThisMachine)
    #expect(try end("::ffff:127.0.0.1", 1).isOfThisMachine)
    // TEST-NET-1, which no interface has.
    #expect(try !end("192.0.2.77", 1).isOfThisMachine)
    for wrong in ["", "localhost", "127.0.0", "[::1]"] { #expect(Peer.End(address: wrong, port: 1) == nil) }
  }

  /// A connection of this test to itself.
  @Test(arguments: [AF_INET, AF_INET6]) func aRealConnectionIsOfThisUser(_ family: CInt) throws {
    let listening = Descriptor(try systemCall { socket(family, CInt(SOCK_STREAM.rawValue), 0) })
    try systemCall { listen(listening.number, 1) }
    let port = try port(of: listening)
    let address = family == AF_INET ? "127.0.0.1" : "::1"
    let far = Descriptor(try systemCall { socket(family, CInt(SOCK_STREAM.rawValue), 0) })
    try connect(far, family, port)
    let near = Descriptor(try systemCall { accept(listening.number, nil, nil) })
    let peer = try Peer.of(far: end(address, try self.port(of: far)), near: end(address, port), address: address)
    #expect(peer == Peer(address: address, user: geteuid()))
    // The other way around it is a connection, too, but not that one to another port.
    #expect(try Peer.of(far: end(address, port), near: end(address, 1), address: address) == nil)
    _ = near
  }

  private func port(of socket: Descriptor) throws -> Int {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    try systemCall {
      unsafe withUnsafeMutablePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(socket.number, $0, &size) }
      }
    }
    // At the same place in both versions.
    return Int(UInt16(bigEndian: address.sin6_port))
  }

  private func connect(_ socket: Descriptor, _ family: CInt, _ port: Int) throws {
    var address = sockaddr_in6()
    var size = MemoryLayout<sockaddr_in6>.size
    address.sin6_family = sa_family_t(family)
    address.sin6_port = UInt16(port).bigEndian
    if family == AF_INET {
      size = MemoryLayout<sockaddr_in>.size
      // 127.0.0.1 is where version 6 has its flow.
      address.sin6_flowinfo = UInt32(0x7F00_0001).bigEndian
    } else {
      address.sin6_addr = in6addr_loopback
    }
    try systemCall {
      unsafe withUnsafePointer(to: &address) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Glibc.connect(socket.number, $0, socklen_t(size))
        }
      }
    }
  }
}
