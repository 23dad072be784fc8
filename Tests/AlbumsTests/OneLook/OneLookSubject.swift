import Crypto
import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A vault that is made and used, and is gone with the object.
final class OneLookSubject {
  private static let first = "the first space"
  private static let hidden = "the hidden space"

  /// How many files vaults have, about.
  enum Size {
    case few
    case many

    /// The cover that is asked for, in bytes.
    var cover: Int64 { self == .few ? 4 << 20 : 440 << 20 }
    /// Files of vaults that are taken: others are too small to say anything, or the host does not hold their copies.
    var files: ClosedRange<Int> { self == .few ? 0...350 : 400...700 }
    /// Photos in a session.
    var photos: ClosedRange<Int> { self == .few ? 1...4 : 5...40 }
  }

  let path: String
  let hasHidden: Bool
  private let size: Size
  private let host: Host
  private let vault: Vault
  /// The first space is used in the same ways in both groups, so the hidden one has chance of its own.
  private var generator: SeededGenerator
  private var other: SeededGenerator

  init(_ host: Host, pair: Int, hasHidden: Bool, size: Size = .few) throws {
    self.host = host
    self.hasHidden = hasHidden
    self.size = size
    path = host.path + "/vault"
    generator = SeededGenerator(seed: UInt64(pair + 1))
    other = SeededGenerator(seed: UInt64(pair + 1_000_001))
    var options = VaultCreationOptions()
    options.segmentSize = 1 << 20
    options.cover = size.cover
    options.derivation = try #require(
      PasswordDerivation(operations: 1, memory: 8 << 20, salt: Array(repeating: 3, count: 16)))
    var made: Vault
    var rounds = Rounds(until: "a vault has as many files as wanted", limit: 100)
    repeat {
      try rounds.begin()
      HostFile.remove(path)
      made = try SpaceManager.createVault(
        in: DirectoryStorage.make(at: path), options: options, password: .of(Self.first),
        hiddenPassword: hasHidden ? .of(Self.hidden) : nil)
    } while !size.files.contains(HostFile.segments(of: path).count)
    vault = made
  }

  deinit { HostFile.remove(path) }

  /// A session that writes photos, rewrites one and deletes some.
  private func use(_ password: String, _ generator: inout SeededGenerator) throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(password))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    let folder = try files.folder("session \(UInt64.random(in: 0 ... .max, using: &generator))")
    do {
      for number in 0..<Int.random(in: size.photos, using: &generator) {
        let file = try files.make("p\(number)", in: folder)
        try files.put(generator.bytes(Int.random(in: 100_000...700_000, using: &generator)), file)
        if number == 1 { try files.put(generator.bytes(300_000), file) }
      }
    } catch Errno.noSpace {
      // Some hidden spaces are full.
    }
    if Bool.random(using: &generator) { _ = try files.unlink(.of("p0"), in: folder) }
    try files.close()
    vault.shuffleNames()
  }

  /// Fills the hidden space, deletes most of it and has what died cleaned away.
  private func fillAndClean() throws {
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.hidden))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    var made: [String] = []
    for number in 0..<Int.random(in: 2...5, using: &other) {
      let file = try files.make("full \(number)")
      made.append("full \(number)")
      do { try files.put(other.bytes(400_000), file) } catch { break }
    }
    for name in made.dropLast() { _ = try files.unlink(.of(name), in: .root) }
    try files.close()
    vault.shuffleNames()
  }

  /// Uses the vault, and looks at it and at copies.
  ///
  /// - Parameters:
  ///   - copies: their names, and how they are made.
  ///   - declared: whether to look at what tells, too.
  func looks(_ copies: [(name: String, command: String)], declared: Bool) throws -> [String: Look] {
    var looks: [String: Look] = [:]
    let backup = host.path + "/backup"
    defer { HostFile.remove(backup) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      if declared { try copy("rsync -a $from/ $to/", to: backup) }
      try use(Self.first, &generator)
      guard hasHidden else { continue }
      for _ in 0..<Int.random(in: 0...1, using: &other) { try use(Self.hidden, &other) }
    }
    if hasHidden {
      try use(Self.hidden, &other)
      if Bool.random(using: &other) { try fillAndClean() }
    }
    if declared { looks["pulled plug"] = hasHidden ? try pulledPlug() : try lookAtCopy() }
    if Bool.random(using: &generator) { try use(Self.first, &generator) }
    if declared {
      try copy("rsync -a $from/ $to/", to: backup)
      looks["backup filled several times"] = try look(at: backup)
      HostFile.remove(backup)
      looks["live disk"] = try look(at: path)
    }
    for (name, command) in copies { looks[name] = try lookAtCopy(command) }
    let refresh = DirectoryRefresh(
      try DirectoryStorage(path: path), segmentSize: vault.parameters.segmentSize, progress: { _ in true })
    try refresh.run()
    looks["refreshed"] = try look(at: path)
    return looks
  }

  private func copy(_ command: String, to path: String) throws {
    let outcome = try Host.shell("from=\(self.path); to=\(path); \(command)", in: "/")
    #expect(outcome.status == 0, "\(outcome)")
  }

  private func lookAtCopy(_ command: String = "cp -r $from $to") throws -> Look {
    let path = host.path + "/copy"
    defer { HostFile.remove(path) }
    try copy(command, to: path)
    return try look(at: path)
  }

  /// A look at what a power cut leaves while the hidden space is written.
  private func pulledPlug() throws -> Look {
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.hidden))
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    try files.put(other.bytes(100_000), files.make("the last"))
    try files.synchronize()
    let look = try lookAtCopy()
    try files.close()
    vault.shuffleNames()
    return look
  }

  /// Looks with the password of the first space.
  func look(at path: String) throws -> Look {
    try host.settle()
    let vault = try Vault.open(in: DirectoryStorage(path: path), weakDerivations: .opening)
    let explained: Set<SegmentIdentifier>
    do {
      let space = try SpaceManager.openSpace(in: vault, password: .of(Self.first), readOnly: true)
      explained = try space.explainedFiles().union(SlotRecords.names(of: space))
    }
    var look = try Look(at: path, explained: explained)
    let information = try SpaceManager.information(in: vault, password: .of(Self.first))
    look.add("info: files", information.files)
    look.add("info: bytes of data", information.dataBytes)
    look.add("info: bytes that are stored", information.storedBytes)
    look.add("info: bytes of the index", information.indexBytes)
    return look
  }

  /// Gives one file another time if told to.
  func touchAFile(_ doesIt: Bool) throws {
    guard doesIt, let file = HostFile.segments(of: path).first else { return }
    #expect(try Outcome("/usr/bin/touch", arguments: [file]).status == 0)
  }
}
