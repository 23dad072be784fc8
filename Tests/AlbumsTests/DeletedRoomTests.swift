import Crypto
import FaultyStorage
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What is said of room that holds what was deleted.
@Suite struct DeletedRoomTests {
  private static let password = "correct horse"

  /// It is kept for copies that were begun before the head that says that nothing else needs it.
  @Test func itIsKnownUntilWhenItIsKept() throws {
    let vault = Vault(storage: FaultyStorage(), parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password))
    var options = FileSystemOptions(logger: quietLogger)
    options.cleans = false
    options.commitInterval = 3600
    let files = try FileSystem(
      space: try SpaceManager.openSpace(in: vault, password: .of(Self.password)), options: options)
    let names = (0..<100).map { "f\($0)" }
    for (number, name) in names.enumerated() { try files.put(pattern(150_000, number), files.make(name)) }
    try files.synchronize()
    #expect(try information(vault).deletedBytes == 0)
    #expect(try information(vault).deletedUntil == nil)
    for name in names {
      let inode = try files.find(name).inode
      try files.unlink(.of(name), in: .root)
      files.forget(inode)
    }
    try files.synchronize()
    let deleted = try information(vault)
    #expect(deleted.deletedBytes > 8_000_000)
    #expect(deleted.deletedUntil == nil)
    try files.cleaner.clean()
    let before = Int64(time(nil))
    try files.cleaner.beginEpochs(1)
    let after = Int64(time(nil))
    let known = try information(vault)
    #expect(known.deletedBytes > 8_000_000)
    let until = try #require(known.deletedUntil)
    #expect((before...after).contains(until - Space.defaultCopyWindow))
    try files.close()
  }

  /// Whoever asks a mount is told at once, and not when it looks by itself.
  @Test func whoAsksKnowsUntilWhen() throws {
    let vault = Vault(storage: FaultyStorage(), parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password))
    var options = FileSystemOptions(logger: quietLogger)
    options.commitInterval = 3600
    let files = try FileSystem(
      space: try SpaceManager.openSpace(in: vault, password: .of(Self.password)), options: options)
    for number in 0..<200 { try files.put(pattern(150_000, number), files.make("f\(number)")) }
    try files.cleaner.writeForReaders()
    #expect(try information(vault).deletedBytes < 1_000_000)
    let before = Int64(time(nil))
    for number in 0..<200 { files.forget(try files.unlink(.of("f\(number)"), in: .root)) }
    try files.cleaner.writeForReaders()
    let after = Int64(time(nil))
    let known = try information(vault)
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
  private func information(_ vault: Vault) throws -> SpaceInformation {
    try SpaceManager.information(in: vault, password: .of(Self.password))
  }
}
