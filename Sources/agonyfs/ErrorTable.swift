// This file and ErrorTable+Copy.swift alone turn the errors of the layers below into exit statuses and sentences.

internal import Albums
internal import ArgumentParser
internal import Catalog
internal import Client
internal import Mount
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

extension CommandFailure {
  /// Describes an error of the vault at `path`.
  init(_ error: VaultError, vault path: FilePath) {
    switch error {
    case .notAVault(let reason):
      self.init(.noVault, "\(path) is not a vault: \(reason). Check the path, or restore that file from a backup.")
    case .newerFormat(let format):
      self.init(
        .failure, "The vault at \(path) has format \(format), which is newer than this agonyfs; update agonyfs.")
    case .olderFormat(let format):
      self.init(
        .failure,
        "The vault at \(path) has format \(format), from before the first release; mount it with the agonyfs that made "
          + "it, and copy its files into a new vault.")
    case .newerSpace:
      self.init(.failure, "The space in \(path) was made or changed by a newer agonyfs; update agonyfs.")
    case .vaultExists:
      self.init(
        .vaultExists,
        "\(path) exists and is not an empty directory; choose another path. If it is a vault, add a space to it with: "
          + "agonyfs space add \(path)")
    case .derivationsTooWeak:
      self.init(
        .failure,
        "The key derivations in \(path)/\(VaultParameters.fileName) are too weak: a person who gets the vault could "
          + "guess a password cheaply. If you did not expect this, restore that file from a backup. Otherwise add a stronger "
          + "one with: agonyfs kdf add \(path), and open spaces with --weak-derivations to change their passwords.")
    case .noSpaceOpens:
      // The same for every password: what a vault lacks must not tell which spaces it has.
      self.init(
        .noSpaceOpens,
        "No space in \(path) opens with this password; check the password and type it again. If this is a copy that "
          + "was interrupted, copy once more first.")
    case .passwordReplaced:
      self.init(
        .noSpaceOpens,
        "This password ended when the space in \(path) got a new key; type the password that replaced it.")
    case .passwordInUse:
      self.init(
        .passwordInUse, "This password already opens a space in \(path); nothing was changed. Choose another password.")
    case .lastPassword:
      self.init(
        .failure,
        "No other undamaged password opens this space in \(path); nothing was changed. Change this password with "
          + "agonyfs password change, add another one first with agonyfs password add, or remove the space with "
          + "agonyfs space remove.")
    case .spaceInUse:
      // A lock does not say which machine holds it.
      let others = DirectoryStorage.isOnLocalHost(path) ? "" : ", here or on another machine that reaches \(path)"
      self.init(.spaceInUse, "This space is in use\(others); unmount it first, with: agonyfs unmount MOUNTPOINT")
    case .vaultInUse:
      self.init(
        .spaceInUse,
        "Another agonyfs process works on the vault at \(path); wait until it ends, or unmount the vault's spaces.")
    case .damaged(let reason):
      self.init(
        .damage,
        "Damage was found in \(path): \(reason). See what is affected with: agonyfs check \(path)")
    case .tooLittleCover:
      self.init(.usage, "There is too little cover for a hidden space; give more, such as --cover 1G.")
    case .tooLittleUnused(let most):
      let possible = most == 0 ? "any cover" : "more cover than a space for \(ByteSize(bytes: most)) needs"
      self.init(
        .noRoom,
        "The space cannot give up \(possible); nothing was changed. Cover that was ever used stays in the space, even if "
          + "the files in it were deleted, and so does the cover that its files need.")
    case .handoverInterrupted:
      self.init(
        .failure,
        "The command was interrupted after the space gave up cover, and a person with the password of the space can "
          + "still see how much. Complete the command with: agonyfs space shrink 0 \(path)")
    case .snapshotEnded:
      self.init(.failure, "The vault at \(path) no longer keeps the state of the space that was read; try again.")
    case .noSpace:
      self.init(.noRoom, "The disk that holds \(path) is full; make room there and try again.")
    case .cancelled: self.init(.failure, "The command was interrupted; it left nothing behind.")
    case .readOnly(let reason):
      self.init(.failure, "The space cannot be written: \(reason).")
    case .indexFailed(let code):
      self.init(
        .failure,
        "The index of the space in \(path) failed with SQLite's error \(code); look for damage with: "
          + "agonyfs check \(path)")
    case .system(let error, let action):
      self = Self.strayFile(error, vault: path) ?? Self(error, doing: action, of: " for the vault at \(path)")
    }
  }

