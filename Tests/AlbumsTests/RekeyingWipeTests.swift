import AlbumsSupport
import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What is under the previous key is overwritten before it goes, in a space that owns cover as well.
@Suite struct RekeyingWipeTests {
  private static let ownFiles = 56

  /// A space in which dead segments go next; and all of its segments.
  private func filled() throws -> (work: Workload, segments: [SegmentIdentifier: [UInt8]]) {
    let storage = FaultyStorage()
    storage.record()
    let work = try Workload(storage: storage, seed: 1, ownFiles: Self.ownFiles)
    try work.importAlbum()
    var rounds = Rounds(until: "all cover is used", limit: 100)
    while try #require(work.files.space.owner).coverCount > 0 {
      try rounds.begin()
      try work.writeLongFile()
      try work.clean()
    }
    try work.files.close()
    let context = work.vault.context(of: work.body)
    let segments = try Recovery(context: context).allSegments().map { segment in
      let name = context.keys.identifier(segment.number, branch: segment.branch)
      return (name, storage.content(name))
    }
    return (work, Dictionary(uniqueKeysWithValues: segments))
  }

  private func replaceKey(in work: Workload) throws {
    let passwords = Workload.passwords
    try SpaceManager.replaceKey(in: work.vault, old: passwords[0], new: passwords[1], wipingAll: true)
  }

  /// The operations that gave up a segment of before as it was, when there was a new key.
  private func unwiped(_ work: Workload, _ segments: [SegmentIdentifier: [UInt8]]) -> [Int] {
    let tape = work.storage.recording
    let first = tape.wipesOfDeleted.first ?? 0
    return tape.givenUp.filter { $0.operation > first && isSame($0.content, segments[$0.name] ?? []) }.map(\.operation)
  }

  /// A file that cannot be overwritten stays until it can, or whoever asked is told.
  @Test func whatCannotBeWipedStays() throws {
    let (whole, segments) = try filled()
    let start = whole.storage.operationCount
    try replaceKey(in: whole)
    #expect(unwiped(whole, segments) == [])
    let wipes = whole.storage.recording.wipesOfDeleted
    #expect(wipes.count > 2)
    var cases = CaseCount("files that could not be overwritten")
    for operation in TestLength.sample(wipes.prefix(6), 3) {
      let (work, segments) = try filled()
      let storage = work.storage
      try #require(storage.operationCount == start)
      storage.inject(.error(.ioError, at: operation))
      var isDone = false
      do {
        try replaceKey(in: work)
        isDone = true
      } catch {
        #expect(error is VaultError)
      }
      storage.inject(nil)
      if !isDone { try replaceKey(in: work) }
      #expect(unwiped(work, segments) == [], "operation \(operation)")
      let slot = try work.vault.openSlot(work.vault.slotKeys(for: Workload.passwords[1]))
      #expect(slot.body.rekeying?.previousKey == nil, "operation \(operation)")
      let own = Set(storage.names).subtracting(work.bystander.keys)
      #expect(own.count == Self.ownFiles, "operation \(operation)")
      cases.add()
    }
    #expect(cases.count > 2)
  }
}
