import AlbumsSupport
import FaultyStorage
import Glibc
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What is said of room that holds what was deleted.
@Suite struct DeletedRoomTests {
  private static let password = "correct horse"
  private let vault = Vault(storage: FaultyStorage(), parameters: .cheap)
  init() throws { try SpaceManager.addSpace(to: vault, password: .of(Self.password)) }

  /// It is kept for copies that were begun before the head that says that nothing else needs it.
  @Test func itIsKnownUntilWhenItIsKept() throws {
    let files = try vault.mount(.of(Self.password)) {
      $0.cleans = false
      $0.commitInterval = 3600
    }
    let names = (0..<100).map { "f\($0)" }
    for (number, name) in names.enumerated() { try files.put(pattern(150_000, number), files.make(name)) }
    try files.synchronize()
    let undeleted = try information()
    #expect(undeleted.deletedBytes == 0 && undeleted.deletedUntil == nil)
    for name in names { try files.delete(name) }
    try files.synchronize()
    let deleted = try information()
    #expect(deleted.deletedBytes > 8_000_000)
    #expect(deleted.deletedUntil == nil)
    try files.cleaner.clean()
    let before = Int64(time(nil))
    try files.cleaner.beginEpochs(1)
    let after = Int64(time(nil))
    let known = try information()
    #expect(known.deletedBytes > 8_000_000)
    let until = try #require(known.deletedUntil)
    #expect((before...after).contains(until - Space.defaultCopyWindow))
    try files.close()
  }

  /// Whoever asks a mount is told at once, and not when it looks by itself.
  @Test func whoAsksKnowsUntilWhen() throws {
    let files = try vault.mount(.of(Self.password)) { $0.commitInterval = 3600 }
    for number in 0..<200 { try files.put(pattern(150_000, number), files.make("f\(number)")) }
    try files.cleaner.writeForReaders()
    #expect(try information().deletedBytes < 1_000_000)
    let before = Int64(time(nil))
    for number in 0..<200 { try files.delete("f\(number)") }
    try files.cleaner.writeForReaders()
    let after = Int64(time(nil))
    let known = try information()
    #expect(known.deletedBytes > 20_000_000)
    let until = try #require(known.deletedUntil)
    #expect((before...after).contains(until - Space.defaultCopyWindow))
    // Asked again, it has nothing to say that is new.
    let heads = files.space.segments().map(\.number.epoch).max()
    try files.cleaner.writeForReaders()
    #expect(files.space.segments().map(\.number.epoch).max() == heads)
    try files.close()
  }

  /// As a program says it that looks beside the mount.
  private func information() throws -> SpaceInformation {
    try SpaceManager.information(in: vault, password: .of(Self.password))
  }
}
