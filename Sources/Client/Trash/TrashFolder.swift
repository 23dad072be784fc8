// Invariants
// 1. What is in the trash is the file or directory itself under another name; nothing is copied or deleted.
// 2. Its info file is durable before it is moved, so that it can always be put back.
// 3. No name that is there is replaced, and no symbolic link is followed.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// The trash of a mounted space, as freedesktop's specification has it: `.Trash-UID` in its root.
package struct TrashFolder: Sendable {
  /// Longest name in it, so that the info file has room for its ending and a number.
  private static let mostBytes = 200
  private static let mostInfo = 64 << 10

  private let root: SpaceRoot
  /// Its path in the space.
  package let folder: [UInt8]

  /// The trash of this user in a space.
  package init(of root: SpaceRoot) {
    self.root = root
    folder = Array(".Trash-\(getuid())".utf8)
  }

  /// The path of the directory with what was thrown away.
  package var files: [UInt8] { folder + Array("/files".utf8) }
  private var info: [UInt8] { folder + Array("/info".utf8) }

  /// Makes its directories if there are none.
  ///
  /// - Throws: `ELOOP` or `ENOTDIR` if something else is there; `EXDEV` if it is a mount, `EPERM` if it is somebody else's.
  package func prepare() throws(Errno) {
    for path in [folder, files, info] {
      let (directory, name) = try root.place(of: path)
      do throws(Errno) {
        let text = SpaceRoot.text(name)
        try systemCall { unsafe mkdirat(directory.number, text, 0o700) }
      } catch .fileExists {}
      // A link there, or what somebody else made, could lead anywhere.
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
  ///   - inode: the regular file that it has to be; nil for whatever it is.
  /// - Throws: `EBUSY` if it is something else; it stays where it is. `EEXIST` if something else took the name right
  ///   before, and a third one after: the second is in the trash, and can be put back from there.
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

  /// Refuses what is not that regular file.
  private static func check(_ name: [UInt8], in directory: Descriptor, isFile inode: UInt64?) throws(Errno) {
    guard let inode else { return }
    let text = SpaceRoot.text(name)
    var found = stat()
    try systemCall { unsafe fstatat(directory.number, text, &found, AT_SYMLINK_NOFOLLOW) }
    guard found.st_mode & S_IFMT == S_IFREG, UInt64(found.st_ino) == inode else { throw .resourceBusy }
  }

  /// Whether a path in the space is of something in this trash.
  package func contains(_ path: [UInt8]) -> Bool { path.starts(with: files + [UInt8(ascii: "/")]) }

  /// Where something in the trash was, as its info file says; what is in a directory of the trash was in that one.
  ///
  /// - Parameter path: its path in the space.
  /// - Throws: `ENOENT` if it is not in the trash, or has no info file; `EINVAL` if that makes no sense.
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

  /// Removes the info file of what was moved out of the trash.
  package func forget(_ path: [UInt8]) throws(Errno) {
    guard contains(path), case let name = path[(files.count + 1)...], !name.contains(UInt8(ascii: "/")) else { return }
    let directory = try root.directory(info)
    let note = SpaceRoot.text(name + Array(".trashinfo".utf8))
    try systemCall { unsafe unlinkat(directory.number, note, 0) }
  }

  /// A path as in a URL; unless it `isPath`, a slash is escaped as well.
  package static func escaped(_ path: [UInt8], isPath: Bool = true) -> String {
    String(decoding: Hexadecimal.percentEscaped(path, besides: isPath ? "-._~/" : "-._~"), as: UTF8.self)
  }

  /// The time here, as the specification wants it.
  private static var now: String {
    LocalTime.text(Int64(time(nil)), "%Y-%m-%dT%H:%M:%S") ?? "1970-01-01T00:00:00"
  }
}
