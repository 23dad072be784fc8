import TestSupport
import Testing

/// What `scripts/test` says at its end, from the records of its runs.
@Suite struct TestSummaryTests {
  /// The lines that the script makes of records, one for each run, and whether it succeeded. Other files lie beside the
  /// records.
  private func summary(
    of records: [String]..., files: [String: String] = [:], path: String = #filePath
  ) throws -> (lines: [String], isGood: Bool) {
    let folder = try TemporaryFolder()
    let script = path.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/test-summary"
    let names = try records.enumerated().map { number, lines in
      let name = "\(number).jsonl"
      try folder.write(lines.joined(separator: "\n"), to: name)
      return folder.path(name)
    }
    for (name, text) in files { try folder.write(text, to: name) }
    let options = files["cases"] == nil ? [] : ["--cases", folder.path("cases")]
    let outcome = try Outcome(script, arguments: options + names)
    #expect(outcome.errors == "")
    return (outcome.output.split(separator: "\n").map(String.init), outcome.status == 0)
  }

  private func identifier(_ name: String) -> String { "M.S/\(name)/File.swift:7:4" }

  private func location(_ line: Int) -> String { #"{"fileID":"M/File.swift","line":\#(line)}"# }

  private func function(_ name: String, displayName: String? = nil) -> String {
    let shown = displayName.map { #","displayName":"\#($0)""# } ?? ""
    let payload =
      #"{"id":"\#(identifier(name))","kind":"function","name":"\#(name)"\#(shown),"sourceLocation":\#(location(7))}"#
    return #"{"kind":"test","payload":\#(payload),"version":0}"#
  }

  private func event(_ kind: String, _ name: String, _ more: String = "") -> String {
    #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(identifier(name))"\#(more)},"version":0}"#
  }

  private func failure(_ name: String, line: Int, _ texts: String...) -> String {
    let messages = texts.map { #"{"symbol":"fail","text":"\#($0)"}"# }.joined(separator: ",")
    return event(
      "issueRecorded", name,
      #","issue":{"isKnown":false,"sourceLocation":\#(location(line))},"messages":[\#(messages)]"#)
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

  @Test func failuresAreShown() throws {
    let long = "start " + String(repeating: "a", count: 1000) + "|" + String(repeating: "b", count: 1000) + " end"
    let (lines, isGood) = try summary(of: [
      function("a()"), function("b()", displayName: "a name"), function("c()"),
      failure("b()", line: 12, "Expectation failed: 1 == 2", #"exited(1)\noutput: x\n\nerrors: y"#),
      failure("b()", line: 13, "another"), event("testEnded", "b()"),
      failure("a()", line: 9, long), event("testEnded", "a()"), event("testEnded", "c()"),
    ])
    #expect(
      lines == [
        "failed: a() (M/File.swift:9): start " + String(repeating: "a", count: 294) + " ... "
          + String(repeating: "b", count: 596) + " end",
        "failed: a name (M/File.swift:12): Expectation failed: 1 == 2; exited(1) output: x errors: y (and 1 more)",
        "1 passed, 2 failed, 0 skipped",
      ])
    #expect(!isGood)
    let nobodys = #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"isKnown":false}},"version":0}"#
    #expect(
      try summary(of: [function("a()"), event("testEnded", "a()"), nobodys])
        == (["failed: outside of all tests: ", "1 passed, 1 failed, 0 skipped"], false))
  }

  /// One that ended with a failure and did not end counts in neither way.
  @Test func endsThatAreMissingAreShown() throws {
    let (lines, isGood) = try summary(of: [
      function("a()"), function("b()"), function("c()"), function("d()"), event("testStarted", "a()"),
      event("testStarted", "b()"), event("testStarted", "c()"), failure("c()", line: 8, "x"),
      event("testEnded", "a()"), #"{"kind":"ev"#,
    ])
    #expect(
      lines == [
        "failed: c() (M/File.swift:8): x", "did not end: b() (M/File.swift:7)", "did not end: c() (M/File.swift:7)",
        "did not end: 1 more", "1 passed, 0 failed, 0 skipped",
      ])
    #expect(!isGood)
    let passing = [function("a()"), event("testEnded", "a()")]
    #expect(try summary(of: passing, []) == (["no test ran", "1 passed, 0 failed, 0 skipped"], false))
  }

  /// A test that failed and passed when it was asked again counts as passed, and is named; so does what a process that was
  /// killed did not come to. One that fails twice has failed.
  @Test func whatIsAskedAgainCountsAsItEndsThen() throws {
    let functions = ["a()", "b()", "c()", "d()"].map { function($0) }
    let first =
      functions + [
        event("testStarted", "a()"), failure("a()", line: 8, "x"), event("testEnded", "a()"),
        event("testStarted", "b()"), failure("b()", line: 9, "y"), event("testEnded", "b()"),
        event("testStarted", "c()"),
      ]
    let rest = [function("d()"), event("testStarted", "d()"), event("testEnded", "d()")]
    let again =
      ["a()", "b()", "c()"].map { function($0) } + [
        event("testStarted", "a()"), event("testEnded", "a()"), event("testStarted", "b()"),
        failure("b()", line: 9, "z"), event("testEnded", "b()"), event("testStarted", "c()"), event("testEnded", "c()"),
      ]
    let (lines, isGood) = try summary(
      of: first,
      files: ["0.rest.jsonl": rest.joined(separator: "\n"), "0.again.jsonl": again.joined(separator: "\n")])
    #expect(
      lines == [
        "unstable: a() (M/File.swift:8): x", "unstable: c() (M/File.swift:7): did not end at first",
        "failed: b() (M/File.swift:9): z", "3 passed, 1 failed, 0 skipped",
      ])
    #expect(!isGood)
  }

  @Test func timesAndCasesAreShown() throws {
    let at = { (seconds: Double) in #","instant":{"absolute":\#(seconds)}"# }
    let record = [
      function("a()"), function("b()"), event("testStarted", "a()", at(3)), event("testEnded", "a()", at(4.5)),
      event("testStarted", "b()", at(5)), event("testEnded", "b()", at(15)),
    ]
    let (lines, _) = try summary(of: record, files: ["cases": "3\t10\tone\n4\t100\tanother\n"])
    #expect(
      lines == [
        "   10.0 s  b() (M/File.swift:7)", "    1.5 s  a() (M/File.swift:7)",
        "cases of enumerations: 7 of 110 tried", "2 passed, 0 failed, 0 skipped",
      ])
  }

  /// Of those that began, whose functions were on a stack when the run was stopped.
  @Test func whatHadAThreadIsShown() throws {
    let names = (1...40).map { "f\($0)(n:)" }
    let begun = names.map { function($0) } + names.map { event("testStarted", $0) }
    let (lines, isGood) = try summary(of: begun, files: ["0.stacks": "M.Support.help()\nM.S.f7(n:)\nN.S.f8(n:)\n"])
    #expect(
      lines == ["did not end: f7(n:) (M/File.swift:7)", "did not end: 39 more", "0 passed, 0 failed, 0 skipped"])
    #expect(!isGood)
    let unknown = try summary(of: begun, files: ["0.stacks": ""])
    #expect(unknown.lines.count == 32 && unknown.lines[30] == "did not end: 10 more")
  }
}
