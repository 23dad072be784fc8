internal import Glibc
internal import System

/// A path with arbitrary bytes, in the text form that `agonyfs serve` passes: UTF-8 stands for itself, other bytes are
/// characters of private use (`ByteText`).
public enum HostPath {
  /// Opens a directory that is not a symbolic link. Returns a negative number on failure, with the reason in `errno`.
  public static func openDirectory(_ path: String) -> CInt {
    unsafe open(name(of: path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Opens a directory after creating it and its parents, for this user only, if they do not exist. The result is as
  /// that of `openDirectory`.
  public static func openFolder(_ path: String) -> CInt {
    let name = name(of: path)
    // Errors are ignored here, because opening fails then.
    for place in name.indices.dropFirst() where name[place] == CChar(UInt8(ascii: "/")) || name[place] == 0 {
      _ = unsafe mkdir(Array(name[..<place]) + [0], 0o700)
    }
    return unsafe open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  }

  /// The bytes of a path.
  public static func bytes(of path: String) -> [UInt8] { ByteText.bytes(of: path) }

  /// The bytes of a path with a terminating zero, for system calls.
  static func name(of path: String) -> [CChar] {
    ByteText.bytes(of: path).map { CChar(bitPattern: $0) } + [0]
  }
}
