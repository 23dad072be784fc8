import Crypto
import FaultyStorage
import Storage
import SystemPackage
import Testing

@testable import Vault

/// Who may have a space open at the same time.
@Suite struct LeaseTests {
  private let test = TestSpace()

  init() throws { try test.space.commitAndClose(version: 1) }

  private enum Access: CaseIterable {
    case writing, reading, observing
  }

  private func open(_ access: Access) throws -> Space {
    try test.vault.openSpace(test.body, readOnly: access == .reading, observing: access == .observing)
  }

  @Test func aSpaceHasOneWriterOrSeveralReaders() throws {
    for first in Access.allCases {
      for second in Access.allCases {
        let holder = try open(first)
        let mayBoth = first == .observing || second == .observing || (first == .reading && second == .reading)
        if mayBoth {
          try open(second).close()
        } else {
          #expect(throws: VaultError.spaceInUse) { try open(second) }
        }
        #expect(try holder.pageBytes(1) == page(1, version: 1))
        try holder.close()
      }
    }
  }

  @Test func twoSpacesOfOneVaultAreWrittenAtOnce() throws {
    let first = try open(.writing)
    let made = try test.vault.createSpace(suite: .xchacha20poly1305)
    try made.space.commit([1: page(1, version: 7)], pageCount: 1)
    try first.commit([1: page(1, version: 2)], pageCount: 1)
    try made.space.close()
    let second = try test.vault.openSpace(made.body)
    try first.close()
    #expect(try second.pageBytes(1) == page(1, version: 7))
    try second.close()
    #expect(try open(.reading).pageBytes(1) == page(1, version: 2))
  }

  /// Two keys of a space come from one slot or two; the lease is the space's.
  @Test func theLeaseIsOfTheSpaceAndOfNoFile() throws {
    let token = SpaceKeys(test.body).leaseToken
    #expect(SpaceKeys(test.body).leaseToken == token)
    #expect(SpaceKeys(try test.vault.createSpace(suite: .aes256gcm).body).leaseToken != token)
    let space = try open(.writing)
    #expect(throws: Errno.wouldBlock) { try test.storage.lease(token, exclusive: false) }
    // What is begun later needs no other lease.
    for version in 2..<5 {
      try space.commit([1: page(1, version: version)], pageCount: 1)
      try space.advanceEpoch()
      #expect(test.storage.leaseCount == 2)
    }
    try space.close()
    #expect(test.storage.leaseCount == 0)
  }

  @Test(arguments: [false, true])
  func whoIsAloneInTheVaultKeepsAllSpacesClosed(isObserving: Bool) throws {
    let alone = try test.vault.lease(exclusive: true)
    #expect(throws: Errno.wouldBlock) { try test.storage.lease(.vault, exclusive: false) }
    let storage = test.storage
    storage.whenRefused { storage.killProcess() }
    // And who opens one waits for it.
    let space = try open(isObserving ? .observing : .writing)
    storage.whenRefused(nil)
    #expect(throws: VaultError.vaultInUse) { try test.vault.lease(exclusive: true) }
    withExtendedLifetime((alone, space)) {}
  }

  @Test func aReadOnlyVaultIsRead() throws {
    let vault = test.vault(over: test.storage.copy(isReadOnly: true))
    let spaces = [try vault.openSpace(test.body), try vault.openSpace(test.body, readOnly: true)]
    for space in spaces {
      #expect(try space.pageBytes(1) == page(1, version: 1))
      #expect(space.gate.reason != nil)
    }
  }
}
