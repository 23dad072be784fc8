// Changes how much cover spaces own.

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

  /// Lets the space that `password` opens give up cover: the number of files of a space that can store `size` bytes.
  /// Files that no space owns take their place, so the number of the vault's files stays the same. With 0 it only
  /// completes what a crash left undone.
  ///
  /// - Parameter changeSink: creates the sink of the file system in which data is moved.
  /// - Throws: `.tooLittleUnused`, then nothing was given up; `.handoverInterrupted`; `.noSpaceOpens`; `.spaceInUse`;
  ///   `.noSpace`; `.readOnly` also if it owns no cover; `.damaged`; `.indexFailed`; `.system`.
  package static func shrinkSpace(
    in vault: Vault, password: Password, by size: Int64, changeSink: () -> any ChangeSink,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    let space = try openOwner(in: vault, password: password, changeSink, control)
    let count = size == 0 ? 0 : vault.coverFiles(for: size)
    let random = { (count: Int) in (0..<count).map { _ in NewFile.random() } }
    // Two files come last, because a space has two slot files, which are written last.
    let last = min(2, Int(clamping: count))
    try handOver(count, of: space, in: vault, changeSink(), control) { (random($0 - last), random(last)) }
  }

  /// Creates an empty space that `password` opens and that can store `size` bytes. It gets its files from the cover of
  /// the space that `owner` opens. That space and the numbers of files are then the same as after `shrinkSpace`.
  ///
  /// - Parameter changeSink: as of `shrinkSpace`.
  /// - Throws: as `shrinkSpace`; `.passwordInUse` when the password already opens a space.
  package static func addSpace(
    to vault: Vault, within owner: Password, password: Password, cipher: CipherSuite = .fastest(), cover size: Int64,
    changeSink: () -> any ChangeSink, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    // A derivation takes long. Nothing may show how long it was from the opening of the owner to the first file.
    let slots = try vault.slotKeys(for: password)
    try checkUnused(slots, in: vault)
    let ownerSpace = try openOwner(in: vault, password: owner, changeSink, control)
    let count = vault.coverFiles(for: size)
    // The draft is not written before there is room.
    try requireUnused(count, in: ownerSpace, of: vault)
    let new = try draftSpace(of: vault, slots: slots, cipher: cipher, ownFiles: count)
    try handOver(count, of: ownerSpace, in: vault, changeSink(), control) { all in
      (new.files + (0..<all - new.files.count - new.slots.count).map { _ in NewFile.random() }, new.slots)
    }
  }

  /// Opens a space that owns cover, to give up a part of it. All of the space is under one key then.
  private static func openOwner(
    in vault: Vault, password: Password, _ changeSink: () -> any ChangeSink, _ control: OperationControl
  ) throws(VaultError) -> Space {
    // Older heads are not kept for copies, because they would state the old number.
    let open = { () throws(VaultError) in try openSpace(in: vault, password: password, copyWindow: 0) }
    var space = try open()
    if space.isRekeying, space.gate.isOpen {
      try space.close()
      try finishRekeying(
        in: vault, slots: try vault.slotKeys(for: password), changeSink: changeSink, logger: quietLogger, control)
      space = try open()
    }
    if let reason = space.gate.reason { throw .readOnly(reason) }
    guard space.ownsCover else { throw .readOnly("it owns no cover, and uses the free room of the disk") }
    return space
  }

  /// Lets a space give up `count` files of its cover, and replaces them.
  ///
  /// - Parameter replacements: gets the number of files to replace, at least `count`, and returns the same number of
  ///   files.
  private static func handOver(
    _ count: Int64, of space: Space, in vault: Vault, _ changeSink: any ChangeSink, _ control: OperationControl,
    replacements: (Int) -> (files: [NewFile], last: [NewFile])
  ) throws(VaultError) {
    try requireUnused(count, in: space, of: vault)
    var options = FileSystemOptions(logger: quietLogger)
    options.cleans = false
    let files = try FileSystem(space: space, options: options, changeSink: changeSink)
    do throws(VaultError) {
      // A first time before, so that nothing is given up if something cannot be moved.
      try evacuateHeads(before: space.cover.openEpoch, of: files)
      try requireUnused(count, in: space, of: vault, isBegun: true)
      if control.isCancelled() { throw .cancelled }
      let forgotten = try space.cover.forgottenCover()
      let given = try space.cover.giveUpCover(Int(count))
      let old = try evacuateHeads(before: given.epoch, of: files)
      // Segments that were retired in the first of these epochs are no longer needed after the second.
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

  /// Copies the needed data of segments with older heads, so that they can be given up; returns all of these segments.
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

  /// - Throws: `.tooLittleUnused` when the space cannot give up `count` files.
  private static func requireUnused(
    _ count: Int64, in space: Space, of vault: Vault, isBegun: Bool = false
  ) throws(VaultError) {
    let live = try VaultError.ofIndex { () throws(IndexError) in try Index(space: space).totalLiveBytes }
    let most = space.cover.coverToGiveUp(
      live: live + Int64(space.databasePageCount) * Int64(Space.databasePageSize), isBegun: isBegun)
    guard count <= most else { throw .tooLittleUnused(vault.usableBytes(ofCover: most)) }
  }

  /// A logger without output. Damage is thrown as an error.
  private static var quietLogger: Logger { Logger(label: "agonyfs", factory: { _ in SwiftLogNoOpLogHandler() }) }

  /// Calls `body`, and converts its errors into those of the vault.
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
