import FaultyStorage
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

  @Test func noListOfSegmentsLeavesItOut() throws {
    let recovery = Recovery(context: test.space.log.context)
    let count = try recovery.allSegments().count
    test.storage.failReads(of: head, .permissionDenied)
    #expect(throws: VaultError.system(.permissionDenied, "listing the files")) { try recovery.allSegments() }
    // Damage to one file must not close all spaces.
    test.storage.failReads(of: head, .ioError)
    #expect(try recovery.allSegments().count == count - 1)
  }
}
