internal import Glibc
package import SystemPackage

extension FilePath {
  /// The path of these bytes, up to the first zero byte.
  package init(bytes: some Sequence<UInt8>) {
    unsafe self.init(platformString: bytes.map { CChar(bitPattern: $0) } + [0])
  }

  /// Its bytes.
  package var bytes: [UInt8] {
    unsafe withPlatformString { unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
  }

  /// realpath(3): the absolute path without symbolic links.
  package func withoutLinks() throws(Errno) -> FilePath {
    let outcome: Result<FilePath, Errno> = unsafe withPlatformString { name in
      guard let found = unsafe realpath(name, nil) else { return .failure(.current) }
      defer { unsafe free(found) }
      return unsafe .success(FilePath(platformString: found))
    }
    return try outcome.get()
  }

  /// The absolute path without symbolic links; nil if the path leads to nothing.
  package var resolved: FilePath? { try? withoutLinks() }

  /// Makes a system call with the path, like `systemCall`.
  @discardableResult
  package func call(_ body: (UnsafePointer<CChar>) -> CInt) throws(Errno) -> CInt {
    let outcome: Result<CInt, Errno> = unsafe withPlatformString { name in
      Result { () throws(Errno) in try systemCall { unsafe body(name) } }
    }
    return try outcome.get()
  }
}
