import AlbumsSupport
import Crypto
import FaultyStorage
import FoundationEssentials
import Index
import Library
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

private let python = "/usr/bin/python3"
private let canRun = (try? Outcome(python, arguments: ["-c", "import argon2, cryptography"]).status) == 0

/// `Tests/Reader`, which was written in another language from the articles alone, reads the same as this program.
@Suite(.enabled(if: canRun, "needs the Debian packages python3-argon2 and python3-cryptography"))
struct ReaderTests {
  /// What this program shows of a space, and whether it warns that something is lost.
  struct Contents {
    var space: Fixture.Space
    var warns: Bool

    /// Throws where something of the space cannot be read, be it a page of the database that nothing asks for.
    init(of vault: Vault, _ password: String) throws {
      let space = try SpaceManager.openSpace(in: vault, password: .of(password), readOnly: true, acceptOlder: true)
      let files = try Workload.mount(space, readOnly: true)
      defer { try? files.close() }
      var page = [UInt8](repeating: 0, count: Space.databasePageSize)
      for number in 0..<space.databasePageCount {
        try unsafe page.withUnsafeMutableBytes { try unsafe space.readPage(PageNumber(rawValue: number + 1), into: $0) }
      }
      self.space = Fixture.Space(password: password, files: try Fixture.contents(of: files))
      warns = space.origin.warning != nil
    }
  }

