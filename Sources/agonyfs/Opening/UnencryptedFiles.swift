// Invariants
// 1. Nothing is moved before the space is mounted. Nothing is deleted except by an import, which asks first and has
//    then read the file back from the vault. Until then the files are in a directory that a note has named.
//    then read the file back from the vault. Until then a note has named the directory that holds the files.
// 2. Files are moved, and imported by path, only where no other user can make the path lead to another directory.

internal import ArgumentParser
internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import Mount
internal import System
internal import SystemPackage

/// The files in a mount point while nothing is mounted there. Programs saved them unencrypted.
struct UnencryptedFiles {
  /// The mount point, without symbolic links.
  private let path: FilePath
  /// The mount point's directory, opened before a mount hides its files.
  private let directory: Descriptor
  private let names: [[UInt8]]

  /// Lists the files in a mount point that should be empty; nil if it is.
  ///
  /// - Throws: `MountError.notPermitted` if it cannot be listed.
  static func found(in point: MountPoint, _ options: MountOptions) throws(MountError) -> UnencryptedFiles? {
    if options.allowsNonEmpty { return nil }
    do throws(Errno) {
      let directory = try Descriptor.openQuietly(".", in: point.directory, O_RDONLY | O_DIRECTORY)
      let names = try Directory.names(in: ".", of: directory)
      if names.isEmpty { return nil }
      return UnencryptedFiles(
        path: point.path, directory: directory, names: names.sorted { $0.lexicographicallyPrecedes($1) })
    } catch {
      throw .notPermitted(path: point.path.string)
    }
  }

  /// Asks whether to import the files as soon as the space is mounted.
  ///
  /// - Throws: status 14 if the user refuses or cannot be asked.
  func confirmImport(isPossible: Bool) throws(CommandFailure) {
    let count = names.count.counted("file or folder in it is", "files or folders in it are")
    let state =
      "The mount point \(TerminalText.safe(path.bytes)) is not empty: \(count) not encrypted "
      + "(\(PathList.text(names, of: names.count))). Programs save such files there while nothing is mounted."
    guard isPossible, isOnlyOurs, EnrolledKey.canAsk, let terminal = Terminal() else {
      throw CommandFailure(.mountPointUnusable, "\(state) \(advice)")
    }
    guard terminal.confirm("\(state) Import them when the space is mounted?") else {
      throw CommandFailure(.mountPointUnusable, "Nothing was mounted, and nothing was changed. \(advice)")
    }
  }

  private var advice: String {
    let (from, aside) = (Self.quoted(path.bytes), Self.quoted(path.bytes + Self.suffix))
    return "To import them: mkdir -m 700 \(aside) && find \(from) -mindepth 1 -maxdepth 1 -exec mv -t \(aside) {} +, "
      + "then mount, then \(Self.importing(path.bytes + Self.suffix, into: path.bytes)). "
      + "Or choose an empty directory, or add -o nonempty to hide them."
  }

  /// The suffix of the directory for such files, after the mount point's name.
  static let suffix = Array("-unencrypted".utf8)

  /// The command that imports that directory's files, or continues the import.
  static func importing(_ aside: [UInt8], into mountPoint: [UInt8]) -> String {
    "agonyfs import --all-files --no-takeout --delete-originals \(quoted(aside + Array("/.".utf8))) \(quoted(mountPoint))"
  }

