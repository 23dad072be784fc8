// Creating, opening, removing, checking and repairing spaces.
//
// Invariants
// 1. A new space is created in memory. Its files are durable before the slot that opens it. So a slot without a space
//    is damage, never an empty space.
// 2. The names of a space's slot files are recorded in the space before the files exist, durably. So removing the space
//    removes all of them.
// 3. A password that opens nothing takes the same work and gives the same error, no matter what else the vault
//    contains.

package import Crypto
internal import Glibc
internal import Index
package import Storage
package import Vault

/// The spaces of a vault, by their passwords.
package enum SpaceManager {
  /// Creates a vault with a first space and, if there is a password for it, a hidden space that owns the vault's cover.
  ///
  /// - Throws: as `Vault.create`; `.passwordInUse` when both passwords are the same.
  @discardableResult
  package static func createVault(
    in storage: any Storage, options: VaultCreationOptions, password: Password, hiddenPassword: Password? = nil,
    cipher: CipherSuite = .fastest(), _ control: OperationControl = OperationControl()
  ) throws(VaultError) -> Vault {
    var options = options
    options.hasHiddenSpace = hiddenPassword != nil
    return try Vault.create(in: storage, options: options, control) { vault, ownFiles throws(VaultError) in
      let draft = DraftStorage()
      let first = try draftSpace(of: vault, password: password, cipher: cipher, in: draft)
      // The time from the births of the folders to those of the files shows how many keys were derived. So a second key
      // is always derived.
      let hidden = try draftSpace(
        of: vault, password: hiddenPassword ?? .random(), cipher: cipher, ownFiles: ownFiles, in: draft)
      return first.files + first.slots + (hiddenPassword == nil ? [] : hidden.files + hidden.slots)
    }
  }

  /// Creates an empty space that `password` opens, with the faster cipher on this machine unless another is requested.
  /// With `cover` the space can store `cover` bytes, all in its own cover, and a random number of other files is added.
  /// Its root directory belongs to the user of the process.
  ///
  /// - Throws: `.passwordInUse` when the password already opens a space; `.damaged`; `.noSpace`; `.readOnly`;
  ///   `.indexFailed`; `.system`.
  package static func addSpace(
    to vault: Vault, password: Password, cipher: CipherSuite = .fastest(), cover: Int64 = 0,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let count = cover == 0 ? (own: 0, random: 0) : try vault.coverCount(for: cover)
    let lease = try vault.leaseToAddSpace()
    defer { withExtendedLifetime(lease) {} }
    let space = try draftSpace(of: vault, password: password, cipher: cipher, ownFiles: count.own)
    let random = (0..<count.random).map { _ in NewFile.random() }
    try vault.addFiles(space.files + random, last: space.slots, control)
  }

  /// Creates the files of a new, empty space in memory.
  ///
  /// - Parameters:
  ///   - ownFiles: the number of its files, cover included; 0 if it owns no cover.
  /// - storage: the storage for the new space. A password that already opens a space in it is refused as well.
  /// - Throws: `.passwordInUse` when the password already opens a space; `.indexFailed`; `.system`.
  package static func draftSpace(
    of vault: Vault, password: Password, cipher: CipherSuite = .fastest(), ownFiles: Int64 = 0,
    in storage: DraftStorage = DraftStorage()
  ) throws(VaultError) -> (files: [NewFile], slots: [NewFile]) {
    try draftSpace(
      of: vault, slots: try vault.slotKeys(for: password), cipher: cipher, ownFiles: ownFiles, in: storage)
  }

  /// Creates the files of a new, empty space in memory, for the slots of a password.
  static func draftSpace(
    of vault: Vault, slots: [SlotKey], cipher: CipherSuite, ownFiles: Int64,
    in storage: DraftStorage = DraftStorage()
  ) throws(VaultError) -> (files: [NewFile], slots: [NewFile]) {
    let draft = vault.draft(in: storage)
    try checkUnused(slots, in: vault)
    try checkUnused(slots, in: draft)
    let slot = try vault.strongest(of: slots)
    let (space, body) = try draft.createSpace(suite: cipher, ownFiles: ownFiles)
    try space.changeOwner { owner in
      owner.slots = slot.identifiers
      owner.derivations = vault.derivations
    }
    try FileSystem.create(in: space, owner: geteuid(), group: getegid())
    try space.close()
    try draft.putSlot(slot, body)
    let contents = storage.contents
    let segments = space.segmentIdentifiers().filter { contents[$0] != nil }
    let file = { (name: SegmentIdentifier) in NewFile(name, content: contents[name] ?? []) }
    let cover = ownFiles == 0 ? [] : space.cover.missingCover(besides: segments.count + slot.identifiers.count)
    return (segments.map(file) + cover, slot.identifiers.map(file))
  }

  /// Opens the space of a password.
  ///
  /// - Parameters:
  ///   - readOnly: opens it read-only; other read-only users may have it open at the same time.
  ///   - acceptOlder: allows writing to an older state if the newest cannot be reached.
  ///   - copyWindow: the longest time, in seconds, that a copy of the vault may take and still be complete.
  /// - Throws: `.noSpaceOpens`, `.spaceInUse`, `.damaged`, `.system`.
  package static func openSpace(
    in vault: Vault, password: Password, readOnly: Bool = false, observing: Bool = false, acceptOlder: Bool = false,
    copyWindow: Int64 = Space.defaultCopyWindow
  ) throws(VaultError) -> Space {
    try openSpace(
      in: vault, slots: try vault.slotKeys(for: password), readOnly: readOnly, observing: observing,
      acceptOlder: acceptOlder, copyWindow: copyWindow)
  }

  /// Opens the space of a password's slots, whose keys are derived once for several attempts.
  ///
  /// - Parameter wipingPrevious: as `Vault.openSpace`.
  package static func openSpace(
    in vault: Vault, slots: [SlotKey], readOnly: Bool = false, observing: Bool = false, acceptOlder: Bool = false,
    copyWindow: Int64 = Space.defaultCopyWindow, wipingPrevious: Bool = false
  ) throws(VaultError) -> Space {
    var slot = try vault.openSlot(slots)
    if !readOnly, !observing { slot = try beginAgain(slot, in: vault, acceptOlder: acceptOlder) }
    let space = try vault.openSpace(
      slot.body, readOnly: readOnly, observing: observing, acceptOlder: acceptOlder, copyWindow: copyWindow,
      wipingPrevious: wipingPrevious)
    if space.gate.isOpen {
      tidySlots(slot, of: space, in: vault)
      KnownDerivations(of: space, in: vault).record(in: space)
    }
    return space
  }

  /// Repairs the slots of a space after a crash, the loss of a file or the use of an older agonyfs: the slot that
  /// opened the space is recorded and whole, and those that were being removed are deleted. The space opens even
  /// without this, so after a failure, as on a full disk, the next opening tries again.
  private static func tidySlots(_ slot: OpenedSlot, of space: Space, in vault: Vault) {
    let removed = SlotRecords.removed(from: space).subtracting(slot.key.identifiers)
    do throws(VaultError) {
      // A slot written before the key was replaced may still hold the previous key.
      let isOutdated =
        !space.keyChange.isKeyChangePending(in: slot.body)
        && (!slot.body.equals(space.body) || space.isRekeyed && !slot.damaged.isEmpty)
      if isOutdated { try vault.rewriteSlot(slot, with: space.body, of: space) }
      if !slot.missing.isEmpty || space.owner != nil { try SlotRecords.change(of: space, adding: slot.key.identifiers) }
      let isWhole = slot.missing.isEmpty && (slot.short.isEmpty || space.origin.isCopy)
      if isWhole, removed.isEmpty, !isOutdated { return }
      if !isOutdated { try vault.restoreSlot(slot, replacingDamaged: false, of: space) }
      if !removed.isEmpty {
        try vault.dropSlotFiles(removed, of: space)
        try SlotRecords.change(of: space, takingAway: removed)
      }
      try space.cover.restoreFileCount()
    } catch {
      return
    }
  }

  /// Deletes the space that `password` opens: its slots first, then its files, and no other file. Slots and heads are
  /// overwritten first, or all files with `wipingAll`. Files of a space that owns cover stay, as cover that no space
  /// owns.
  ///
  /// - Parameter isWanted: called when the space is locked, with information about its content (nil if that cannot be
  ///   read); false leaves the space as it is. Without this parameter the content is not read.
  /// - Throws: `.noSpaceOpens`; `.spaceInUse`; `.system`.
  package static func removeSpace(
    from vault: Vault, password: Password, wipingAll: Bool = false, isWanted: ((SpaceInformation?) -> Bool)? = nil
  ) throws(VaultError) {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let slot = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try vault.openSpace(slot.body, acceptOlder: true)
    if let isWanted, !isWanted(try? figures(of: space, slot.body.suite)) { return }
    // A damaged index must not prevent the removal of the space. The slot that was used is known anyway.
    let own = Set(slot.key.identifiers)
    for identifiers in [SlotRecords.names(of: space).subtracting(own), own] {
      try vault.deleteSlotFiles(identifiers, keepingNumber: space.ownsCover)
    }
    try vault.deleteSegments(of: space, wipingAll: wipingAll)
  }

  /// Figures of the space that a password opens; works while it is mounted, and changes nothing.
  ///
  /// - Parameter write: asks the process that holds the space to flush; returns whether it did.
  /// - Throws: `.noSpaceOpens`, `.damaged`, `.indexFailed`, `.system`.
  package static func information(
    in vault: Vault, password: Password, write: (Space) -> Bool = { _ in false }
  ) throws(VaultError) -> SpaceInformation {
    let body = try vault.openSlot(try vault.slotKeys(for: password)).body
    var space = try vault.openSpace(body, observing: true)
    if write(space) { space = try vault.openSpace(body, observing: true) }
    return try figures(of: space, body.suite)
  }

  private static func figures(of space: Space, _ suite: CipherSuite) throws(VaultError) -> SpaceInformation {
    try VaultError.ofIndex { () throws(IndexError) in
      let index = try Index(space: space)
      let media = try index.media.mediaCounts()
      let deleted = try deletedSegments(of: space, index)
      return SpaceInformation(
        cipher: suite.name, files: try index.inodeCount - index.media.derivativeCount(), thumbnails: media.known,
        thumbnailsPending: media.pending, thumbnailsFailed: media.failed, dataBytes: index.totalLiveBytes,
        storedBytes: space.capacity().usedBytes,
        indexBytes: Int64(space.databasePageCount) * Int64(Space.databasePageSize),
        deletedBytes: Int64(deleted.all) * Int64(space.segmentBytes),
        deletedUntil: deleted.all > 0 && deleted.unknown == 0 ? space.retiredUntil : nil,
        homeZone: try index.homeZone(), passwords: passwords(of: space))
    }
  }

  /// Freeing room writes two heads, each into a separate segment. Gaining no more than another two segments is not
  /// worth it.
  private static let heads = 2

  /// The segments that freeing room gains, because only copies in progress need them, and of these, the segments that
  /// no head states yet. None if it is not worth it.
  private static func deletedSegments(
    of space: Space, _ index: borrowing Index
  ) throws(IndexError) -> (all: Int, unknown: Int) {
    if space.ownsCover { return (0, 0) }
    var unknown = 0
    let last = space.lastSegment
    for segment in space.segments() where !segment.isOpen && segment.number != last && segment.databasePages == 0 {
      if try index.liveBytes(in: segment.number) == 0 { unknown += 1 }
    }
    let gain = space.segmentsFreedByTwoEpochs + unknown - heads
    return gain <= heads ? (0, 0) : (gain, unknown)
  }

  /// How many passwords and keys open a space.
  static func passwords(of space: Space) -> Int {
    // A space from before each password had two slot files may have one.
    (SlotRecords.names(of: space).subtracting(SlotRecords.removed(from: space)).count + 1) / 2
  }

  /// Checks everything, including every byte, and plans a repair. Changes nothing. The space is locked as long as the
  /// result exists.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse`; `.readOnly` when the vault cannot be written; `.damaged` when no state
  ///   of the space is found; `.system`.
  package static func planRepair(in vault: Vault, password: Password) throws(VaultError) -> Repair {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let slot = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try openToWrite(slot.body, in: vault, acceptOlder: true, scanning: true)
    return Repair(of: space, in: vault, body: slot.body, slot: slot)
  }
}

/// Figures of one space. The names of its fields are those of `agonyfs info --json` and never change.
package struct SpaceInformation: Sendable, Encodable {
  /// Name of the cipher.
  package var cipher: String
  /// Files, directories and all other inodes, except thumbnails.
  package var files: Int64
  /// Photos and videos with thumbnails.
  package var thumbnails: Int64
  /// Files that are not examined yet.
  package var thumbnailsPending: Int64
  /// Photos and videos of which no thumbnail can be made.
  package var thumbnailsFailed: Int64
  /// Bytes of file data that are in use.
  package var dataBytes: Int64
  /// Bytes of the space's own files in the vault.
  package var storedBytes: Int64
  /// Bytes of its index.
  package var indexBytes: Int64
  /// Bytes of the disk that hold deleted files; 0 in a space that owns cover, which keeps the number of its files.
  package var deletedBytes: Int64
  /// The time until which they are kept for copies of the vault in progress, in seconds since 1970; nil if that is not
  /// known yet.
  package var deletedUntil: Int64?
  /// The time zone in which times are shown that are known only in UTC, by its stored name; nil if the space has none
  /// yet.
  package var homeZone: String?
  /// How many passwords open it.
  package var passwords: Int
}