  /// Describes an error that ended a check or a repair of the vault at `path`, so the advice is not to check it.
  init(ofCheck error: VaultError, vault path: FilePath) {
    switch error {
    case .damaged(let reason):
      self.init(
        .damage,
        "Damage was found in \(path): \(reason). The check could not continue; restore the vault from a backup.")
    case .indexFailed(let code):
      self.init(
        .failure,
        "The index of the space in \(path) failed with SQLite's error \(code), and the check could not continue; "
          + "restore the vault from a backup.")
    default: self.init(error, vault: path)
    }
  }

  /// Describes a refused access if a file in the vault, or a name in one of its directories, belongs to another user.
  /// Returns nil otherwise.
  private static func strayFile(_ error: Errno, vault path: FilePath) -> CommandFailure? {
    guard [Errno.permissionDenied, .notPermitted, .fileExists].contains(error),
      let file = DirectoryStorage.stray(at: path)
    else { return nil }
    let user = file.user == 0 ? "root" : "user \(file.user)"
    return CommandFailure(
      .failure,
      "\(file.path) belongs to \(user), unlike the rest of the vault. As root, correct that with: chown -R "
        + "\(file.vaultUser):\(file.vaultGroup) \(path)")
  }

  /// Describes an error of the vault's directory.
  init(_ error: DirectoryStorageError, vault path: FilePath) {
    switch error {
    case .missing:
      self.init(.noVault, "There is no vault at \(path); check the path, or make one with: agonyfs create \(path)")
    case .incomplete(let reason): self.init(VaultError.notAVault(reason), vault: path)
    case .blocked(let name):
      self.init(
        .damage,
        "\(path)/\(name) is not a directory; restore it from a backup, or remove it: the next mount makes a new one.")
    case .exists: self.init(VaultError.vaultExists, vault: path)
    case .beingCreated:
      self.init(.vaultExists, "Another agonyfs is creating a vault at \(path); wait for it, or choose another path.")
    case .parentMissing(let directory):
      self.init(.failure, "There is no directory \(directory); make it first, with: mkdir -p \(directory)")
    case .system(.noSpace, _), .system(.diskQuotaExceeded, _): self.init(VaultError.noSpace, vault: path)
    case .system(let error, let action):
      self = Self.strayFile(error, vault: path) ?? Self(error, doing: action)
    }
  }

  /// Describes an error of refreshing the vault at `path`.
  init(_ error: RefreshError, vault path: FilePath) {
    switch error {
    case .unsuitableHost:
      self.init(
        .failure,
        "The file system of \(path) cannot link files or rename directories, or the vault lies on several file systems; "
          + "nothing was changed. Copy the vault with rsync -a to a new directory, there or on ext4, XFS or btrfs, and "
          + "use that copy: all its files are new as well.")
    case .shortFiles(let count):
      self.init(
        .failure,
        "\(count.counted("file", "files")) in \(path) \(count == 1 ? "is" : "are") shorter than the others; nothing "
          + "was changed. If this is a copy that was interrupted, copy once more first. After a crash, mount what was in "
          + "use and write something there, or complete the files with: agonyfs refresh --complete \(path)")
    case .noRoom(let needed, let free):
      self.init(
        .noRoom,
        "Refreshing \(path) needs \(ByteSize(bytes: needed)) of free room, for one file at a time, and only "
          + "\(ByteSize(bytes: free)) are free. Make room there and try again.")
    case .interrupted: self.init(.failure, "The refresh was interrupted; begin again with: agonyfs refresh \(path)")
    case .changedByOthers:
      self.init(
        .failure,
        "Another program changes files in \(path); wait until it ends, and try again with: agonyfs refresh \(path)")
    case .moreReadable:
      self.init(
        .failure,
        "Other users may write in the directories of \(path), so some files there may not be the vault's, and a refresh "
          + "would let more users read them; nothing was changed. Give all files the group and the mode of agonyfs.json, "
          + "or keep other users out with: chmod go-w \(path) \(path)/segments")
    case .betweenRenames(let error, let action):
      self.init(error, doing: action, of: " in the vault at \(path)")
      message +=
        " All files are whole in \(StorageNames.refreshing), which takes the place of \(StorageNames.segments); when the "
        + "file system allows renames again, mount a space for writing, or run: agonyfs refresh \(path)"
    case .system(let error, let action):
      self = Self.strayFile(error, vault: path) ?? Self(error, doing: action, of: " in the vault at \(path)")
    }
  }