  /// Quotes a path for a shell.
  private static func quoted(_ path: [UInt8]) -> String {
    let text = TerminalText.safe(path)
    let isPlain = text.allSatisfy { $0.isLetter || $0.isNumber || "/._+-".contains($0) }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// Whether only this user and root can change the directory that the path leads to.
  private var isOnlyOurs: Bool {
    let user = geteuid()
    var place = path.removingLastComponent()
    var parent = stat()
    guard let own = try? directory.status(), own.st_uid == user,
      (try? unsafe place.call { unsafe lstat($0, &parent) }) != nil, parent.st_uid == user,
      parent.st_dev == own.st_dev
    else { return false }
    repeat {
      var status = stat()
      guard (try? unsafe place.call { unsafe lstat($0, &status) }) != nil, [0, user].contains(status.st_uid) else {
        return false
      }
      // A user's own group counts as having no other member.
      let isOwnGroup = user != 0 && status.st_gid == getgid()
      let writable: mode_t = isOwnGroup ? 0o002 : 0o022
      guard status.st_mode & writable == 0 || status.st_mode & S_ISVTX != 0 else { return false }
    } while place.removeLastComponent()
    return true
  }
}

extension UnencryptedFiles {
  /// Moves all files to a new directory next to the mount point, and imports them into the space, which is mounted by
  /// now, as `agonyfs import --delete-originals` does.
  ///
  /// - Throws: why some files are not in the space. A note has said where they are.
  func moveIntoSpace() throws {
    let shown = TerminalText.safe(path.bytes)
    let destination: ImportDestination
    let space: Descriptor
    let aside: Aside
    do {
      destination = try ImportDestination(path.bytes, into: nil)
      space = try destination.open(FileCalls(), toWrite: true).root
      aside = try makeAside()
    } catch {
      Output.note("The files of \(shown) stay there, hidden by the mount and not encrypted.")
      throw error
    }
    let place = TerminalText.safe(aside.path.bytes)
    Output.note("The files of \(shown) are in \(place) until the space has them, verified.")
    let isWhole = moveAll(to: aside.directory)
    let imported = Result { try importAll(from: aside.path.bytes, into: destination) }
    Self.removeEmptyFolders(in: aside.directory, thatAreIn: space)
    if (try? unsafe aside.path.call { unsafe rmdir($0) }) == nil {
      Output.note(
        "Files that stay are in \(place), not encrypted. To continue while the space is mounted: "
          + Self.importing(aside.path.bytes, into: path.bytes))
    }
    try imported.get()
    if !isWhole {
      throw CommandFailure(.notAllImported, "Files that could not be moved stay hidden by the mount at \(shown).")
    }
  }

  private func importAll(from aside: [UInt8], into destination: ImportDestination) throws {
    let content = aside + Array("/.".utf8)
    let words = ["--delete-originals", "--all-files", "--no-takeout", "--"]
    let command = try ImportCommand.parse(words + [content, path.bytes].map { ByteText.text(of: $0) })
    let sources = try ImportSources([content], destination: destination, deletesOriginals: true)
    try ImportDialogue(
      destination: destination, sources: sources, pattern: nil, command: command, again: "use the command that is shown"
    ).run()
  }

  /// A directory that was made next to the mount point for its files.
  private typealias Aside = (path: FilePath, directory: Descriptor)

  private func makeAside() throws(CommandFailure) -> Aside {
    let shown = TerminalText.safe(path.bytes)
    return try CommandFailure.doing("making a directory next to \(shown)") { () throws(Errno) -> Aside in
      for number in 1...100 {
        let ending = number == 1 ? [] : Array(" \(number)".utf8)
        let other = FilePath(bytes: path.bytes + Self.suffix + ending)
        do throws(Errno) {
          try unsafe other.call { unsafe mkdir($0, 0o700) }
        } catch {
          if error == .fileExists { continue }
          throw error
        }
        return (other, try Descriptor.open(other, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      }
      throw Errno.fileExists
    }
  }

  /// Moves all files. False if some could not be moved; a note names each of those.
  private func moveAll(to aside: Descriptor) -> Bool {
    var isWhole = true
    // The mount hides the files from paths, but not from this open descriptor.
    for name in (try? Directory.names(in: ".", of: directory)) ?? names {
      let text = name.map { CChar(bitPattern: $0) } + [0]
      do throws(Errno) {
        try systemCall { unsafe renameat(directory.number, text, aside.number, text) }
      } catch {
        isWhole = false
        Output.note("\(TerminalText.safe(name)) could not be moved: \(error.description).")
      }
    }
    return isWhole
  }

  /// Removes folders that are empty by now and that the space has as well, without crossing into another file system. A
  /// folder that was empty before the import stays, because the import did not make it in the space.
  private static func removeEmptyFolders(in folder: Descriptor, thatAreIn space: Descriptor) {
    let device = try? folder.status().st_dev
    for name in (try? Directory.names(in: ".", of: folder)) ?? [] {
      let (path, flags) = (FilePath(bytes: name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
      guard let inner = try? Descriptor.open(path, in: folder, flags), (try? inner.status().st_dev) == device,
        let other = try? Descriptor.open(path, in: space, flags)
      else { continue }
      removeEmptyFolders(in: inner, thatAreIn: other)
      let text = name.map { CChar(bitPattern: $0) } + [0]
      unsafe unlinkat(folder.number, text, AT_REMOVEDIR)
    }
  }
}
