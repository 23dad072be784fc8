import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import agonyfs

/// What a program that ran has to show.
struct Outcome: CustomStringConvertible {
  /// How it ended.
  var ending: ChildProcess.Ending
  /// Its standard output.
  var output: String
  /// Its standard error.
  var errors: String

  /// Its exit status; -1 when a signal ended it.
  var status: CInt {
    if case .exited(let status) = ending { return status }
    return -1
  }

  var description: String { "\(ending)\noutput: \(output)\nerrors: \(errors)" }
}

/// A directory for one test. At the end every mount below it is taken away and everything in it is deleted.
final class Workspace {
  /// Cheap, and what most tests use.
  static let password = "correct horse battery staple"

  /// The directory, as an absolute path.
  var path: String { folder.path }
  private let folder: TemporaryFolder
  private var runs = 0

  init() throws {
    folder = try TemporaryFolder()
  }

  deinit {
    _ = try? shell(
      """
      cd /
      for m in $(awk -v p="$W/" 'index($2, p) == 1 {print $2}' /proc/mounts | sort -r); do
        "$AGONYFS" unmount "$m" || fusermount3 -u "$m" || umount -l "$m"
      done
      chmod -R u+rwx "$W"
      rm -rf "$W"
      """)
  }

  /// The program under test, which is built beside the tests.
  static let program = builtProgram("agonyfs")

  /// Seconds after which a test gives up on a program.
  static let limit = "300"

  /// Whether the tests may do what only root may.
  static let isRoot = geteuid() == 0

  /// The absolute path of something in the directory.
  func at(_ name: String) -> String { path + "/" + name }

  /// Writes a file.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try Descriptor.open(at(name), O_WRONLY | O_CREAT | O_TRUNC).writeAll(Array(text.utf8))
    return at(name)
  }

  /// Runs the program under test.
  func agonyfs(_ arguments: String..., input: String = "") throws -> Outcome {
    try run(Self.program, arguments: ["agonyfs"] + arguments, input: input)
  }

  /// Functions for scripts: `agonyfs` calls the program under test, and `not` a command that must fail (`! command` would not end a
  /// script that `set -e` is to end). `detach` unmounts `disk`, which is in the file `image`, and waits until the kernel has let go of it: for as
  /// long as another test works in a copy of all mounts it is mounted there, and would be what it was when it is mounted again.
  static let functions = """
    agonyfs() { "$AGONYFS" "$@"; }
    not() { if "$@"; then return 1; fi; }
    detach() { umount disk; timeout 100 sh -c 'while losetup -j image | grep -q .; do sleep 0.05; done'; }

    """

  /// Runs a script by sh. In it `$W` is the directory, `$AGONYFS` the program.
  func shell(_ script: String, input: String = "") throws -> Outcome {
    let start = """
      W='\(path)'; AGONYFS='\(Self.program)'; export W AGONYFS; cd "$W"

      """
    return try run("/bin/sh", arguments: ["sh", "-c", start + Self.functions + script], input: input)
  }

  /// Runs a program with this input, and nothing else.
  func run(_ program: String, arguments: [String], input: String = "") throws -> Outcome {
    runs += 1
    let names = ["in", "out", "err"].map { "\(path).\(runs).\($0)" }
    defer { for name in names { unsafe unlink(name) } }
    let files = try names.map { try Descriptor.open($0, O_RDWR | O_CREAT | O_TRUNC) }
    try files[0].writeAll(Array(input.utf8))
    lseek(files[0].number, 0, SEEK_SET)
    // What hangs is ended together with all that it started, and gives status 124.
    let limited = ["timeout", "-k", "10", Self.limit, program] + arguments.dropFirst()
    let ending = try ChildProcess("/usr/bin/timeout", arguments: limited, descriptors: files).wait()
    return Outcome(ending: ending, output: try Self.text(of: names[1]), errors: try Self.text(of: names[2]))
  }

  private static func text(of path: String) throws -> String {
    String(decoding: try HostFile.read(path), as: UTF8.self)
  }
}

extension Workspace {
  /// Makes a vault called `Vault` that costs little, and has not so much cover that it does not fit on a small disk, with a space for the usual password, and the directory `Albums`.
  func makeVault(_ options: String = "--segment-size 1M") throws {
    let made = try shell(
      """
      mkdir -p Albums
      printf '%s\\n' '\(Self.password)' > password
      until agonyfs create --kdf interactive \(options) --password-file password Vault || exit
        test "$(du -sm Vault | cut -f 1)" -lt 100
      do rm -r Vault; done
      """)
    guard made.status == 0 else { throw CommandFailure(.failure, made.description) }
  }

  /// Mounts the space of the usual password at `Albums`.
  func mount(_ options: String = "") throws -> Outcome {
    try shell("agonyfs mount --password-file password \(options) Vault Albums")
  }

  /// Takes the mount at `Albums` away.
  func unmount() throws -> Outcome { try agonyfs("unmount", at("Albums")) }
}

/// Runs a script in which every command must succeed; what it did is shown when one does not.
func expectSuccess(
  _ workspace: Workspace, _ script: String, input: String = "", sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let outcome = try workspace.shell("set -eux\n" + script, input: input)
  #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
}

/// Expects a failure with a status, and a sentence that holds some words.
func expectFailure(
  _ outcome: Outcome, _ status: CommandStatus, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(outcome.status == status.rawValue, "\(outcome)", sourceLocation: sourceLocation)
  for word in words { #expect(outcome.errors.contains(word), "\(outcome)", sourceLocation: sourceLocation) }
}
