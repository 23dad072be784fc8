import Glibc
import TestSupport
import Testing

@testable import Media

/// What a decoder that was taken over cannot do.
@Suite struct ConfinementTests {
  /// The name of each attempt and what came of it.
  private func attempts(_ confinement: String, by user: String = "") throws -> [String: String] {
    // A pipe: a confined process cannot write to a file, not even to its standard output.
    let output = try Bench().shell("env -i \(user) '\(builtProgram("confined-attempts"))' \(confinement) | cat")
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
  }

  @Test func everythingFails() throws {
    var outcomes = try attempts("")
    // The one that must work: a test in which everything fails, whatever it is, shows nothing.
    #expect(outcomes.removeValue(forKey: "map-1-megabyte") == "done")
    #expect(outcomes.removeValue(forKey: "protect-data") == "done")
    #expect(outcomes.removeValue(forKey: "map-2-gigabytes") == "ENOMEM")
    #expect(outcomes.removeValue(forKey: "start-threads-without-end") != nil)
    #expect(outcomes.count == 15)
    for (name, outcome) in outcomes { #expect(outcome == "EPERM", "\(name)") }
  }

  @Test func landlockAloneKeepsFilesAndProcessesOut() throws {
    let outcomes = try attempts("landlock")
    let names = [
      "read-file", "list-folder", "create-file", "create-folder", "open-process-memory", "become-program",
      "connect-network",
    ]
    for name in names { #expect(outcomes[name] == "EACCES", "\(name)") }
    #expect(outcomes["start-process"] == "done")
    // The limits hold without any filter.
    #expect(outcomes["open-without-end"] == "EMFILE")
  }

  @Test func callsAreFilteredWithoutLandlock() throws {
    let allowed = ["map-1-megabyte", "map-2-gigabytes", "protect-data", "start-threads-without-end"]
    let outcomes = try attempts("seccomp").filter { !allowed.contains($0.key) }
    #expect(outcomes.count == 15)
    for (name, outcome) in outcomes { #expect(outcome == "EPERM", "\(name)") }
  }

  /// Those of root are not bounded by the kernel.
  private static let anybody =
    geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all" : ""
  private static var mayHaveNamespace: Bool {
    (try? Bench().shell("\(anybody) unshare --user true")) != nil
  }

  @Test(.enabled(if: mayHaveNamespace, "needs user namespaces"))
  func threadsAreBounded() throws {
    var outcomes = try attempts("", by: Self.anybody)
    #expect(outcomes.removeValue(forKey: "start-threads-without-end") == "EAGAIN")
    for name in ["map-1-megabyte", "protect-data"] { #expect(outcomes.removeValue(forKey: name) == "done") }
    #expect(outcomes.removeValue(forKey: "map-2-gigabytes") == "ENOMEM")
    for (name, outcome) in outcomes { #expect(outcome == "EPERM", "\(name)") }
  }

  private static let weighsSessions =
    (try? HostFile.read("/proc/sys/kernel/sched_autogroup_enabled")) == Array("1\n".utf8)

  @Test(.enabled(if: weighsSessions, "the kernel does not weigh sessions"))
  func programsOfOtherSessionsGoFirst() throws {
    let decoder = Bench.decoder()
    #expect(throws: DecoderError.notMedia) { try decoder.derive(Array("text".utf8)) }
    let groups = try withExtendedLifetime(decoder) {
      try Bench().shell(
        """
        for process in $(pgrep -P \(getpid()) -x agonyfs-decoder); do
          cat /proc/$process/autogroup 2>/dev/null || true
        done
        """)
    }
    #expect(String(decoding: groups, as: UTF8.self).contains(" nice 5\n"))
  }

  @Test func theDaemonKnows() throws {
    let decoder = Bench.decoder()
    #expect(decoder.sandboxState == .unknown)
    #expect(throws: DecoderError.notMedia) { try decoder.derive(Array("text".utf8)) }
    #expect(decoder.sandboxState.isComplete)
    #expect("\(decoder.sandboxState)".hasPrefix("Landlock "))
    // `.agonyfs/status` says it. The kernel never bounds those of root.
    let isBounded = geteuid() != 0 && Self.mayHaveNamespace
    #expect("\(decoder.sandboxState)".hasSuffix(", no bound on threads") == !isBounded)
  }
}
