internal import CVirtualToken
internal import Glibc
internal import System
internal import UnlockService

/// agonyfs-unlock with the tokens that `token.py` serves on the sockets AGONYFS_TEST_TOKEN, separated by colons.
@main
enum Program {
  static func main() {
    guard let paths = unsafe getenv("AGONYFS_TEST_TOKEN") else { exit(2) }
    unsafe agonyfs_use_virtual_tokens(paths)
    exit(UnlockService.serve(.standardInput, .standardOutput))
  }
}
