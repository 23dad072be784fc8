import AlbumsSupport
import Crypto
import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A vault that is made and used, and is gone with the object.
final class OneLookSubject {
  private static let first = "the first space"
  private var hiddenPassword = "the hidden space"

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

  /// - Parameter seed: what chance has in it, but for keys and the names and numbers of files that the program draws.
  init(_ host: Host, seed: UInt64, hasHidden: Bool, size: Size = .few) throws {
    self.host = host
    self.hasHidden = hasHidden
    self.size = size
    path = host.path + "/vault"
    generator = SeededGenerator(seed: seed)
    other = SeededGenerator(seed: seed ^ 1 << 40)
    var options = VaultCreationOptions()
    options.segmentSize = 1 << 20
    options.cover = size.cover
    // With one salt for all vaults the slots of one password would have the same names in all of them.
    options.derivation = try #require(
      PasswordDerivation(
        operations: 1, memory: 8 << 20, salt: (0..<16).map { _ in UInt8.random(in: 0 ... .max) }))
    var made: Vault
    var rounds = Rounds(until: "a vault has as many files as wanted", limit: 100)
    repeat {
      try rounds.begin()
      HostFile.remove(path)
      made = try SpaceManager.createVault(
        in: DirectoryStorage.make(at: path), options: options, password: .of(Self.first),
        hiddenPassword: hasHidden ? .of(hiddenPassword) : nil)
    } while !size.files.contains(HostFile.segments(of: path).count)
    vault = made
  }

  deinit { HostFile.remove(path) }

  /// A session that writes photos, rewrites one and deletes some.
  private func use(_ password: String, _ generator: inout SeededGenerator) throws {
    let files = try vault.mount(.of(password))
    do {
      let folder = try files.folder("session \(UInt64.random(in: 0 ... .max, using: &generator))")
      for number in 0..<Int.random(in: size.photos, using: &generator) {
        let file = try files.make("p\(number)", in: folder)
        try files.put(generator.bytes(Int.random(in: 100_000...700_000, using: &generator)), file)
        if number == 1 { try files.put(generator.bytes(300_000), file) }
      }
      if Bool.random(using: &generator) { _ = try files.unlink(.of("p0"), in: folder) }
    } catch Errno.noSpace {
      // Some hidden spaces are full.
    }
    try files.close()
  }

  /// Fills the hidden space, deletes most of it and has what died cleaned away.
  private func fillAndClean() throws {
    let files = try vault.mount(.of(hiddenPassword))
    var made: [String] = []
    for number in 0..<Int.random(in: 2...5, using: &other) {
      do {
        let file = try files.make("full \(number)")
        made.append("full \(number)")
        try files.put(other.bytes(400_000), file)
      } catch Errno.noSpace {
        break
      }
    }
    for name in made.dropLast() { _ = try files.unlink(.of(name), in: .root) }
    try files.close()
  }

  /// Gives the hidden space another password, or another key.
  private func changePassword() throws {
    let (old, new) = (Password.of(hiddenPassword), Password.of(hiddenPassword + ", changed"))
    switch Int.random(in: 0..<3, using: &other) {
    case 0: try SpaceManager.changePassword(in: vault, old: old, new: new)
    case 1: try SpaceManager.replaceKey(in: vault, old: old, new: new)
    default:
      try SpaceManager.addPassword(in: vault, existing: old, new: new)
      try SpaceManager.removePassword(in: vault, old)
    }
    hiddenPassword += ", changed"
  }

  /// Uses the vault, and looks at it and at copies.
  ///
  /// - Parameters:
  ///   - copies: their names, and how they are made.
  ///   - declared: whether to look at what tells, too.
  ///   - earlier: how a copy is made that stays, before the vault is used.
  func looks(
    _ copies: [(name: String, command: String)], declared: Bool, earlier: String?
  ) throws -> [String: Look] {
    var looks: [String: Look] = [:]
    let backup = host.path + "/backup"
    let kept = host.path + "/kept"
    defer { for path in [backup, kept] { HostFile.remove(path) } }
    if let earlier { try copy(earlier, to: kept) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      if declared { try copy("rsync -a $from/ $to/", to: backup) }
      try use(Self.first, &generator)
      guard hasHidden else { continue }
      for _ in 0..<Int.random(in: 0...1, using: &other) { try use(hiddenPassword, &other) }
    }
    if hasHidden {
      try use(hiddenPassword, &other)
      if Bool.random(using: &other) { try fillAndClean() }
      if Bool.random(using: &other) { try changePassword() }
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
      try DirectoryStorage(path: FilePath(path)), segmentSize: vault.parameters.segmentSize, progress: { _ in true })
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
    let files = try vault.mount(.of(hiddenPassword))
    do {
      try files.put(other.bytes(100_000), files.make("the last"))
    } catch Errno.noSpace {
      // Some hidden spaces are full.
    }
    try files.synchronize()
    let look = try lookAtCopy()
    try files.close()
    return look
  }

  /// The files of the first space.
  func explained(at path: String) throws -> Set<SegmentIdentifier> {
    let vault = try Vault.open(in: DirectoryStorage(path: FilePath(path)), weakDerivations: .opening)
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.first), readOnly: true)
    return try space.attributableFiles().union(SlotRecords.names(of: space))
  }

  /// Looks with the password of the first space.
  func look(at path: String) throws -> Look {
    try host.settle()
    var look = try Look(at: path, explained: explained(at: path))
    let vault = try Vault.open(in: DirectoryStorage(path: FilePath(path)), weakDerivations: .opening)
    let information = try SpaceManager.information(in: vault, password: .of(Self.first))
    look.add("info: files", information.files)
    look.add("info: bytes of data", information.dataBytes)
    look.add("info: bytes that are stored", information.storedBytes)
    look.add("info: bytes of the index", information.indexBytes)
    return look
  }
}