  /// Has the other program read a space, and compares the outcome.
  ///
  /// - Parameters:
  ///   - contents: what the space holds; nil when it cannot be read as a whole.
  ///   - original: whether the directory counts as the one that was written, not as a copy.
  func compare(
    _ path: String, _ password: String, with contents: Contents?, original: Bool = false, _ comment: Comment? = nil,
    file: String = #filePath
  ) throws {
    let folder = try TemporaryFolder()
    let expected = contents?.space ?? Fixture.Space(password: password, files: [:])
    try HostFile.write(Array(try JSONEncoder().encode(expected)), to: folder.path("list.json"))
    let tests = file.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 }
    let outcome = try Outcome(
      python,
      arguments: ["-B", tests + "/Reader/read_vault.py", path, "--expect", folder.path("list.json")]
        + (original ? ["--original"] : []),
      input: password + "\n")
    if let contents {
      #expect(outcome.status == 0, "\(comment.map { "\($0): " } ?? "")\(outcome)")
      #expect(outcome.output.hasPrefix("\(expected.files.count) files, "), comment)
      #expect(outcome.errors.isEmpty == !contents.warns, "\(comment.map { "\($0): " } ?? "")\(outcome)")
    } else {
      #expect(outcome.status == 3, "\(comment.map { "\($0): " } ?? "")\(outcome)")
    }
  }

  @Test(arguments: TestLength.sample(Fixture.Kind.allCases, 2))
  func readsCommittedVaults(_ kind: Fixture.Kind) throws {
    let fixture = try Fixture(kind)
    for space in fixture.spaces {
      let contents = try Contents(of: Vault.open(in: DirectoryStorage(path: FilePath(fixture.path))), space.password)
      #expect(contents.space.files == space.files && !contents.warns)
      try compare(fixture.path, space.password, with: contents)
    }
  }

  /// Two spaces, one for each cipher, of many epochs and segments, with every kind of file and of change.
  @Test func readsNewVaults() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("vault")
    let vault = try Vault.create(in: DirectoryStorage.make(at: path), options: .small(cover: 0))
    for (suite, cipher) in CipherSuite.allCases.enumerated() {
      let password = "space \(suite), \u{fc}ber alles"
      try SpaceManager.addSpace(to: vault, password: .of(password), cipher: cipher)
      for session in 0..<3 { try write(session, to: vault, password) }
    }
    for suite in CipherSuite.allCases.indices {
      let password = "space \(suite), \u{fc}ber alles"
      let contents = try Contents(of: vault, password)
      #expect(contents.space.files.count == 1 + 3 * 46 && !contents.warns)
      try compare(path, password, with: contents)
    }
    try compare(path, "another", with: nil)
  }

  /// A space at each step of getting a new key.
  @Test func readsSpacesWhoseKeyIsReplaced() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("vault")
    let vault = try SpaceManager.createVault(
      in: DirectoryStorage.make(at: path), options: .small(cover: 40 << 20), password: .of("first"),
      hiddenPassword: .of("old"))
    try write(0, to: vault, "old")
    try SpaceManager.beginRekeying(
      in: vault, old: vault.slotKeys(for: .of("old")), new: vault.slotKeys(for: .of("new")))
    let compareNow = { (comment: Comment) in
      let contents = try Contents(of: vault, "new")
      #expect(contents.space.files.count == 1 + 46 && !contents.warns, comment)
      try self.compare(path, "new", with: contents, comment)
      try self.compare(path, "old", with: nil, comment)
    }
    try compareNow("begun")
    let files = try vault.mount(.of("new"), copyWindow: 0) { $0.cleans = false }
    try files.cleaner.clean(movesPreviousKey: true)
    try files.close()
    try compareNow("under way")
    try SpaceManager.finishRekeying(
      in: vault, slots: vault.slotKeys(for: .of("new")), changeSink: Library.idle, logger: quietLogger,
      OperationControl())
    try compareNow("ended")
  }

  /// A mount's worth of changes, all in a directory of its own.
  private func write(_ session: Int, to vault: Vault, _ password: String) throws {
    let files = try vault.mount(.of(password), copyWindow: 0)
    let folder = try files.folder("session \(session)")
    for number in 0..<40 {
      let content = pattern(1000 + number * number * 100, session * 100 + number)
      try files.put(content, files.make("f\(number)", in: folder), at: number % 3 * 5000)
    }
    let large = try files.make("large", in: folder, with: pattern(3_000_000, session))
    try files.put(pattern(10_000, 99), large, at: 123_456)
    _ = try files.copyRange(from: large, at: .zero, to: large, at: FileOffset(5 << 20), length: 70_001)
    try files.resize(large, 5_300_000)
    try files.allocate(large, mode: [.punchHole, .keepSize], offset: FileOffset(1_000_001), length: 50_000)
    try files.allocate(large, mode: [], offset: FileOffset(6 << 20), length: 100_000)
    _ = try files.link(large, named: .of("again"), in: .root)
    _ = try files.unlink(.of("f7"), in: folder)
    _ = try files.makeSymbolicLink(target: Array("../f\u{fc}r".utf8), named: .of("link"), in: folder, caller: caller)
    for (name, kind) in [("pipe", FileKind.fifo), ("socket", FileKind.socket), ("disk", FileKind.blockDevice)] {
      _ = try files.makeNode(.of(name), in: folder, mode: kind | 0o640, device: 0x812, caller: caller)
    }
    let odd = try #require(FileName([0xFF, 0x0A, 0x25, 0x20]))
    _ = try files.makeDirectory(odd, in: folder, mode: 0o2750, caller: caller)
    try files.setAttribute("user.a", of: large, to: [1, 2])
    try files.setAttribute("system.posix_acl_access", of: large, to: AccessControlListTests.extended)
    try files.setAttribute("system.posix_acl_default", of: folder, to: AccessControlListTests.minimal)
    try files.synchronize()
    try files.cleaner.clean()
    _ = try files.unlink(.of("again"), in: .root)
    try files.close()
  }

  /// What power cuts leave, some of it damaged, as the original and as a copy: both find the same newest state, and
  /// both or neither say that something is lost.
  @Test func readsWhatPowerCutsLeave() throws {
    var cases = CaseCount("spaces after power cuts, read by another program")
    var losses = CaseCount("of them that cannot be read, or with a warning")
    for seed in TestLength.seeds(6, few: 1) {
      let storage = FaultyStorage()
      storage.record()
      let work = try Workload(storage: storage, seed: seed, ownFiles: Workload.ownFiles(56, seed: seed))
      try work.run(8)
      let (older, olderFrom) = (storage.copy(), storage.operationCount)
      try work.run(16)
      work.abandon()
      if work.ownFiles > 0 { #expect(storage.deletionCount > 0) }
      var generator = SeededGenerator(seed: seed)
      let player = TapePlayer(storage.recording)
      // Not while the space is made.
      let first = work.ownFiles == 0 ? 40 : work.opens[0].from
      let operations = (0..<TestLength.count(16, few: 8)).map { _ in
        Int.random(in: first...storage.operationCount, using: &generator)
      }.sorted()
      for (number, operation) in operations.enumerated() {
        player.wind(to: operation)
        let left = player.cut(number % 4 == 3 ? .keepsAll : .mixed(seed: UInt64(operation)), seed: seed)
        let original = number % 4 != 1
        var comment = "seed \(seed), operation \(operation)\(original ? "" : ", copied")"
        if number % 4 == 2 {
          let damage = try #require(Damage.allCases.randomElement(using: &generator))
          // Nothing comes back that is not there yet.
          let past = operation > olderFrom ? older : FaultyStorage()
          comment += ": \(damage.apply(to: left, past, &generator) ?? "no damage")"
        } else if number % 8 == 5, let name = left.names.suffix(6).randomElement(using: &generator) {
          try left.delete(name)
          comment += ": without \(name)"
        } else if number % 4 == 3, let name = left.names.suffix(2).randomElement(using: &generator) {
          // What was written last, of which nothing has to be left.
          let count = left.content(name).count
          let place = Int.random(in: max(0, count - 8000)..<count, using: &generator)
          left.flip(name, at: place)
          comment += ": byte \(place) of \(name)"
        }
        let folder = try self.folder(of: left, work.vault.parameters)
        let directory = try DirectoryStorage(path: FilePath(folder.path))
        let vault = Vault(storage: original ? left : directory, parameters: work.vault.parameters)
        for password in ["password 1", "password 2"] {
          guard (try? vault.openSlot(vault.slotKeys(for: .of(password)))) != nil else { continue }
          let contents = try? Contents(of: vault, password)
          if contents != nil { cases.add() }
          if contents?.warns != false { losses.add() }
          try compare(folder.path, password, with: contents, original: original, Comment(rawValue: comment))
        }
      }
    }
    #expect(cases.count > (TestLength.isWhole ? 60 : 3) && (losses.count > 0 || !TestLength.isWhole))
  }

  /// A directory with the files of a storage, and the parameters that a vault has.
  func folder(of storage: FaultyStorage, _ parameters: VaultParameters) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try DirectoryStorage.make(at: folder.path).replaceParameters(with: parameters.json)
    for name in storage.names { try HostFile.write(storage.content(name), to: folder.path("segments/" + name.path)) }
    return folder
  }
}
