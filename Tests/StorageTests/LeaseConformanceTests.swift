import FaultyStorage
import Storage
import SystemPackage
import Testing

/// What every storage promises of leases.
@Suite struct LeaseConformanceTests {
  private static let tokens: [LeaseToken] = [.vault, .space(0), .space(.max)]

  @Test(arguments: StorageKind.lasting, tokens)
  func anExclusiveLeaseKeepsEverybodyOut(_ kind: StorageKind, _ token: LeaseToken) throws {
    let subject = try kind.make()
    var lease: (any Lease)? = try subject.storage.lease(token, exclusive: true)
    for other in [subject.storage, try subject.opened()] {
      #expect(throws: Errno.wouldBlock) { try other.lease(token, exclusive: true) }
      #expect(throws: Errno.wouldBlock) { try other.lease(token, exclusive: false) }
    }
    withExtendedLifetime(lease) {}
    lease = nil
    _ = try subject.opened().lease(token, exclusive: true)
  }

  @Test(arguments: StorageKind.lasting, tokens)
  func sharedLeasesKeepOutWhoWantsItAlone(_ kind: StorageKind, _ token: LeaseToken) throws {
    let subject = try kind.make()
    var first: (any Lease)? = try subject.storage.lease(token, exclusive: false)
    var second: (any Lease)? = try subject.opened().lease(token, exclusive: false)
    #expect(throws: Errno.wouldBlock) { try subject.opened().lease(token, exclusive: true) }
    withExtendedLifetime(first) {}
    first = nil
    #expect(throws: Errno.wouldBlock) { try subject.opened().lease(token, exclusive: true) }
    withExtendedLifetime(second) {}
    second = nil
    _ = try subject.opened().lease(token, exclusive: true)
  }

  @Test(arguments: StorageKind.lasting)
  func leasesOnDifferentThingsAreIndependent(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let tokens: [LeaseToken] = [.vault, .space(0), .space(1), .space(2), .space(.max - 1), .space(.max)]
    let leases = try tokens.map { token in
      let lease = try subject.opened().lease(token, exclusive: true)
      lease.announceEnd()
      return lease
    }
    for token in tokens {
      #expect(throws: Errno.wouldBlock) { try subject.opened().lease(token, exclusive: false) }
    }
    withExtendedLifetime(leases) {}
  }

  @Test(arguments: StorageKind.lasting)
  func aSharedLeaseIsMadeExclusiveAndSharedAgain(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let lease = try subject.storage.lease(.vault, exclusive: false)
    var other: (any Lease)? = try subject.opened().lease(.vault, exclusive: false)
    #expect(throws: Errno.wouldBlock) { try lease.change(exclusive: true) }
    // It is as shared as before.
    #expect(throws: Errno.wouldBlock) { try subject.opened().lease(.vault, exclusive: true) }
    withExtendedLifetime(other) {}
    other = nil
    try lease.change(exclusive: true)
    #expect(throws: Errno.wouldBlock) { try subject.opened().lease(.vault, exclusive: false) }
    try lease.change(exclusive: false)
    other = try subject.opened().lease(.vault, exclusive: false)
    #expect(throws: Errno.wouldBlock) { try lease.change(exclusive: true) }
    withExtendedLifetime((lease, other)) {}
  }

  @Test(arguments: StorageKind.lasting, tokens)
  func theEndOfALeaseIsAnnounced(_ kind: StorageKind, _ token: LeaseToken) throws {
    let subject = try kind.make()
    let storage = subject.storage
    #expect(!storage.leaseEndIsAnnounced(token))
    var lease: (any Lease)? = try storage.lease(token, exclusive: true)
    #expect(!storage.leaseEndIsAnnounced(token))
    lease?.announceEnd()
    lease?.announceEnd()
    #expect(try subject.opened().leaseEndIsAnnounced(token))
    // The lease itself is as good as before.
    #expect(throws: Errno.wouldBlock) { try subject.opened().lease(token, exclusive: false) }
    lease = nil
    #expect(!storage.leaseEndIsAnnounced(token))
    _ = try storage.lease(token, exclusive: true)
  }
}
