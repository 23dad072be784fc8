import Glibc
import System
import TestSupport
import Testing

/// `scripts/test-limit`, which ends what `scripts/test` runs, and `scripts/test-stacks`, which says where it hangs.
@Suite struct TestLimitTests {
  private let folder: TemporaryFolder
  private let scripts: String

  init() throws {
    folder = try TemporaryFolder()
    scripts = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/"
  }

  /// Runs a script by sh below a limit, with this folder in the command lines of all that it starts by `stay`. Whoever
  /// reads the output gets its end, which is said.
  private func run(
    _ script: String, seconds: Int = 0, patience: Int = 30, hearing: String = "cat"
  ) throws -> Outcome {
    let functions = #"stay() { exec sh -c 'trap "" INT TERM HUP; echo stays; sleep 1000; :' "$TMPDIR"; }"#
    let start = """
      export TMPDIR='\(folder.path)' AGONYFS_TEST_PATIENCE=\(patience)
      { status=0; "$0" \(seconds) "$TMPDIR/stacks" sh -c "$1" || status=$?; echo "status: $status"; } 2>&1 | \(hearing)
      """
    return try Outcome("/bin/sh", arguments: ["-c", start, scripts + "test-limit", functions + "\n" + script])
  }

  /// Command lines of processes that have this folder in them.
  private var left: [String] {
    HostFile.names(in: "/proc").filter { Int($0) != nil && Int($0) != Int(getpid()) }.compactMap { process in
      guard let line = try? HostFile.read("/proc/\(process)/cmdline") else { return nil }
      return String(decoding: line.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
    }.filter { $0.contains(folder.path) }
  }

  @Test func whatEndsIsAsWithoutIt() throws {
    let outcome = try run("echo said; echo wrong >&2; cat; exit 3", seconds: 100)
    #expect(outcome.output == "said\nwrong\nstatus: 3\n", "\(outcome)")
    #expect(try run("kill -KILL $$").output == "status: 137\n")
  }

  /// A program that keeps what it says for later, unless a terminal listens, is heard at once.
  @Test func whatIsSaidIsHeardAtOnce() throws {
    try folder.write(
      """
      import os, time
      print("said")
      deadline = time.monotonic() + 60
      while not os.path.exists(os.environ["TMPDIR"] + "/heard") and time.monotonic() < deadline: time.sleep(0.05)
      print("heard" if time.monotonic() < deadline else "not heard")
      """, to: "saying.py")
    let outcome = try run(
      "exec python3 \"$TMPDIR/saying.py\"", hearing: #"while read -r line; do echo "$line"; : > "$TMPDIR/heard"; done"#)
    #expect(outcome.output == "said\nheard\nstatus: 0\n", "\(outcome)")
  }

  /// Also what has a session of its own, lost its parent, and ends at no signal.
  @Test func whatTakesTooLongIsKilledWithAllThatItStarted() throws {
    let outcome = try run("(setsid sh -c '\(Self.orphan)' &); stay & sleep 1000", seconds: 5)
    #expect(outcome.output.hasSuffix("status: 124\n"), "\(outcome)")
    #expect(outcome.output.contains("5 seconds are over"), "\(outcome)")
    #expect(outcome.output.contains("orphan of \(folder.path)"), "\(outcome)")
    #expect(left == [])
  }

  private static let orphan = #"trap "" INT TERM HUP; exec sh -c "sleep 1000; :" "orphan of $TMPDIR""#

  @Test func whatIsLeftBehindIsNamedAndKilled() throws {
    let outcome = try run("(setsid sh -c '\(Self.orphan)' &); echo over", patience: 1)
    #expect(outcome.output.hasPrefix("over\n"), "\(outcome)")
    #expect(outcome.output.contains("left behind"), "\(outcome)")
    #expect(outcome.output.contains("orphan of \(folder.path)"), "\(outcome)")
    #expect(outcome.output.hasSuffix("status: 125\n"), "\(outcome)")
    #expect(left == [])
    // What ends a little later is not left behind.
    #expect(try run("(setsid sleep 1 &)").output == "status: 0\n")
  }

  @Test(arguments: TestLength.sample([SIGINT, SIGTERM, SIGHUP], 2)) func signalsEndEverything(signal: CInt) throws {
    let outcome = try run(
      "(setsid sh -c '\(Self.orphan)' &); stay & kill -\(signal) $PPID; sleep 1000")
    #expect(outcome.output.hasSuffix("status: \(128 + signal)\n"), "\(outcome)")
    #expect(left == [])
  }

  /// A process that waits for an answer of its own mount cannot be killed before the mount is cut off.
  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"))
  func aProcessThatHangsInItsOwnMountIsKilled() throws {
    try folder.makeDirectory("mount")
    try folder.write(Self.hanging, to: "hanging.py")
    let outcome = try run("exec python3 '\(folder.path)/hanging.py'", seconds: 8)
    unsafe umount2(folder.path("mount"), CInt(MNT_FORCE | MNT_DETACH))
    #expect(outcome.output.contains("request_wait_answer") || outcome.output.contains("hangs"), "\(outcome)")
    #expect(!outcome.output.contains("cannot be killed"), "\(outcome)")
    #expect(outcome.output.hasSuffix("status: 124\n"), "\(outcome)")
    #expect(left == [])
  }

  /// Serves a mount in one thread, which answers nothing but the first request, and looks at it in another one.
  private static let hanging = """
    import ctypes, os, struct, threading
    libc = ctypes.CDLL(None, use_errno=True)
    device = os.open("/dev/fuse", os.O_RDWR)
    path = os.environ["TMPDIR"] + "/mount"
    data = f"fd={device},rootmode=40000,user_id=0,group_id=0"
    assert libc.mount(b"hanging", path.encode(), b"fuse", 0, data.encode()) == 0, ctypes.get_errno()
    def serve():
        request = os.read(device, 1 << 17)
        unique, = struct.unpack_from("<Q", request, 8)
        os.write(device, struct.pack("<IiQ", 16 + 64, 0, unique) + struct.pack("<IIIIHHI", 7, 31, 0, 0, 1, 1, 4096) + bytes(40))
        while True:
            os.read(device, 1 << 17)
            print("hangs", flush=True)
    threading.Thread(target=serve).start()
    os.listdir(path)
    """

  /// This one.
  @Test func theFunctionsOfTestsThatRunAreKnown() throws {
    let outcome = try Outcome(scripts + "test-stacks", arguments: ["\(getpid())"])
    #expect(outcome.status == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.contains("ScriptTests.TestLimitTests.theFunctionsOfTestsThatRunAreKnown()"), "\(outcome)")
    #expect(lines.allSatisfy { $0.contains("Tests.") }, "\(outcome)")
  }
}
