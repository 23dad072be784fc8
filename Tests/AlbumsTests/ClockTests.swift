import AlbumsSupport
import FaultyStorage
import Index
import Library
import Media
import Synchronization
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A time of day that goes as a test wants.
final class ManualClock: Sendable {
  private let seconds: Mutex<Int64>
  init(_ start: Int64 = 1_700_000_000) { seconds = Mutex(start) }
  var now: Int64 { seconds.withLock { $0 } }
  func advance(_ count: Int64) { seconds.withLock { $0 += count } }
}

/// A clock that is set back by a year while a space is used.
@Suite struct ClockTests {
  private static let hour: Int64 = 3600
  private static let year: Int64 = 365 * 24 * 3600

  /// Works for a time before and a time after the clock is set by `step` seconds; gives how many heads are kept, how
  /// many segments wait to be deleted and how many files the vault has at the end.
  private func work(seed: UInt64, step: Int64) throws -> [Int] {
    let clock = ManualClock()
    let storage = FaultyStorage()
    let work = try Workload(storage: storage, seed: seed, copyWindow: 24 * Self.hour, clock: { clock.now })
    for hours in 0..<60 {
      if hours == 12 { clock.advance(step) }
      try work.run(1)
      try work.clean()
      clock.advance(Self.hour)
    }
    try work.synchronize()
    let before = work.trees.last
    // Nothing hides the newest state.
    try work.remount()
    #expect(work.files.space.origin.warning == nil)
    #expect(try Tree(of: work.files) == before)
    let space = work.files.space
    let figures = space.log.locked { [$0.catalog.heads.count, $0.catalog.retired.count, storage.names.count] }
    try work.files.close()
    try work.vault.expectSound(work.body)
    return figures
  }

  @Test(arguments: TestLength.seedArguments(3))
  func workGoesOnAndWhatDiedGoesInItsTime(_ seed: UInt64) throws {
    let usual = try work(seed: seed, step: 0)
    // A window is 24 hours, an epoch one or more an hour.
    #expect(usual[0] >= 24)
    for step in [-Self.year, Self.year] {
      // A row takes a byte more or less with the time that is in it, and so the log some segments. A clock that stopped
      // deleting would leave the files of a whole day more.
      for (figure, expected) in zip(try work(seed: seed, step: step), usual) {
        #expect(abs(figure - expected) <= max(6, expected / 3))
      }
    }
  }

  @Test func timesAreKeptAndThumbnailsMade() throws {
    let vault = try TestVault(thumbnails: TestMaker())
    let now = Timestamp.now()
    // Written when the clock was a year ahead.
    let ahead = Timestamp(seconds: now.seconds + Self.year, nanoseconds: 5)
    let file = try vault.files.make("photo.jpg", with: Array("photo one".utf8))
    try vault.files.change(file) { $0.modified = .at(ahead) }
    try vault.files.waitUntilNothingIsPending()
    let small = try vault.files.thumbnailer.derivative(.small, of: file)
    #expect(try vault.files.get(small) == Array("small photo one".utf8))
    try vault.reopen()
    #expect(try vault.files.find("photo.jpg").modified == ahead)

    try vault.files.put(Array("photo two".utf8), file)
    let later = try vault.files.find("photo.jpg").modified
    #expect(later >= now && later < ahead)
    try vault.files.waitUntilNothingIsPending()
    #expect(try vault.files.get(vault.files.thumbnailer.derivative(.small, of: file)) == Array("small photo two".utf8))
    try vault.reopen()
    #expect(try vault.files.find("photo.jpg").modified == later)
    try vault.files.close()
  }
}