/// What a look at a vault must tell.
enum Leak: String, CaseIterable {
  case oneTime = "times"
  case oneFileMore = "files that nothing explains"
  case piecesOfOneFile = "extents"
  case oneLaterBirth = "born after the creation"

  /// Has one file of a vault differ, or adds one beside it: one that the first space does not explain.
  func make(in vault: String, sparing explained: Set<SegmentIdentifier>) throws {
    let names = Set(explained.map(\.path))
    let file = try #require(HostFile.segments(of: vault).first { !names.contains(String($0.suffix(35))) })
    let command =
      switch self {
      case .oneTime: "touch $file"
      case .oneFileMore: "cp -p $file $folder/$(basename $folder)" + String(repeating: "5a", count: 15)
      case .piecesOfOneFile:
        """
        fallocate --insert-range --offset 524288 --length 4096 $file
        dd if=/dev/urandom of=$file bs=4096 seek=128 count=1 conv=notrunc
        truncate -s 1M $file
        """
      case .oneLaterBirth: "cp -p $file $file.new; mv $file.new $file"
      }
    try run(command, file)
  }

  /// Takes it away, as far as that is possible.
  func takeBack(in vault: String) throws {
    guard self == .oneFileMore, let file = HostFile.segments(of: vault).first(where: { $0.hasSuffix("5a5a5a5a5a5a") })
    else { return }
    try run("rm $file", file)
  }

  /// Runs commands, and gives everything the constant time again unless that is the leak.
  private func run(_ script: String, _ file: String) throws {
    let times = "touch -c -d @\(DirectoryStorage.completeTime)"
    let after = self == .oneTime ? "" : "; \(times) $file; \(times) $folder"
    let outcome = try Host.shell("file=\(file); folder=$(dirname $file); \(script)\(after)", in: "/")
    #expect(outcome.status == 0, "\(outcome)")
  }
}
