import Glibc
import TestSupport
import Testing

@testable import agonyfs

/// How `agonyfs guard` is installed and called, and what it relies on.
@Suite struct GuardServiceTests {
  /// The unit in the source tree, and the one in the article.
  @Test(.enabled(if: Self.canVerify, "there is no systemd-analyze"))
  func theServiceIsOne() throws {
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 }
    let file = root + "/Sources/agonyfs-guard/agonyfs-guard.service"
    let unit = String(decoding: try HostFile.read(file), as: UTF8.self)
    let article = String(decoding: try HostFile.read(root + "/Sources/agonyfs/agonyfs.docc/Locking.md"), as: UTF8.self)
    let lines = unit.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let block = try #require(article.split(separator: "```").first { $0.contains("[Unit]") })
    #expect(lines == block.split(separator: "\n"))
    let workspace = try Workspace()
    try workspace.write(
      unit.split(separator: "/usr/bin/agonyfs").joined(separator: Workspace.program), to: "agonyfs-guard.service")
    try expectSuccess(
      workspace,
      """
      export XDG_RUNTIME_DIR="$W"
      systemd-analyze --user verify "$W/agonyfs-guard.service" > said 2>&1
      cat said
      test ! -s said
      """)
  }

  /// The logind of this machine, on the bus of the test, where a stand-in for systemd is asked to switch the machine off.
  @Test(.enabled(if: Workspace.isRoot && Self.hasLogind, "needs root, and systemd-logind"))
  func theRealLogindWaits() throws {
    try GuardedSystem().expectSuccess(
      """
      mount -t tmpfs none /run
      mkdir -p /run/systemd
      start_bus
      /usr/bin/python3 -m dbusmock --system --template systemd > systemd.log 2>&1 &
      systemd() { gdbus call --system -d org.freedesktop.systemd1 -o /org/freedesktop/systemd1 -m "$@"; }
      wait_for 600 'systemd is played' systemd org.freedesktop.DBus.Mock.AddMockUnit poweroff.target
      systemd org.freedesktop.DBus.Mock.AddObject /org/freedesktop/systemd1/unit/poweroff_2etarget \
        org.freedesktop.systemd1.Unit "{'LoadState': <'loaded'>, 'ActiveState': <'inactive'>}" '@a(ssss) []'
      SYSTEMD_LOG_TARGET=console setpriv --bounding-set=-sys_boot \(Self.logind) 2> logind.log &
      wait_for 600 'logind is there' has_logind
      guard
      holds
      open
      exec 5> Albums/open
      # It waits for the lock, which waits for a daemon that is stopped.
      halt $pid
      call $root -m org.freedesktop.login1.Manager.PowerOff false
      wait_for 600 'agonyfs lock runs' lock_runs
      not grep StartUnit systemd.log
      kill -CONT $pid
      locked
      off() { grep 'StartUnit "poweroff.target"' systemd.log; }
      wait_for 600 'logind goes on' off
      # To logind the machine is off now, or was not to be switched off after all.
      wait_for 600 'there is an inhibitor again' holds
      """)
  }

  @Test func badInputIsExplained() throws {
    let workspace = try Workspace()
    for list in ["", "sleep,", "never", "Sleep"] {
      expectFailure(try workspace.agonyfs("guard", "--on", list), .usage, "--on takes some of sleep, shutdown")
    }
    let lonely = try workspace.shell("cp \"$AGONYFS\" agonyfs && ./agonyfs guard")
    expectFailure(lonely, .failure, "agonyfs-guard is not next to agonyfs")
    let helper = try Outcome(builtProgram("agonyfs-guard"), arguments: [])
    expectFailure(helper, .usage, "Started by agonyfs guard")
  }

  /// The program that holds keys loads nothing of D-Bus.
  @Test func noBusComesNearKeys() throws {
    let libraries = try Outcome("/usr/bin/ldd", arguments: [Workspace.program])
    #expect(libraries.status == 0 && !libraries.output.contains("systemd") && !libraries.output.contains("dbus"))
    #expect(try Outcome("/usr/bin/ldd", arguments: [builtProgram("agonyfs-guard")]).output.contains("libsystemd"))
  }

  /// What the guard calls and hears, as the logind of this machine describes itself.
  @Test(.enabled(if: Self.hasLogind, "there is no logind that can describe itself"))
  func logindHasWhatTheGuardUses() throws {
    let text = try Self.interface("org.freedesktop.login1.Manager") + Self.interface("org.freedesktop.login1.Session")
    let words = text.split { $0.isWhitespace }.joined(separator: " ")
    for part in [
      """
      <method name="Inhibit"> <arg type="s" name="what" direction="in"/> <arg type="s" name="who" direction="in"/> \
      <arg type="s" name="why" direction="in"/> <arg type="s" name="mode" direction="in"/> <arg type="h" \
      name="pipe_fd" direction="out"/> </method>
      """,
      "<method name=\"ListSessions\"> <arg type=\"a(susso)\" name=\"sessions\" direction=\"out\"/> </method>",
      "<signal name=\"PrepareForSleep\"> <arg type=\"b\" name=\"start\"/> </signal>",
      "<signal name=\"PrepareForShutdown\"> <arg type=\"b\" name=\"start\"/> </signal>",
      "<signal name=\"SessionNew\"> <arg type=\"s\" name=\"session_id\"/> <arg type=\"o\" name=\"object_path\"/> </signal>",
      """
      <signal name="SessionRemoved"> <arg type="s" name="session_id"/> <arg type="o" name="object_path"/> </signal>
      """,
      "<signal name=\"Lock\">", "<property name=\"InhibitDelayMaxUSec\" type=\"t\" access=\"read\">",
      "<property name=\"PreparingForSleep\" type=\"b\" access=\"read\">",
      "<property name=\"PreparingForShutdown\" type=\"b\" access=\"read\">",
      "<property name=\"LockedHint\" type=\"b\" access=\"read\">",
      "<property name=\"Class\" type=\"s\" access=\"read\">",
      "<property name=\"Type\" type=\"s\" access=\"read\">", "<property name=\"User\" type=\"(uo)\" access=\"read\">",
    ] {
      #expect(words.contains(part), "logind has no \(part)")
    }
  }

  private static let canVerify = unsafe access("/usr/bin/systemd-analyze", X_OK) == 0
  private static let logind = "/lib/systemd/systemd-logind"
  private static let hasLogind = (try? interface("org.freedesktop.login1.Manager"))?.contains("Inhibit") ?? false
  private static func interface(_ name: String) throws -> String {
    try Outcome(logind, arguments: ["--bus-introspect=\(name)"]).output
  }
}
