import TestSupport
import Testing

@testable import WebAccess

/// Which address of a machine is in the code.
@Suite struct MachineAddressesTests {
  private static func one(
    _ interface: String, _ text: String, isRunning: Bool = true, isPhysical: Bool = false
  ) -> InterfaceAddress {
    InterfaceAddress(interface: interface, text: text, isRunning: isRunning, isPhysical: isPhysical)
  }

  private static let loopback = [one("lo", "127.0.0.1"), one("lo", "::1")]
  private static let wlan = one("wlan0", "192.168.1.5", isPhysical: true)
  private static let wlan6 = one("wlan0", "fd00::5", isPhysical: true)
  private static let docker = one("docker0", "172.17.0.1", isRunning: false)

  @Test func aVPNThatTakesAllTrafficIsNotTheNetworkOfThePhones() {
    let vpn = Self.one("tun0", "10.8.0.2")
    let found = MachineAddresses(Self.loopback + [vpn, Self.wlan], outward: ["10.8.0.2"])
    #expect(found.all.map(\.text) == ["192.168.1.5", "10.8.0.2", "127.0.0.1", "::1"])
    #expect(found.isWithinReach)
  }

  @Test func withoutARouteNoInterfaceOfContainersComesFirst() {
    let found = MachineAddresses(Self.loopback + [Self.docker, Self.wlan], outward: [])
    #expect(found.all.first == Self.wlan && found.isWithinReach)
    let running = Self.one("docker0", "172.17.0.1")
    #expect(MachineAddresses(Self.loopback + [running, Self.wlan6], outward: []).all.first == Self.wlan6)
    #expect(!MachineAddresses(Self.loopback + [running], outward: []).isWithinReach)
    let alone = MachineAddresses([Self.docker] + Self.loopback, outward: [])
    #expect(alone.all.first?.text == "127.0.0.1" && !alone.isWithinReach)
    #expect(!MachineAddresses([], outward: []).isWithinReach)
  }

  @Test func theRouteDecidesAmongEquals() {
    let cable = Self.one("eth0", "192.168.1.9", isPhysical: true)
    let found = MachineAddresses([Self.wlan, cable], outward: ["192.168.1.9"])
    #expect(found.all == [cable, Self.wlan])
    // As in a container, whose interfaces are none of hardware.
    let (inner, other) = (Self.one("eth0", "172.20.0.3"), Self.one("eth1", "172.21.0.3"))
    let container = MachineAddresses([other, inner], outward: ["172.20.0.3"])
    #expect(container.all.first == inner && container.isWithinReach)
    let open = Self.one("eth0", "203.0.113.7", isPhysical: true)
    #expect(MachineAddresses([open, Self.wlan], outward: ["203.0.113.7"]).all.first == Self.wlan)
  }

  @Test func versionSixComesFirstWhereThereIsNothingElseOrWhenItIsWanted() {
    #expect(MachineAddresses(Self.loopback + [Self.wlan6, Self.wlan], outward: []).all.first == Self.wlan)
    #expect(MachineAddresses(Self.loopback + [Self.wlan6], outward: []).all.first == Self.wlan6)
    let both = MachineAddresses([Self.wlan, Self.wlan6], outward: [], prefersVersion6: true)
    #expect(both.all.first == Self.wlan6)
  }

  /// Bridges, and networks on top of others, lie above hardware or above none.
  @Test func hardwareIsFoundBelowInterfaces() throws {
    let folder = try TemporaryFolder()
    for name in ["eth0", "eth0/device", "br0", "br0/lower_eth0", "br0.5", "br0.5/lower_br0", "docker0"] {
      try folder.makeDirectory(name)
    }
    for name in ["docker0/lower_veth1", "veth1", "tun0", "loop", "loop/lower_loop"] { try folder.makeDirectory(name) }
    let physical = ["eth0", "br0", "br0.5", "docker0", "veth1", "tun0", "loop", "absent"].filter {
      MachineAddresses.isPhysical($0, in: folder.path)
    }
    #expect(physical == ["eth0", "br0", "br0.5"])
  }

  @Test func thisMachineHasItsOwn() {
    let found = MachineAddresses.current()
    #expect(found.all.contains { $0.text == "127.0.0.1" && $0.interface == "lo" && !$0.isPhysical })
    #expect(MachineAddresses.current(withoutVersion6: true).all.allSatisfy { !$0.isVersion6 })
  }
}
