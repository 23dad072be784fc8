// Invariants
// 1. The trash holds the file or directory itself under another name; nothing is copied or deleted.
// 2. The info file is durable before the file is moved, so that it can always be put back.
// 3. No existing name is replaced, and no symbolic link is followed.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// The trash of a mounted space by freedesktop's specification: `.Trash-UID` in its root.
package struct TrashFolder: Sendable {
  /// Longest name in it, in bytes, so that the info file has room for its ending and a number.
  private static let mostBytes = 200
  private static let mostInfo = 64 << 10

  private let root: SpaceRoot
  /// Its path in the space.
  package let folder: [UInt8]

  /// This user's trash in a space.
  package init(of root: SpaceRoot) {
    self.root = root
    folder = Array(".Trash-\(getuid())".utf8)
  }

  /// The path of the directory that holds the files in the trash.
  package var files: [UInt8] { folder + Array("/files".utf8) }
  private var info: [UInt8] { folder + Array("/info".utf8) }

  /// Makes its directories unless they exist.
  ///
  /// - Throws: `ELOOP` or `ENOTDIR` if another kind of file has the name; `EXDEV` if it is a mount point, `EPERM` if it
  ///   belongs to another user.
  package func prepare() throws(Errno) {
    for path in [folder, files, info] {
      let (directory, name) = try root.place(of: path)
      do throws(Errno) {
        let text = SpaceRoot.text(name)
        try systemCall { unsafe mkdirat(directory.number, text, 0o700) }
      } catch .fileExists {}
      // A link there, or another user's directory, could lead anywhere.
      let made = try root.directory(path)
      var found = stat()
      try systemCall { unsafe fstat(made.number, &found) }
      guard found.st_uid == geteuid() else { throw .notPermitted }
    }
  }

  /// Moves a file or directory to the trash.
  ///
  /// - Parameters:
  ///   - path: its path in the space.
  ///   - inode: the inode of the regular file that it must be; nil accepts any file.
  /// - Throws: `EBUSY` if it is another file, which stays where it is. `EEXIST` if a second file took the name right
  ///   before the move, and a third one right after it: the second is then in the trash, and can be put back from
  ///   there.
  package func take(_ path: [UInt8], ifFile inode: UInt64? = nil) throws(Errno) {
    let (directory, name) = try root.place(of: path)
    try Self.check(name, in: directory, isFile: inode)
    let (files, notes) = (try root.directory(files), try root.directory(info))
    let (stem, ending) = BytePath(name).parts
    let content = Array("[Trash Info]\nPath=\(Self.escaped(path))\nDeletionDate=\(Self.now)\n".utf8)
    let text = SpaceRoot.text(name)
    var number = 1
    while true {
      let mark = number == 1 ? "" : ".\(number)"
      let most = max(1, Self.mostBytes - ending.count)
      let free = Array(stem.prefix(most)) + mark.utf8 + ending.suffix(Self.mostBytes)
      number += 1
      let note = SpaceRoot.text(free + Array(".trashinfo".utf8))
      do throws(Errno) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(try systemCall { unsafe openat(notes.number, note, flags, 0o600) })
        try file.writeAll(content)
        try systemCall { fsync(file.number) }
      } catch .fileExists {
        continue
      } catch {
        unsafe unlinkat(notes.number, note, 0)
        throw error
      }
      let target = SpaceRoot.text(free)
      do throws(Errno) {
        try systemCall { unsafe agonyfs_move_if_absent(directory.number, text, files.number, target) }
      } catch {
        unsafe unlinkat(notes.number, note, 0)
        if error != .fileExists { throw error }
        continue
      }
      do throws(Errno) {
        return try Self.check(free, in: files, isFile: inode)
      } catch {
        try systemCall { unsafe agonyfs_move_if_absent(files.number, target, directory.number, text) }
        unsafe unlinkat(notes.number, note, 0)
        throw .resourceBusy
      }
    }
  }

  /// Throws `EBUSY` if the name is not that regular file.
  private static func check(_ name: [UInt8], in directory: Descriptor, isFile inode: UInt64?) throws(Errno) {
    guard let inode else { return }
    let text = SpaceRoot.text(name)
    var found = stat()
    try systemCall { unsafe fstatat(directory.number, text, &found, AT_SYMLINK_NOFOLLOW) }
    guard found.st_mode & S_IFMT == S_IFREG, UInt64(found.st_ino) == inode else { throw .resourceBusy }
  }

  /// Whether a path in the space leads into this trash.
  package func contains(_ path: [UInt8]) -> Bool { path.starts(with: files + [UInt8(ascii: "/")]) }

  /// The original path of a file in the trash, by its info file. A file inside a trashed directory was in the directory
  /// of that path.
  ///
  /// - Parameter path: its path in the space.
  /// - Throws: `ENOENT` if it is not in the trash, or its info file is missing; `EINVAL` if the info file is malformed.
  package func origin(of path: [UInt8]) throws(Errno) -> [UInt8] {
    guard contains(path) else { throw .noSuchFileOrDirectory }
    let inside = path[(files.count + 1)...]
    let top = inside.prefix { $0 != UInt8(ascii: "/") }
    let note = try root.open(info + [UInt8(ascii: "/")] + top + Array(".trashinfo".utf8), O_RDONLY)
    let lines = try note.readToEnd(limit: Self.mostInfo).split(separator: 0x0A)
    let key = Array("Path=".utf8)
    guard lines.first.map({ $0.elementsEqual("[Trash Info]".utf8) }) == true,
      let line = lines.first(where: { $0.starts(with: key) }),
      let origin = Hexadecimal.percentUnescaped(line.dropFirst(key.count)),
      !origin.isEmpty, origin.first != UInt8(ascii: "/"), !origin.contains(0)
    else { throw .invalidArgument }
    let parts = (origin + inside[top.endIndex...]).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && !$0.elementsEqual([0x2E]) && !$0.elementsEqual([0x2E, 0x2E]) }) else {
      throw .invalidArgument
    }
    return origin + inside[top.endIndex...]
  }

  /// Removes the info file of a file that was moved out of the trash.
  package func forget(_ path: [UInt8]) throws(Errno) {
    guard contains(path), case let name = path[(files.count + 1)...], !name.contains(UInt8(ascii: "/")) else { return }
    let directory = try root.directory(info)
    let note = SpaceRoot.text(name + Array(".trashinfo".utf8))
    try systemCall { unsafe unlinkat(directory.number, note, 0) }
  }

  /// Percent-escapes a path as in a URL. If `isPath` is false, slashes are escaped as well.
  package static func escaped(_ path: [UInt8], isPath: Bool = true) -> String {
    String(decoding: Hexadecimal.percentEscaped(path, besides: isPath ? "-._~/" : "-._~"), as: UTF8.self)
  }

  /// The local time, in the specification's format.
  private static var now: String {
    LocalTime.text(Int64(time(nil)), "%Y-%m-%dT%H:%M:%S") ?? "1970-01-01T00:00:00"
  }
}
