internal import CVirtualToken
internal import Glibc
internal import System
internal import UnlockService

/// agonyfs-unlock with the token that `token.py` serves on the socket AGONYFS_TEST_TOKEN.
@main
enum Program {
  static func main() {
    guard let path = unsafe getenv("AGONYFS_TEST_TOKEN") else { exit(2) }
    unsafe agonyfs_use_virtual_token(path)
    exit(UnlockService.serve(.standardInput, .standardOutput))
  }
}