  /// Describes an error of mounting or unmounting.
  init(_ error: MountError) {
    let status: CommandStatus =
      switch error {
      case .missing, .notDirectory, .notEmpty, .mountedAlready, .deadMount, .deadMountOfOther, .mountOfOther,
        .notPermitted, .tooLong,
        .unusable, .insideVault, .holdsVault, .moved, .notMounted:
        .mountPointUnusable
      case .deviceMissing, .deviceNotAccessible, .helperMissing, .othersNotAllowed, .mountFailed, .busy,
        .mountedElsewhere, .unmountFailed, .givesNothingBack, .sessionFailed:
        .failure
      }
    self.init(status, error.description)
  }

  /// Describes a query that cannot be parsed, with a mark below the place.
  init(_ error: QueryError, in query: String) {
    let text = error.pointing(in: query.utf8)
    let end = text.firstIndex(of: "\n") ?? text.endIndex
    var message = String(text[..<end])
    if message.contains("did you mean") { message += "?" }
    // The shell took `>3` as a redirection and made a file of that name.
    if message.hasPrefix("A value is missing") { message += " (quote < and > for the shell)" }
    self.init(.usage, message + text[end...])
  }

  /// Describes why the catalog gave no answer.
  init(_ error: AnswerFailure) { self.init(error.isQuery ? .usage : .failure, error.message) }

  /// Describes a failed system call. `place` follows "failed".
  init(_ error: Errno, doing action: String, of place: String = "") {
    self.init(Self.status(of: error), "\(Self.capitalized(action)) failed\(place): \(Self.advice(error)).")
  }

  /// Describes an empty path; `subject` begins the sentence.
  static func empty(_ subject: String) -> CommandFailure {
    CommandFailure(.usage, "\(subject) is empty; a shell variable may be unset.")
  }

  /// Runs `body`; describes a system call that fails in it as a failure of `action`.
  static func doing<R>(
    _ action: @autoclosure () -> String, _ body: () throws(Errno) -> R
  ) throws(CommandFailure) -> R {
    do throws(Errno) {
      return try body()
    } catch {
      throw CommandFailure(error, doing: action())
    }
  }

  /// Describes any error of a command. Nil if the argument parser describes the error itself.
  init?(any error: any Error, vault path: FilePath) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as AnswerFailure: self.init(error)
    case let error as VaultError: self.init(error, vault: path)
    case let error as DirectoryStorageError: self.init(error, vault: path)
    case let error as RefreshError: self.init(error, vault: path)
    case let error as MountError: self.init(error)
    case let error as MountOptionError: self.init(.usage, error.description)
    case let error as Errno: self.init(error, doing: "the command")
    default: return nil
    }
  }

  private static func status(of error: Errno) -> CommandStatus {
    error == .noSpace || error == .diskQuotaExceeded ? .noRoom : .failure
  }

  private static func advice(_ error: Errno) -> String {
    switch error {
    case .permissionDenied, .notPermitted: "permission denied; see with ls -l who owns the files"
    case .readOnlyFileSystem: "the file system there is mounted read-only"
    case .noSpace, .diskQuotaExceeded: "the disk is full; make room there and try again"
    case .noMemory: "there is not enough free memory"
    default: error.description
    }
  }

  private static func capitalized(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }
}
