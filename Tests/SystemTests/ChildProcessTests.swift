import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import System

@Suite struct ChildProcessTests {
  /// Runs a script and gives its standard output, with how it ended.
  private func shell(
    _ script: String, inheriting inheritance: ChildProcess.Inheritance = .everything
  ) throws -> (output: String, ending: ChildProcess.Ending) {
    let folder = try TemporaryFolder()
    let output = try Descriptor.open(folder.path("output"), O_WRONLY | O_CREAT)
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", script], descriptors: [nil, output, nil], inheriting: inheritance)
    let ending = try process.ending()
    return (String(decoding: try HostFile.read(folder.path("output")), as: UTF8.self), ending)
  }

  @Test func theEndIsTold() throws {
    let outcome = try shell("echo text; exit 7")
    #expect(outcome == ("text\n", .exited(7)))
    #expect(try shell("kill -TERM $$").ending == .killed(SIGTERM))
  }

  @Test func aMissingProgramIsAnError() {
    #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProcess("/nonexistent", arguments: ["x"], descriptors: []) }
  }

  @Test func aProgramCanBeKilled() throws {
    let process = try ChildProcess("/bin/sleep", arguments: ["sleep", "300"], descriptors: [])
    process.kill()
    #expect(process.wasKilledByOthers)
    #expect(try process.ending() == .killed(SIGKILL))
    let other = try ChildProcess("/bin/sh", arguments: ["sh", "-c", "kill -ABRT $$"], descriptors: [])
    #expect(!other.wasKilledByOthers)
    #expect(try other.ending() == .killed(SIGABRT))
  }

  @Test(arguments: [ChildProcess.Inheritance.everything, .everythingButSession, .nothing])
  func itGetsItsDescriptorsAndNoOthers(inheritance: ChildProcess.Inheritance) throws {
    // One that would be inherited, and one whose number is none in the child.
    let open = try Descriptor.open("/dev/zero", O_RDONLY)
    let kept = Descriptor(try systemCall { fcntl(open.number, F_DUPFD, 0) })
    let script = "for n in 0 1 2 3 4 5 6 7 8 9 \(kept.number) 30 40; do test ! -e /proc/$$/fd/$n || echo $n; done"
    #expect(try shell(script, inheriting: inheritance).output == "0\n1\n2\n")
    #expect(fcntl(kept.number, F_GETFD) == 0)
    #expect(
      try shell("readlink /proc/$$/fd/0 /proc/$$/fd/2", inheriting: inheritance).output == "/dev/null\n/dev/null\n")
  }

  @Test func targetsDoNotOverwriteSources() throws {
    let temporary = try TemporaryFolder()
    // Numbers below 8 are among the targets, so that these may be each other's.
    let files = try (0..<8).map { try Descriptor.open(temporary.path("file\($0)"), O_RDWR | O_CREAT) }
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", "for n in 0 1 2 3 4 5 6 7; do echo $n > /proc/$$/fd/$n; done"],
      descriptors: files.reversed())
    #expect(try process.ending() == .exited(0))
    for number in 0..<8 {
      #expect(try WholeFile.read(temporary.path("file\(number)")) == Array("\(7 - number)\n".utf8))
    }
  }

  @Test func aClosedDescriptorIsNothing() throws {
    let process = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-c", "test $(readlink /proc/$$/fd/0) = /dev/null"],
      descriptors: [Descriptor(1 << 20)])
    #expect(try process.ending() == .exited(0))
  }

  @Test func noSignalIsBlockedInIt() throws {
    // All signals are blocked in the thread that starts it.
    let thread = try TestThread {
      let outcome = try shell("grep -E '^SigBlk:.0+$' /proc/self/status > /dev/null")
      #expect(outcome.ending == .exited(0))
    }
    try thread.join()
  }

  @Test func whatIsInheritedIsAsSaid() throws {
    let own = String(decoding: try shell("readlink /proc/$PPID/cwd").output.utf8, as: UTF8.self)
    let script = "test $(cut -d ' ' -f 6 /proc/$$/stat) = $$ && echo leader; readlink /proc/$$/cwd; echo \"$HOME\""
    let home = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? ""
    #expect(try shell(script).output == "\(own)\(home)\n")
    #expect(try shell(script, inheriting: .everythingButSession).output == "leader\n\(own)\(home)\n")
    #expect(try shell(script, inheriting: .nothing).output == "leader\n/\n\n")
  }

  @Test func ignoredSignalsAreInheritedUnlessNothingIs() throws {
    let process = try ChildProcess(
      builtProgram("system-attempts"), arguments: ["system-attempts", "inherit-ignored"], descriptors: [])
    #expect(try process.ending() == .exited(0))
  }

  @Test func whatItSaysIsReadToTheEnd() throws {
    let script = "head -c 300000 /dev/zero | tr '\\0' x >&2; exit 3"
    let (ending, errors) = try ChildProcess.run(
      "/bin/sh", words: ["sh", "-c", script].map { Array($0.utf8) }, errorLimit: 4096)
    #expect(ending == .exited(3))
    #expect(errors == [UInt8](repeating: UInt8(ascii: "x"), count: 4096))
  }
}
