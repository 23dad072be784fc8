import Crypto
import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

@Suite struct SlotTests {
  let test = TestSpace()
  private let slots: [SlotKey]
  private let slot: SlotKey

  /// Puts a slot for "right".
  init() throws {
    slots = try test.vault.slotKeys(for: .of("right"))
    slot = try #require(slots.first)
    try test.vault.putSlot(slot, test.body)
  }

  @Test func thePasswordOpensAndOthersDoNot() throws {
    let opened = try test.vault.openSlot(slots)
    #expect(opened.body.encoded.equals(test.body.encoded))
    #expect(opened.key.identifiers == slot.identifiers && Set(slot.identifiers).count == 2)
    #expect(opened.missing.isEmpty && opened.damaged.isEmpty)
    for wrong in ["wrong", "", "right ", "Right"] {
      let keys = try test.vault.slotKeys(for: .of(wrong))
      #expect(throws: VaultError.noSpaceOpens) { try test.vault.openSlot(keys) }
    }
    #expect(throws: VaultError.passwordInUse) { try test.vault.putSlot(slot, test.body) }
    try test.vault.deleteSlotFiles(slot.identifiers)
    #expect(throws: VaultError.noSpaceOpens) { try test.vault.openSlot(slots) }
  }

  /// Also if the host carries out an operation and reports it as failed. Then the slot can be written again.
  @Test(arguments: [[], [.renameWithoutReplacing, .hardLinks]] as [Set<HostAbility>])
  func aFailureLeavesNeitherFile(_ lacking: Set<HostAbility>) throws {
    let storage = test.storage
    storage.lack(lacking)
    let new = try #require(try test.vault.slotKeys(for: .of("new")).first)
    let before = storage.names
    for operation in 1...(lacking.isEmpty ? 6 : 10) {
      for isCarriedOut in [false, true] {
        let place = storage.operationCount + operation
        storage.inject(isCarriedOut ? .lostReply(.ioError, at: place) : .error(.ioError, at: place))
        #expect(throws: VaultError.system(.ioError, "writing the slot")) { try test.vault.putSlot(new, test.body) }
        #expect(storage.names == before, "operation \(operation), carried out \(isCarriedOut)")
      }
    }
    try test.vault.putSlot(new, test.body)
    let opened = try test.vault.openSlot([new])
    #expect(opened.missing.isEmpty && opened.damaged.isEmpty)
  }

  /// Also in a space that has no table of its slots.
  @Test func noSlotStaysInMemory() throws {
    #expect(test.storage.evicted == Set(slot.identifiers))
    let storage = test.storage.copy()
    let opened = try test.vault(over: storage).openSlot(slots)
    #expect(storage.evicted == Set(slot.identifiers))
    let again = test.storage.copy()
    try test.vault(over: again).rewriteSlot(opened, with: test.body)
    #expect(again.evicted == Set(slot.identifiers))
  }

  /// A space that is sealed under what was typed opens as before, and a new password is sealed in its normal form.
  @Test func bothFormsOfAPasswordAreTried() throws {
    let slots = try test.vault.slotKeys(for: .of("u\u{308}ber"))
    #expect(slots.count == 2)
    let typed = try #require(slots.first)
    try test.vault.putSlot(typed, test.body)
    #expect(try test.vault.openSlot(slots).key.identifiers == typed.identifiers)
    let composed = try test.vault.slotKeys(for: .of("\u{fc}ber"))
    #expect(throws: VaultError.noSpaceOpens) { try test.vault.openSlot(composed) }
    let new = try test.vault.strongest(of: slots)
    #expect(new.identifiers == composed.first?.identifiers && composed.count == 1)
    try test.vault.deleteSlotFiles(typed.identifiers)
    try test.vault.putSlot(new, test.body)
    #expect(try test.vault.openSlot(slots).key.identifiers == new.identifiers)
    #expect(try test.vault.openSlot(composed).key.identifiers == new.identifiers)
  }

  @Test func sevenOfEightCopiesMayBeDamaged() throws {
    let (identifier, other) = (slot.identifiers[0], slot.identifiers[1])
    try test.vault.deleteSlotFiles([other])
    let whole = test.storage.content(identifier)
    #expect(whole.count == TestSpace.segmentSize)
    for survivor in 0..<8 {
      test.storage.tamper(identifier) { _ in
        var file = whole
        for copy in 0..<8 where copy != survivor { file[copy * file.count / 8 + 50] ^= 1 }
        return file
      }
      #expect(try test.vault.openSlot(slots).body.encoded.equals(test.body.encoded))
    }
    test.storage.tamper(identifier) { _ in
      var file = whole
      for copy in 0..<8 { file[copy * file.count / 8 + 167] ^= 0x80 }
      return file
    }
    #expect(throws: VaultError.noSpaceOpens) { try test.vault.openSlot(slots) }
    test.storage.tamper(identifier) { _ in Array(whole[..<100]) }
    #expect(throws: VaultError.noSpaceOpens) { try test.vault.openSlot(slots) }
    test.storage.tamper(identifier) { _ in Array(whole[..<168]) }
    #expect(try test.vault.openSlot(slots).body.encoded.equals(test.body.encoded))
  }

