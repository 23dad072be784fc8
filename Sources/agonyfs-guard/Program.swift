internal import Glibc
internal import Guard

/// `agonyfs-guard PROGRAM CAUSES [--at-exit]`: the program that `agonyfs guard` executes, because libraries for D-Bus
/// must not be loaded into a process with keys. It locks by running `PROGRAM lock`, and holds no key itself.
@main
enum Program {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let (named, flags) = (words.filter { !$0.hasPrefix("--") }, words.filter { $0.hasPrefix("--") })
    guard named.count == 2, let causes = LockCause.list(named[1]), flags.allSatisfy({ $0 == "--at-exit" }) else {
      Report.line("Started by agonyfs guard; see agonyfs guard --help.")
      exit(2)
    }
    exit(GuardLoop(program: named[0], causes: causes, locksAtExit: !flags.isEmpty).run() ? 0 : 1)
  }
}
