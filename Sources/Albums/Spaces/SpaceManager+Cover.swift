// Changing how much cover spaces own.

package import Crypto
internal import Index
internal import Logging
internal import Storage
internal import SystemPackage
package import Vault

extension SpaceManager {
  /// Lets the space that `password` opens store `size` bytes more in its own cover.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse`; `.noSpace`; `.readOnly` also if it owns no cover; `.damaged`; `.system`.
  package static func growSpace(
    in vault: Vault, password: Password, by size: Int64, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    let space = try openSpace(in: vault, password: password)
    if let reason = space.gate.reason { throw .readOnly(reason) }
    try space.cover.growCover(by: size, control)
    try space.close()
  }

  /// Lets the space that `password` opens give up as many files of its cover as a space owns that can store `size` bytes.
  /// Files of nobody take their place, so the number of the vault's files stays. With 0 it only completes what a crash
  /// left undone.
  ///
  /// - Parameter changeSink: makes what a file system is opened with in which data is moved.
  /// - Throws: `.tooLittleUnused`, then nothing was given up; `.handoverInterrupted`; `.noSpaceOpens`; `.spaceInUse`;
  ///   `.noSpace`; `.readOnly` also if it owns no cover; `.damaged`; `.indexFailed`; `.system`.
  package static func shrinkSpace(
    in vault: Vault, password: Password, by size: Int64, changeSink: () -> any ChangeSink,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    let space = try openOwner(in: vault, password: password, changeSink, control)
    let count = size == 0 ? 0 : vault.coverFiles(for: size)
    let random = { (count: Int) in (0..<count).map { _ in NewFile.random() } }
    // As many as the slots of a space come last.
    let last = min(2, Int(clamping: count))
    try handOver(count, of: space, in: vault, changeSink(), control) { (random($0 - last), random(last)) }
  }

  /// Creates an empty space that `password` opens and that can store `size` bytes. It gets its files from the cover of
  /// the space that `owner` opens, which is then as after `shrinkSpace`, and so are the numbers of files.
  ///
  /// - Parameter changeSink: as of `shrinkSpace`.
  /// - Throws: as `shrinkSpace`; `.passwordInUse` when the password already opens a space.
  package static func addSpace(
    to vault: Vault, within owner: Password, password: Password, cipher: CipherSuite = .fastest(), cover size: Int64,
    changeSink: () -> any ChangeSink, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    // A derivation takes long. Nothing is to show how long it took from the opening of the owner to the first file.
    let slots = try vault.slotKeys(for: password)
    try checkUnused(slots, in: vault)
    let ownerSpace = try openOwner(in: vault, password: owner, changeSink, control)
    let count = vault.coverFiles(for: size)
    // Nothing of that is written before there is room.
    try requireUnused(count, in: ownerSpace, of: vault)
    let new = try draftSpace(of: vault, slots: slots, cipher: cipher, ownFiles: count)
    try handOver(count, of: ownerSpace, in: vault, changeSink(), control) { all in
      (new.files + (0..<all - new.files.count - new.slots.count).map { _ in NewFile.random() }, new.slots)
    }
  }

  /// Opens a space that owns cover, to give up some of it, with all of it under one key.
  private static func openOwner(
    in vault: Vault, password: Password, _ changeSink: () -> any ChangeSink, _ control: OperationControl
  ) throws(VaultError) -> Space {
    // No older head is kept for copies: it would state the number of before.
    let open = { () throws(VaultError) in try openSpace(in: vault, password: password, copyWindow: 0) }
    var space = try open()
    if space.isRekeying, space.gate.isOpen {
      try space.close()
      try finishRekeying(
        in: vault, slots: try vault.slotKeys(for: password), changeSink: changeSink, logger: quietLogger, control)
      space = try open()
    }
    if let reason = space.gate.reason { throw .readOnly(reason) }
    guard space.ownsCover else { throw .readOnly("it owns no cover, and takes what room the disk has") }
    return space
  }

  /// Lets a space give up `count` files of its cover, and replaces them.
  ///
  /// - Parameter replacements: gets the number of files to be replaced, at least `count`, and gives as many.
  private static func handOver(
    _ count: Int64, of space: Space, in vault: Vault, _ changeSink: any ChangeSink, _ control: OperationControl,
    replacements: (Int) -> (files: [NewFile], last: [NewFile])
  ) throws(VaultError) {
    try requireUnused(count, in: space, of: vault)
    var options = FileSystemOptions(logger: quietLogger)
    options.cleans = false
    let files = try FileSystem(space: space, options: options, changeSink: changeSink)
    do throws(VaultError) {
      // Once before, so that nothing is given up if something cannot be moved.
      try evacuateHeads(before: space.cover.openEpoch, of: files)
      try requireUnused(count, in: space, of: vault, isBegun: true)
      if control.isCancelled() { throw .cancelled }
      let forgotten = try space.cover.forgottenCover()
      let given = try space.cover.giveUpCover(Int(count))
      let old = try evacuateHeads(before: given.epoch, of: files)
      // What was retired in the first of these epochs nobody needs after the second.
      for _ in 0..<2 { try space.advanceEpoch() }
      try space.cover.overwrite(old)
      let names = given.names + forgotten
      let new = replacements(names.count)
      try vault.replace(names, by: new.files, last: new.last, control)
    } catch {
      try? files.close()
      throw error
    }
    try inVaultTerms("closing the space") { () throws(Errno) in try files.close() }
  }

  /// Copies what is needed in segments with older heads, so that they can go; gives all of these segments.
  @discardableResult
  private static func evacuateHeads(
    before limit: EpochNumber, of files: FileSystem
  ) throws(VaultError) -> [SegmentIdentifier: SegmentNumber] {
    let found = try files.space.cover.segmentsWithHeads(before: limit)
    let all = Set(found.values)
    let needed = { files.space.segments().map(\.number).filter(all.contains) }
    let before = needed()
    try inVaultTerms("copying") { () throws(Errno) in try files.cleaner.evacuate(before) }
    guard needed().isEmpty else { throw OwnCover.cannotMove }
    return found
  }

  /// - Throws: `.tooLittleUnused` when the space cannot give up so many files.
  private static func requireUnused(
    _ count: Int64, in space: Space, of vault: Vault, isBegun: Bool = false
  ) throws(VaultError) {
    let live = try VaultError.ofIndex { () throws(IndexError) in try Index(space: space).totalLiveBytes }
    let most = space.cover.coverToGiveUp(
      live: live + Int64(space.databasePageCount) * Int64(Space.databasePageSize), isBegun: isBegun)
    guard count <= most else { throw .tooLittleUnused(vault.usableBytes(ofCover: most)) }
  }

  /// What is damaged is thrown.
  private static var quietLogger: Logger { Logger(label: "agonyfs", factory: { _ in SwiftLogNoOpLogHandler() }) }

  /// Calls `body`, whose errors become those of the vault.
  private static func inVaultTerms(_ action: String, _ body: () throws(Errno) -> Void) throws(VaultError) {
    do throws(Errno) {
      try body()
    } catch .noSpace {
      throw .noSpace
    } catch {
      throw .system(error, action)
    }
  }
}
