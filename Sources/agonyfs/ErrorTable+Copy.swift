internal import ObjectStore
internal import Storage
internal import System
internal import SystemPackage
internal import Vault
internal import VaultCopy

extension CommandFailure {
  /// Describes an error of copying a vault.
  init(_ error: CopyError) {
    switch error {
    case .store(let reason, let address):
      let goesOn = " What was copied stays, and the same command continues from there."
      self.init(
        CommandStatus(rawValue: reason.exitStatus) ?? .failure,
        reason.sentence(for: address) + (reason.isTemporary || reason == .quota ? goesOn : ""))
    case .directory(let reason, let path): self.init(reason, vault: path)
    case .system(.noSpace, _, let path), .system(.diskQuotaExceeded, _, let path):
      self.init(
        .noRoom,
        "The disk that holds \(path) is full. What was copied stays; make room there, and the same command continues.")
    case .system(let reason, let action, let path): self.init(VaultError.system(reason, action), vault: path)
    case .vault(let reason, let place):
      if place.hasPrefix("s3://") {
        self.init(
          .noVault,
          "The object \(VaultParameters.fileName) in \(place) is not that of a vault that this agonyfs knows; restore it "
            + "from another copy, or update agonyfs.")
      } else {
        self.init(reason, vault: FilePath(place))
      }
    case .noVault(let place): self.init(.noVault, "There is no vault at \(place); check the path.")
    case .unfinished(let place):
      self.init(.noVault, "There is an incomplete copy at \(place); copy the vault to it once more first.")
    case .otherVault(let place):
      self.init(
        .vaultExists,
        "\(place) has another vault, or an incomplete copy of one; nothing was changed. Choose another place.")
    case .notEmpty(let place):
      self.init(
        .vaultExists, "\(place) is not empty and has no vault; nothing was changed. Choose an empty or a new place.")
    case .inUse(let place):
      self.init(
        .spaceInUse,
        "The vault at \(place) is in use; unmount what is mounted of it, or wait until the other command ends.")
    case .sourceReplaced(let place):
      self.init(
        .failure, "The vault at \(place) was removed or replaced during the copy, so the copy is incomplete.")
    case .newerThere(let place):
      self.init(
        .failure,
        "\(place) has a newer state of this vault; nothing was changed. Copy in the other direction, or to a new place."
      )
    case .olderSource(let place, let count):
      self.init(
        .failure,
        "The vault at \(place) may be an older copy: it lacks \(count.counted("file")) that the bucket has, and has no "
          + "record of the bucket's last sync; nothing was changed. Sync the newest copy; if it is this one, run once "
          + "with --delete-newer.")
    case .incompleteSource(let place, let count):
      self.init(
        .failure,
        "\(place) lacks folders in which the bucket has \(count.counted("file")), as if it were damaged or not restored "
          + "as a whole; nothing was changed. Restore it first; if it is right, run once with --delete-newer.")
    case .divergent(let place, let count):
      self.init(
        .failure,
        "\(place) may have changes that this vault lacks: it has other bytes in \(count.counted("file")), and the vault "
          + "has no record of the bucket's last sync; nothing was changed. Sync the newest copy; if it is this one, run "
          + "once with --delete-newer.")
    case .readOnlySource(let place):
      self.init(
        .failure,
        "sync writes the file \(StorageNames.synced) in \(place), which this user may not write to; nothing was changed. "
          + "Permit that, or use agonyfs copy.")
    case .notKept(let place):
      self.init(
        .damage, "\(place) does not return the bytes that were written to it; do not rely on this copy.")
    case .cancelled:
      self.init(.failure, "The copy was interrupted; the same command continues from there.")
    }
  }
}
