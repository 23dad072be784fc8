import AlbumsSupport
import Crypto
import Library
import Storage

@testable import Albums
@testable import Vault

extension SpaceManager {
  /// Gives the space that `old` opens a new key, which `new` opens alone.
  static func replaceKey(
    in vault: Vault, old: Password, new: Password, wipingAll: Bool = false,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try KeyReplacement(in: vault, old: old, new: new).run(
      wipingAll: wipingAll, changeSink: Library.idle, logger: quietLogger, control)
  }
}

extension VaultCreationOptions {
  /// Files of 1 MiB, and passwords that cost as little to try as a vault in a directory may have.
  static func small(cover: Int64) -> VaultCreationOptions {
    var options = VaultCreationOptions()
    options.cover = cover
    options.segmentSize = 1 << 20
    (options.derivation.operations, options.derivation.memory) = (1, 8 << 20)
    return options
  }
}

extension Vault {
  /// Mounts the space that a password opens.
  func mount(
    _ password: Password, readOnly: Bool = false, copyWindow: Int64 = Space.defaultCopyWindow,
    library: Library = Library(), _ adjust: (inout FileSystemOptions) -> Void = { _ in }
  ) throws(VaultError) -> FileSystem {
    let space = try SpaceManager.openSpace(in: self, password: password, readOnly: readOnly, copyWindow: copyWindow)
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = readOnly
    adjust(&options)
    return try FileSystem(space: space, options: options, changeSink: library)
  }

  /// Calls `body` with the mounted file system of a password, and closes it.
  func use(_ password: Password, readOnly: Bool = false, _ body: (FileSystem) throws -> Void) throws {
    let files = try mount(password, readOnly: readOnly)
    try body(files)
    try files.close()
  }

  /// Makes a space that owns so many files and that a password opens, step by step; gives it open.
  func makeSpace(
    _ password: Password, ownFiles: Int64, copyWindow: Int64 = Space.defaultCopyWindow
  ) throws(VaultError) -> (space: Space, body: SlotBody) {
    let slot = try strongest(of: slotKeys(for: password))
    let made = try createSpace(suite: .aes256gcm, ownFiles: ownFiles, copyWindow: copyWindow)
    try made.space.changeOwner { $0.slots = slot.identifiers }
    try FileSystem.create(in: made.space, owner: 0, group: 0)
    try putSlot(slot, made.body)
    try made.space.cover.restoreFileCount()
    return made
  }

  /// Makes a space that owns so many files and that a password opens, all of its files at once.
  func addSpace(_ password: Password, ownFiles: Int64) throws(VaultError) {
    let made = try SpaceManager.draftSpace(of: self, password: password, ownFiles: ownFiles)
    try addFiles(made.files, last: made.slots)
  }
}
