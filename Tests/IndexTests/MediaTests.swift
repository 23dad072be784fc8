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
    try index.media.setMedia(full)
    try index.media.setMedia(record(3, .pending))
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try again.media.row(InodeNumber(rawValue: 7)) == full)
    #expect(try again.media.row(InodeNumber(rawValue: 3)) == record(3, .pending))
    #expect(try again.media.row(InodeNumber(rawValue: 4)) == nil)
    #expect(try again.media.row(withHash: Array(0..<32)) == full)
    #expect(try again.media.row(withHash: Array(1..<33)) == nil)
    #expect(try again.media.derivativeCount() == 2)
    #expect(try again.media.derivatives(after: nil, limit: 5).map(\.inode.rawValue) == [7])
    #expect(try again.media.mediaWithoutInode().map(\.rawValue) == [3, 7])
    try again.media.deleteMedia(InodeNumber(rawValue: 7))
    #expect(try again.media.row(InodeNumber(rawValue: 7)) == nil)
    try expectClean(again)
  }

  @Test func statesAreCountedAndListed() throws {
    let (index, _) = try makeIndex()
    for number in 2...6 as ClosedRange<UInt64> { try index.media.setMedia(record(number, .pending)) }
    var failed = record(9, .failed)
    failed.reason = "it is cut short"
    try index.media.setMedia(failed)
    try index.media.setMediaState(of: InodeNumber(rawValue: 4), to: .hidden)
    let pending = try index.media.inodes(in: .pending, after: InodeNumber(rawValue: 2), limit: 2)
    #expect(pending.map(\.rawValue) == [3, 5])
    #expect(try index.media.failedMedia().map(\.reason) == ["it is cut short"])
    try index.media.changeMediaStates(from: .failed, to: .pending)
    let counts = try index.media.mediaCounts()
    #expect(counts.pending == 5 && counts.hidden == 1 && counts.failed == 0 && counts.known == 0 && counts.other == 0)
    try expectClean(index)
  }
}
