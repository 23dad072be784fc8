internal import Glibc
internal import System
internal import UnlockService

/// The program that talks to keyrings, tokens and TPMs for agonyfs. One request comes through standard input, the reply goes to standard
/// output; both may hold a secret. Its arguments and environment hold none.
@main
enum Program {
  static func main() {
    exit(UnlockService.serve(.standardInput, .standardOutput))
  }
}
