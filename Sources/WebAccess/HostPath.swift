internal import Glibc
internal import System

/// A path of any bytes, as the text that `agonyfs serve` passes: UTF-8 stands for itself, other bytes for characters of
/// private use (`ByteText`).
public enum HostPath {
  /// Opens the directory at a path, which is no symbolic link. Less than 0 if that fails, with the reason in `errno`.
  public static func openDirectory(_ path: String) -> CInt {
    unsafe open(name(of: path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Opens a directory, after making it and those above it, for this user alone, if there are none. The result is that of
  /// `openDirectory`.
  public static func openFolder(_ path: String) -> CInt {
    let name = name(of: path)
    // What cannot be made cannot be opened either.
    for place in name.indices.dropFirst() where name[place] == CChar(UInt8(ascii: "/")) || name[place] == 0 {
      _ = unsafe mkdir(Array(name[..<place]) + [0], 0o700)
    }
    return unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  /// The bytes that a path stands for.
  public static func bytes(of path: String) -> [UInt8] { ByteText.bytes(of: path) }

  /// The bytes of a path, ended by a zero, for calls of the system.
  static func name(of path: String) -> [CChar] {
    ByteText.bytes(of: path).map { CChar(bitPattern: $0) } + [0]
  }
}
