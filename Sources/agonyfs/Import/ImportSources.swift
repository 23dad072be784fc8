internal import CPlatform
internal import Client
internal import Glibc
internal import Import
internal import Storage
internal import System
internal import SystemPackage

/// The sources of an import: existing files, folders and archives, by absolute paths without symbolic links.
struct ImportSources {
  private(set) var all: [ImportSource] = []

  init(_ names: some Sequence<[UInt8]>, destination: ImportDestination, deletesOriginals: Bool) throws {
    let mount = try? BytePath(destination.mountPoint).identity()
    for named in names {
      guard !named.isEmpty else { throw CommandFailure.empty("A path") }
      let shown = TerminalText.safe(named)
      // As in cp(1), `/.` means the files in the directory.
      let isContent = named.count > 2 && named.suffix(2).elementsEqual("/.".utf8)
      let bytes = isContent ? Array(named.dropLast(2)) : named
      let path: BytePath
      let isLink: Bool
      do throws(Errno) {
        isLink = try BytePath(bytes).status().st_mode & S_IFMT == S_IFLNK
        path = try BytePath(bytes).resolved()
      } catch .noSuchFileOrDirectory, .notDirectory {
        throw CommandFailure(.usage, "There is nothing at \(shown); check the path.")
      } catch {
        throw CommandFailure(error, doing: "looking at \(shown)")
      }
      if isLink, deletesOriginals {
        throw CommandFailure(
          .usage, "\(shown) is a symbolic link; name what it leads to, if the originals there may be deleted.")
      }
      let found = try path.identity()
      if let mount, found.device == mount.device {
        throw CommandFailure(.usage, "\(shown) is in the space that it would be imported into; name something else.")
      }
      if let vault = path.enclosingVault {
        throw CommandFailure(
          .usage,
          "\(shown) is in the vault \(TerminalText.safe(vault)), whose files are encrypted; mount it, and import from the "
            + "mount.")
      }
      if deletesOriginals, try PhotoLibrary.place(of: path.bytes) != nil {
        throw CommandFailure(
          .usage, "\(shown) is in a mounted space, where originals are never deleted; leave out --delete-originals.")
      }
      if deletesOriginals { try Self.checkWritable(path, isFile: found.isFile, shown) }
      all.append(
        ImportSource(
          path: path.bytes, isArchive: found.isFile && ImportSource.isArchive(path.bytes), isContent: isContent))
    }
  }

  /// Refuses a source whose originals cannot be deleted, as far as that can be known beforehand.
  private static func checkWritable(_ path: BytePath, isFile: Bool, _ shown: String) throws {
    let directory = isFile ? BytePath(path.directory.isEmpty ? [0x2F] : path.directory) : path
    var information = statvfs()
    guard unsafe statvfs(directory.name, &information) == 0 else { return }
    if information.f_flag & UInt(ST_RDONLY) != 0 {
      throw CommandFailure(
        .usage, "The medium of \(shown) is read-only, so its originals cannot be deleted; leave out --delete-originals."
      )
    }
    if unsafe faccessat(AT_FDCWD, directory.name, W_OK | X_OK, AT_EACCESS) != 0 {
      throw CommandFailure(
        .usage, "You may not delete anything in \(TerminalText.safe(directory.bytes)); leave out --delete-originals.")
    }
  }
}

extension BytePath {
  /// The absolute path without symbolic links.
  func resolved() throws(Errno) -> BytePath {
    guard let found = unsafe realpath(name, nil) else { throw .current }
    defer { unsafe free(found) }
    return unsafe BytePath(Array(UnsafeRawBufferPointer(start: found, count: strlen(found))))
  }

  /// The vault that contains an absolute path; nil if there is none.
  var enclosingVault: [UInt8]? {
    var parts = bytes.split(separator: 0x2F)
    while true {
      let directory = parts.flatMap { [0x2F] + $0 }
      let names = [StorageNames.parameters, StorageNames.segments, StorageNames.refreshing].filter { name in
        (try? BytePath(directory, name.utf8).status()) != nil
      }
      let isVault = SourceWalk.isVault(names.map { Array($0.utf8) })
      if isVault { return directory }
      if parts.popLast() == nil { return nil }
    }
  }
}
