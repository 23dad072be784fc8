import AlbumsSupport
import Crypto
import FaultyStorage
import Index
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Library
@testable import Vault

/// A space gets a new key: nothing is left under the old one, and nothing is lost on the way.
@Suite struct RekeyingTests {
  static let old = "the old password"
  static let other = "another password"
  static let new = "the new password"
  static let count = 56

  private let parameters = VaultParameters.cheap

  func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: parameters) }

  private func content(_ number: Int) -> [UInt8] { pattern(150_000 + number * 7000, number) }

  /// A vault with one space, with or without cover of its own, two passwords and some files, some of them deleted again.
  func filled(ownFiles: Int64) throws -> FaultyStorage {
    let storage = FaultyStorage()
    storage.record()
    let vault = vault(over: storage)
    try vault.makeSpace(.of(Self.old), ownFiles: ownFiles, copyWindow: 0).space.close()
    try SpaceManager.addPassword(in: vault, existing: .of(Self.old), new: .of(Self.other))
    let files = try open(vault, Self.old)
    for number in 0..<24 {
      try files.put(content(number), files.make("f\(number)"))
      if number % 3 == 0 { try files.synchronize() }
    }
    for number in stride(from: 1, to: 24, by: 4) { try files.unlink(.of("f\(number)"), in: .root) }
    try files.close()
    return storage
  }

  func open(_ vault: Vault, _ password: String, readOnly: Bool = false) throws(VaultError) -> FileSystem {
    try vault.mount(.of(password), readOnly: readOnly, copyWindow: 0) {
      $0.cleans = false
      $0.writers = 0
    }
  }

  /// Opens the space, writes a small file, and closes it.
  func writeLater(_ vault: Vault, _ password: String = Self.new) throws {
    let files = try open(vault, password)
    try files.put([1, 2, 3], files.make("later"))
    try files.close()
  }

  /// Opens the space, expects that file, and closes it.
  func expectLater(_ vault: Vault, _ password: String = Self.new, _ comment: Comment? = nil) throws {
    let files = try open(vault, password)
    #expect(try files.get(files.find("later").inode) == [1, 2, 3], comment)
    try files.close()
  }

  /// Whether a password opens the space, with everything in it. Nothing is written.
  private func opens(_ password: String, _ vault: Vault, _ comment: Comment? = nil) throws -> Bool {
    let files: FileSystem
    do throws(VaultError) {
      files = try open(vault, password, readOnly: true)
    } catch {
      #expect([VaultError.noSpaceOpens, .passwordReplaced].contains(error), comment)
      return false
    }
    #expect(files.space.origin.warning == nil, comment)
    for number in 0..<24 where number % 4 != 1 {
      let found = try files.get(files.find("f\(number)").inode)
      #expect(isSame(found, content(number)), comment)
    }
    try files.close()
    return true
  }

  func opening(_ vault: Vault, _ comment: Comment? = nil) throws -> [String] {
    try [Self.old, Self.other, Self.new].filter { try opens($0, vault, comment) }
  }

  func replaceKey(
    in vault: Vault, from old: String = Self.old, to new: String = Self.new,
    _ control: OperationControl = OperationControl()
  ) throws {
    try SpaceManager.replaceKey(in: vault, old: .of(old), new: .of(new), control)
  }

  /// The names of all files that a key leads to.
  private func explained(_ body: SlotBody, in storage: FaultyStorage) throws -> Set<SegmentIdentifier> {
    let context = Vault(storage: storage, parameters: parameters).context(of: body, copyWindow: 0)
    var names = Set(
      try Recovery(context: context).allSegments().map { context.keys.identifier($0.number, branch: $0.branch) })
    let state = try? vault(over: storage).openSpace(body, observing: true).owner
    for range in state?.cover ?? [] {
      for counter in 0..<range.end {
        names.insert(context.keys.coverIdentifier(CoverFile(branch: range.branch, counter: counter)))
      }
    }
    return names.intersection(storage.names)
  }

  @Test(arguments: [0, Int64(count)]) func nothingIsLeftUnderTheOldKey(_ ownFiles: Int64) throws {
    let storage = try filled(ownFiles: ownFiles)
    let vault = vault(over: storage)
    let before = try vault.openSlot(vault.slotKeys(for: .of(Self.old))).body
    let files = try open(vault, Self.old)
    let hash = try files.thumbnailer.contentHash(of: files.find("f2").inode)
    try files.close()
    let names = Set(storage.names)
    #expect(try explained(before, in: storage).count > 5)
    let count = storage.names.count
    try replaceKey(in: vault)
    if ownFiles > 0 { #expect(storage.names.count == count) }

    #expect(try opening(vault) == [Self.new])
    #expect(names.intersection(storage.names) == [])
    if ownFiles > 0 { #expect(storage.names.count == Self.count) }
    let after = try vault.openSlot(vault.slotKeys(for: .of(Self.new)))
    #expect(after.body.rekeying?.previousKey == nil && after.damaged == [] && after.missing == [])
    #expect(!after.body.spaceKey.equals(before.spaceKey))
    #expect(try explained(before, in: storage) == [])
    let rest = Set(storage.names).subtracting(try explained(after.body, in: storage))
    #expect(rest == Set(after.key.identifiers), "the new key and the password lead to all files")
    let report = try SpaceManager.check(in: vault, password: .of(Self.new), readData: true)
    #expect(report.problems == [] && report.notes == [])

    let again = try open(vault, Self.new)
    #expect(try again.thumbnailer.contentHash(of: again.find("f2").inode) == hash)
    try again.close()
    try writeLater(vault)
    try SpaceManager.addPassword(in: vault, existing: .of(Self.new), new: .of(Self.other))
    #expect(try opening(vault) == [Self.other, Self.new])
    if ownFiles > 0 { #expect(storage.names.count == Self.count) }
    // And once more.
    try replaceKey(in: vault, from: Self.new, to: Self.old)
    #expect(try opening(vault) == [Self.old])
    try SpaceManager.removeSpace(from: vault, password: .of(Self.old))
    #expect(storage.names.count == Int(ownFiles))
  }

  /// The attack that re-keying ends: whoever knew a password and kept its slot reads what is written later.
  @Test func anOldSlotThatIsPutBackOpensNothing() throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    let slot = try vault.openSlot(vault.slotKeys(for: .of(Self.old)))
    let kept = slot.key.identifiers.map { ($0, storage.content($0)) }
    // Without it, the old slot does.
    let plain = storage.copy()
    let changed = Vault(storage: plain, parameters: parameters)
    try SpaceManager.changePassword(in: changed, old: .of(Self.old), new: .of(Self.new))
    for (name, content) in kept { plain.place(content, as: name) }
    #expect(try opens(Self.old, changed))

    try replaceKey(in: vault)
    for (name, content) in kept { storage.place(content, as: name) }
    #expect(throws: VaultError.damaged("the head of this password's space is missing")) {
      try SpaceManager.openSpace(in: vault, password: .of(Self.old))
    }
    // The rest of an old copy shows what was there then, and nothing that was written since.
    try writeLater(vault)
    let copy = try filled(ownFiles: Int64(Self.count))
    for name in copy.names { storage.place(copy.content(name), as: name) }
    let older = try open(vault, Self.old, readOnly: true)
    #expect(throws: (any Error).self) { try older.find("later") }
    try older.close()
  }

  /// Whoever knows the old password, kept files and can write the vault puts back what was there before the new key. What
  /// is written from then on is under the new key all the same.
  @Test(arguments: [false, true]) func nobodyGoesOnUnderTheOldKey(_ isEnded: Bool) throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    let slot = try vault.openSlot(vault.slotKeys(for: .of(Self.old)))
    let kept = storage.names.map { ($0, storage.content($0)) }
    let new = try vault.slotKeys(for: .of(Self.new))
    try SpaceManager.beginRekeying(in: vault, old: vault.slotKeys(for: .of(Self.old)), new: new)
    let slots = new.flatMap(\.identifiers).filter(storage.names.contains)
    let both = slots.map { ($0, storage.content($0)) }
    #expect(both.count == 2)
    if isEnded {
      try SpaceManager.finishRekeying(
        in: vault, slots: new, changeSink: Library.idle, logger: quietLogger, OperationControl())
    } else {
      let files = try open(vault, Self.new)
      try files.cleaner.clean(movesPreviousKey: true)
      try files.close()
    }
    for name in storage.names { storage.tamper(name) { _ in nil } }
    for (name, content) in kept + both { storage.place(content, as: name) }

    try writeLater(vault)
    #expect(try vault.openSlot(new).body.spaceKey.equals(slot.body.spaceKey) == false)
    for (name, content) in kept { storage.place(content, as: name) }
    do throws(VaultError) {
      let space = try vault.openSpace(slot.body, readOnly: true)
      let old = try Workload.mount(space, readOnly: true)
      #expect(throws: (any Error).self) { try old.find("later") }
    } catch {
      #expect([VaultError.passwordReplaced].contains(error) || error == .damaged("no head of the space can be read"))
    }
    try expectLater(vault)
  }

  /// A crash after the first step: both passwords open the space, and the same command goes on.
  @Test func theSameCommandGoesOn() throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    let (old, new) = (try vault.slotKeys(for: .of(Self.old)), try vault.slotKeys(for: .of(Self.new)))
    let space = try vault.openSpace(vault.openSlot(old).body, copyWindow: 0)
    let successor = try space.keyChange.drawSuccessor()
    try SpaceManager.put(try vault.strongest(of: new), holding: successor, of: space, in: vault)
    try space.close()
    #expect(try opening(vault) == [Self.old, Self.other, Self.new])
    // Under the old key the log may pass the boundary meanwhile.
    for _ in 0..<3 {
      let files = try open(vault, Self.old)
      try files.put([4], files.make("under the old key"))
      try files.cleaner.beginEpochs(30)
      try files.unlink(.of("under the old key"), in: .root)
      try files.close()
    }
    #expect(storage.names.count == Self.count)
    let report = try SpaceManager.check(in: vault, passwords: [.of(Self.old), .of(Self.new)], readData: true)
    #expect(report.isClean)
    try replaceKey(in: vault)
    #expect(try opening(vault) == [Self.new])
    #expect(storage.names.count == Self.count)
    #expect(try SpaceManager.check(in: vault, password: .of(Self.new), readData: true).problems == [])
  }

  /// - Parameter left: bytes that are left on the disk: none, or too few for a file that can be created.
  @Test(arguments: [0, 300_000]) func aFullSpaceGetsANewKeyToo(left: Int) throws {
    let storage = try filled(ownFiles: 80)
    let vault = vault(over: storage)
    let files = try open(vault, Self.old)
    var number = 0
    var rounds = Rounds(until: "there is no room")
    while true {
      try rounds.begin()
      do {
        try files.make("more\(number)", with: pattern(500_000, number))
        try files.synchronize()
      } catch {
        break
      }
      number += 1
    }
    #expect(number > 5)
    try files.close()
    storage.fill(leaving: left)
    try replaceKey(in: vault)
    #expect(try opening(vault) == [Self.new])
    #expect(storage.names.count == 80)
    let after = try open(vault, Self.new, readOnly: true)
    for number in 0..<number - 1 {
      #expect(isSame(try after.get(after.find("more\(number)").inode), pattern(500_000, number)))
    }
    try after.close()
  }

  /// What cannot be read stays under the old key, is said, and keeps nothing else from being moved or cleaned away.
  @Test func damageIsSaidAndTheRestIsMoved() throws {
    let storage = try filled(ownFiles: 0)
    let vault = vault(over: storage)
    let files = try open(vault, Self.old)
    let inode = try files.find("f2").inode
    let position = try files.locked { try $0.index.firstExtent(of: inode).position }
    let name = try files.space.name(of: position.segment)
    try files.close()
    storage.flip(name, at: position.offset + RecordHeader.sealedSize + 100)
    #expect(throws: VaultError.self) { try replaceKey(in: vault) }
    let after = try open(vault, Self.new)
    let old = after.space.segments().filter { after.space.isUnderPreviousKey($0.number) }
    #expect(old.map(\.number) == [position.segment])
    #expect(isSame(try after.get(after.find("f3").inode), content(3)))
    try after.delete("f2")
    try after.close()
    try replaceKey(in: vault)
    #expect(try vault.openSlot(vault.slotKeys(for: .of(Self.new))).body.rekeying?.previousKey == nil)
  }

  @Test func oneThatIsInterruptedGoesOn() throws {
    let storage = try filled(ownFiles: 0)
    let vault = vault(over: storage)
    #expect(throws: VaultError.cancelled) {
      try replaceKey(in: vault, OperationControl(isCancelled: { true }))
    }
    #expect(try opening(vault) == [Self.new])
    // Nothing is done for one that is refused.
    #expect(throws: VaultError.passwordInUse) { try replaceKey(in: vault, from: Self.new) }
    // Opening deletes the slot of the old password; the same command goes on all the same.
    try open(vault, Self.new).close()
    #expect(throws: VaultError.noSpaceOpens) { try vault.openSlot(vault.slotKeys(for: .of(Self.old))) }
    #expect(throws: VaultError.cancelled) {
      try replaceKey(in: vault, OperationControl(isCancelled: { true }))
    }
    #expect(try vault.openSlot(vault.slotKeys(for: .of(Self.new))).body.isRekeying)
    // The next one ends the first before it begins.
    try replaceKey(in: vault, from: Self.new, to: Self.other)
    #expect(try opening(vault) == [Self.other])
  }
}