  @Test func eitherFileOpensAndTheOtherCanBeRestored() throws {
    let files = slot.identifiers.map { test.storage.content($0) }
    #expect(zip(files[0], files[1]).count { $0 == $1 } < files[0].count / 100)
    for (lost, left) in [(0, 1), (1, 0)] {
      try test.storage.delete(slot.identifiers[lost])
      var opened = try test.vault.openSlot(slots)
      #expect(opened.body.encoded.equals(test.body.encoded))
      #expect(opened.missing == [slot.identifiers[lost]] && opened.damaged.isEmpty)
      #expect(throws: VaultError.passwordInUse) { try test.vault.putSlot(slot, test.body) }
      #expect(try test.storage.exists(slot.identifiers[left]))
      try test.vault.restoreSlot(opened, replacingDamaged: false)
      opened = try test.vault.openSlot(slots)
      #expect(opened.missing.isEmpty && opened.damaged.isEmpty)

      let damaged = [UInt8](repeating: 7, count: files[0].count)
      test.storage.tamper(slot.identifiers[lost]) { _ in damaged }
      opened = try test.vault.openSlot(slots)
      #expect(opened.damaged == [slot.identifiers[lost]] && opened.missing.isEmpty)
      try test.vault.restoreSlot(opened, replacingDamaged: false)
      #expect(test.storage.content(slot.identifiers[lost]) == damaged)
      try test.vault.restoreSlot(opened, replacingDamaged: true)
      #expect(try test.vault.openSlot(slots).damaged.isEmpty)
    }
  }

  @Test func aSlotThatCannotBeWrittenWhollyLeavesNothing() throws {
    for name in slot.identifiers { try test.storage.delete(name) }
    try test.storage.put(slot.identifiers[1], [1, 2, 3])
    #expect(throws: VaultError.passwordInUse) { try test.vault.putSlot(slot, test.body) }
    #expect(test.storage.names == [slot.identifiers[1]])
  }

  @Test func aSlotIsBoundToItsVault() throws {
    var (another, larger) = (test.vault.parameters, test.vault.parameters)
    another.identifier[3] ^= 1
    larger.segmentSize *= 2
    for other in [another, larger] {
      let vault = Vault(storage: test.storage, parameters: other)
      let slots = try vault.slotKeys(for: .of("right"))
      // The name is the same, since password and derivation are.
      #expect(slots.first?.identifiers == slot.identifiers)
      #expect(throws: VaultError.noSpaceOpens) { try vault.openSlot(slots) }
    }
  }

  @Test func unknownFeaturesAreRefused() throws {
    var body = SlotBody(spaceKey: test.body.spaceKey, suite: .aes256gcm)
    body.incompatible = 1 << 40
    #expect(throws: VaultError.newerSpace) { try SlotBody(decoding: body.encoded) }
    body.incompatible = 0
    body.readOnlyCompatible = 2
    #expect(try !SlotBody(decoding: body.encoded).isWritable)
    body.readOnlyCompatible = 0
    body.compatible = 3
    #expect(try SlotBody(decoding: body.encoded).isWritable)
    var encoded = body.encoded.copied
    encoded[32] = 3
    #expect(throws: VaultError.newerSpace) { try SlotBody(decoding: SecretBytes(encoded)) }
  }

  @Test func aSpaceKeepsItsPageSize() throws {
    for pageSize in [4096, 8192, 16_384, 65_536] {
      let format = try #require(ExtentFormat(pageSize: pageSize))
      let body = SlotBody(spaceKey: test.body.spaceKey, suite: .aes256gcm, extents: format)
      #expect(try SlotBody(decoding: body.encoded).extents == format)
    }
    for pageSize in [0, 2048, 8191, 12_288, 131_072] {
      var encoded = test.body.encoded.copied
      encoded.replaceSubrange(36..<40, with: (0..<4).map { UInt8(pageSize >> (8 * $0) & 0xff) })
      #expect(throws: VaultError.self) { try SlotBody(decoding: SecretBytes(encoded)) }
    }
  }
}
