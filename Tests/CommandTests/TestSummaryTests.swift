import TestSupport
import Testing

/// What `scripts/test` says at its end, from the records of its runs.
@Suite struct TestSummaryTests {
  /// The lines that the script makes of records, one for each run, and whether it succeeded.
  private func summary(of records: [String]..., path: String = #filePath) throws -> (lines: [String], isGood: Bool) {
    let folder = try TemporaryFolder()
    let script = path.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/test-summary"
    let files = try records.enumerated().map { number, lines in
      let name = "\(number).jsonl"
      try folder.write(lines.joined(separator: "\n"), to: name)
      return folder.path(name)
    }
    let outcome = try Outcome(script, arguments: files)
    #expect(outcome.errors == "")
    return (outcome.output.split(separator: "\n").map(String.init), outcome.status == 0)
  }

  private func function(_ name: String, displayName: String? = nil) -> String {
    let shown = displayName.map { #","displayName":"\#($0)""# } ?? ""
    return #"{"kind":"test","payload":{"id":"S/\#(name)","kind":"function","name":"\#(name)"\#(shown)},"version":0}"#
  }

  private func event(_ kind: String, _ name: String, _ more: String = "") -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"S/\#(name)"\#(more)},"version":0}"#
  }

  private func skipped(_ name: String, because reason: String?) -> String {
    let reason = reason.map { #": \"\#($0)\""# } ?? "."
    return event("testSkipped", name, #","messages":[{"symbol":"skip","text":"Test \#(name) skipped\#(reason)"}]"#)
  }

  @Test func everyTestAndEveryReasonCounts() throws {
    let first = [
      #"{"kind":"test","payload":{"id":"S","kind":"suite","name":"S"},"version":0}"#,
      function("a()"), function("b()"), function("c()"), function("d()"), function("e()", displayName: "a name"),
      skipped("b()", because: "needs root: a reason"), skipped("c()", because: "needs root: a reason"),
      skipped("d()", because: nil), event("testStarted", "a()"), event("testCaseEnded", "a()"),
      event("testEnded", "a()"), event("issueRecorded", "e()", #","issue":{"isKnown":true}"#),
      event("testEnded", "e()"), #"{"kind":"event","payload":{"kind":"testEnded","testID":"S"},"version":0}"#,
    ]
    let (lines, isGood) = try summary(of: first, [function("a()"), event("testEnded", "a()")])
    #expect(
      lines == ["skipped: 2: needs root: a reason", "skipped: 1: no reason is given", "3 passed, 0 failed, 3 skipped"])
    #expect(isGood)
  }

  @Test func failuresAndEndsThatAreMissingCount() throws {
    let failure = event("issueRecorded", "a()", #","issue":{"isKnown":false}"#)
    let (lines, isGood) = try summary(
      of: [function("a()"), function("b()"), failure, event("testEnded", "a()"), #"{"kind":"ev"#])
    #expect(lines == ["did not end: b()", "0 passed, 1 failed, 0 skipped"])
    #expect(!isGood)
    let passing = [function("a()"), event("testEnded", "a()")]
    #expect(try summary(of: passing, []) == (["no test ran", "1 passed, 0 failed, 0 skipped"], false))
    let nobodys = #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"isKnown":false}},"version":0}"#
    #expect(try summary(of: passing + [nobodys]) == (["1 passed, 1 failed, 0 skipped"], false))
  }
}
