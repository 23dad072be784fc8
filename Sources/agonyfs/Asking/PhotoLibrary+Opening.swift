internal import Client
internal import Glibc
internal import Mount
internal import Storage
internal import System
internal import SystemPackage

extension PhotoLibrary {
  /// The space that is mounted at a path or at a directory above it; nil if there is none.
  ///
  /// - Throws: `CommandFailure` if the path leads to nothing.
  static func mounted(at path: [UInt8]) throws(CommandFailure) -> PhotoLibrary? {
    guard let place = try place(of: path) else { return nil }
    let shown = TerminalText.safe(path)
    guard Directory.exists(at: FilePath(bytes: path)) else {
      throw CommandFailure(
        .usage,
        "\(shown) is a file; name the directory that it is in, or show the facts of the file with: agonyfs show")
    }
    guard place.path.split(separator: UInt8(ascii: "/")).first != ArraySlice(".agonyfs".utf8) else {
      throw CommandFailure(
        .usage, "\(shown) is not an album; name an album, or the directory where the space is mounted.")
    }
    // In a directory that the user may not list, a search would silently find no photo.
    guard (try? unsafe FilePath(bytes: path).call { unsafe access($0, R_OK | X_OK) }) != nil else {
      throw CommandFailure(.failure, "You may not read \(shown); ask its owner for permission.")
    }
    return PhotoLibrary(place, as: path, source: MountedSource(mountPoint: place.mountPoint))
  }

  /// The place of a path in a mounted space; nil if the path is in none.
  static func place(of path: [UInt8]) throws(CommandFailure) -> SpacePlace? {
    guard !path.isEmpty else { throw .empty("A path") }
    let shown = TerminalText.safe(path)
    do throws(Errno) {
      return try SpacePlace.of(path)
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw CommandFailure(.mountPointUnusable, "There is nothing at \(shown); check the path.")
    } catch .socketNotConnected {
      throw CommandFailure(MountError.deadMount(path: shown))
    } catch {
      throw CommandFailure(error, doing: "looking at \(shown)")
    }
  }

  /// The failure for a path that is in no mounted space.
  static func notMounted(_ path: [UInt8]) -> CommandFailure {
    CommandFailure(
      .mountPointUnusable,
      "\(TerminalText.safe(path)) is not in a mounted space; mount the space first, with: agonyfs mount "
        + "VAULT DIRECTORY")
  }
}
