import Index
import Testing
import Vault

/// What is known of contents.
@Suite struct MediaTests {
  private func record(_ number: UInt64, _ state: MediaRecord.State) -> MediaRecord {
    MediaRecord(inode: InodeNumber(rawValue: number), state: state)
  }

  /// A row with every field set.
  private var full: MediaRecord {
    var full = record(7, .known)
    full.hash = Array(0..<32)
    full.kind = 10
    full.width = 4000
    full.height = 3000
    full.small = InodeNumber(rawValue: 8)
    full.large = InodeNumber(rawValue: 9)
    full.reason = "no large one"
    return full
  }

  @Test func everyFieldIsKept() throws {
    let (index, store) = try makeIndex()
    try index.setMedia(full)
    try index.setMedia(record(3, .pending))
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try again.media(InodeNumber(rawValue: 7)) == full)
    #expect(try again.media(InodeNumber(rawValue: 3)) == record(3, .pending))
    #expect(try again.media(InodeNumber(rawValue: 4)) == nil)
    #expect(try again.media(withHash: Array(0..<32)) == full)
    #expect(try again.media(withHash: Array(1..<33)) == nil)
    #expect(try again.derivativeCount() == 2)
    #expect(try again.derivatives(after: nil, limit: 5).map(\.inode.rawValue) == [7])
    #expect(try again.mediaWithoutInode().map(\.rawValue) == [3, 7])
    try again.deleteMedia(InodeNumber(rawValue: 7))
    #expect(try again.media(InodeNumber(rawValue: 7)) == nil)
    try expectClean(again)
  }

  @Test func statesAreCountedAndListed() throws {
    let (index, _) = try makeIndex()
    for number in 2...6 as ClosedRange<UInt64> { try index.setMedia(record(number, .pending)) }
    var failed = record(9, .failed)
    failed.reason = "it is cut short"
    try index.setMedia(failed)
    try index.setMediaState(of: InodeNumber(rawValue: 4), to: .hidden)
    let pending = try index.media(in: .pending, after: InodeNumber(rawValue: 2), limit: 2)
    #expect(pending.map(\.rawValue) == [3, 5])
    #expect(try index.failedMedia().map(\.reason) == ["it is cut short"])
    try index.changeMediaStates(from: .failed, to: .pending)
    let counts = try index.mediaCounts()
    #expect(counts.pending == 5 && counts.hidden == 1 && counts.failed == 0 && counts.known == 0 && counts.other == 0)
    try expectClean(index)
  }
}
