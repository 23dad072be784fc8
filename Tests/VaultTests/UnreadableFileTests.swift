import FaultyStorage
import Glibc
import Storage
import SystemPackage
import Testing

@testable import Vault

/// A file that cannot be read counts neither as whole, nor as missing, nor as the space's own.
@Suite struct UnreadableFileTests {
  private let test = TestSpace()
  private var head: SegmentIdentifier { test.space.keys.headIdentifier(test.space.highestEpoch) }

  init() throws { try test.space.commitDurably(version: 1) }

  @Test func aCheckNamesIt() {
    #expect(test.space.verify(readData: true) == [])
    test.storage.failReads(of: head, from: SegmentFormat.recordsStart, .ioError)
    let problems = test.space.verify(readData: false).map(\.problem)
    #expect(problems.contains("segment file \(head) cannot be read: \(Errno.ioError)"))
  }

  /// It may be the head of another branch, which was written elsewhere.
  @Test func itIsNotDeletedAsADeadHead() throws {
    let number = SegmentNumber(epoch: test.space.highestEpoch, index: 0)
    let context = test.space.log.context
    let file = PoolFile(test.space.log.locked { $0.catalog.dead(number) }, context.keys)
    test.storage.failReads(of: file.name, .ioError)
    #expect(throws: Errno.ioError) { try context.delete(file) }
    #expect(try test.storage.exists(file.name))
  }

  /// Re-keying does not end without it, so the user must know which file it is.
  @Test func reKeyingNamesADeadHead() throws {
    let old = head
    let successor = try test.space.keyChange.drawSuccessor()
    try test.space.keyChange.commitKeyChange(to: successor)
    try test.space.close()
    let space = try test.vault.openSpace(successor, copyWindow: 0)
    try space.commitDurably(version: 2)
    try space.retire(space.segments().map(\.number).filter(space.isUnderPreviousKey))
    test.storage.failReads(of: old, .ioError)
    func finish() throws -> Bool {
      for _ in 0..<3 {
        try space.advanceEpoch()
        if try space.keyChange.finishRekeying(0, OperationControl()) { return true }
      }
      return false
    }
    #expect(try !finish())
    guard case .damaged(let text) = space.keyChange.remainder else { throw space.keyChange.remainder }
    #expect(text.hasPrefix("segments/\(old.path) cannot be read: \(Errno.ioError); "))
    #expect(try test.storage.exists(old))
    test.storage.failReads(of: old, nil)
    #expect(try finish())
    #expect(try !test.storage.exists(old))
  }

  @Test func noListOfSegmentsLeavesItOut() throws {
    let recovery = Recovery(context: test.space.log.context)
    let count = try recovery.allSegments().count
    test.storage.failReads(of: head, .permissionDenied)
    #expect(throws: VaultError.system(.permissionDenied, "listing the files")) { try recovery.allSegments() }
    // Damage to one file must not close all spaces.
    for damage in Self.damage {
      test.storage.failReads(of: head, damage)
      #expect(try recovery.allSegments().count == count - 1)
    }
    test.storage.failReads(of: head, nil)
    test.storage.failLists(at: head, .permissionDenied)
    #expect(throws: VaultError.system(.permissionDenied, "listing the files")) { try recovery.allSegments() }
  }

  /// What ext4, XFS and btrfs answer.
  private static let damage = [Errno.ioError, Errno(rawValue: EUCLEAN), Errno(rawValue: EBADMSG)]

  /// An inode of any space or none. Its file does not count as missing cover.
  @Test(arguments: damage) func aFileThatCannotBeListedClosesNoSpace(damage: Errno) throws {
    let test = try TestSpace.owningCover(version: 1)
    try test.space.close()
    let range = try #require(test.space.owner?.cover.last)
    let name = test.space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: range.end - 1))
    let (names, deletions) = (test.storage.names, test.storage.deletionCount)
    #expect(names.contains(name))
    test.storage.failLists(at: name, damage)
    test.storage.failReads(of: name, damage)
    let space = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(try space.pageBytes(1) == page(1, version: 1))
    #expect(try space.foreignContinuation() == nil)
    #expect(space.unlistedFiles() == ["segments/\(name.path): \(damage)"])
    try space.cover.restoreFileCount()
    #expect(test.storage.names == names && test.storage.deletionCount == deletions)
  }
}
