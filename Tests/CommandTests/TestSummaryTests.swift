import TestSupport
import Testing

/// What `scripts/test` says at its end, from the output of a run.
@Suite struct TestSummaryTests {
  /// The lines that the script makes of an output, and whether it succeeded.
  private func summary(of output: String, path: String = #filePath) throws -> (lines: [String], isGood: Bool) {
    let script = path.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/test-summary"
    let outcome = try Outcome(script, arguments: [], input: output)
    #expect(outcome.errors == "")
    return (outcome.output.split(separator: "\n").map(String.init), outcome.status == 0)
  }

  @Test func everyTestAndEveryReasonCounts() throws {
    let output = """
      ◇ Test run started.
      ◇ Suite Some started.
      ◇ Test first() started.
      ➜ Test second() skipped: "needs root: a reason"
      ➜ Test third() skipped: "needs root: a reason"
      ➜ Test fourth() skipped.
      ◇ Test fifth(_:) started.
      ◇ Test case passing 1 argument seed → 1 to fifth(_:) started.
      checked: 7 cases✔ Test first() passed after 0.001 seconds.
      ✔ Test fifth(_:) with 2 test cases passed after 0.110 seconds.
      ◇ Test "sixth test" started.
      ✔ Test "sixth test" passed after 1.2 seconds with 1 known issue.
      ✔ Suite Some passed after 0.033 seconds.
      ✔ Test run with 6 tests in 1 suite passed after 0.038 seconds.

      """
    let (lines, isGood) = try summary(of: output)
    #expect(
      lines == ["skipped: 1: no reason is given", "skipped: 2: needs root: a reason", "3 passed, 0 failed, 3 skipped"])
    #expect(isGood)
  }

  @Test func failuresAndEndsThatAreMissingCount() throws {
    let output = """
      ◇ Test first() started.
      ◇ Test second() started.
      ✘ Test first() recorded an issue at A.swift:1:1: Expectation failed: 1 == 2
      ✘ Test first() failed after 0.001 seconds with 1 issue.

      """
    let (lines, isGood) = try summary(of: output)
    #expect(lines == ["did not end: second()", "0 passed, 1 failed, 0 skipped"])
    #expect(!isGood)
    #expect(try summary(of: "") == (["no test ran", "0 passed, 0 failed, 0 skipped"], false))
    let other = try summary(
      of: "✔ Test a() passed after 1.0 seconds.\n✔ Test run with 2 tests in 1 suite passed after 1.0 seconds.\n")
    #expect(other.lines.first == "the run had 2 tests, but says what became of 1")
    #expect(!other.isGood)
  }

  @Test func theOtherFrameworkCountsToo() throws {
    let output = """
      Test Case 'A.testOne' started at 2026-01-01 00:00:00.000
      Test Case 'A.testOne' passed (0.1 seconds)
      Test Case 'A.testTwo' started at 2026-01-01 00:00:00.000
      A.swift:7: A.testTwo : Test skipped - needs root
      Test Case 'A.testTwo' skipped (0.0 seconds)
      Executed 2 tests, with 1 test skipped and 0 failures (0 unexpected) in 0.1 (0.1) seconds

      """
    let (lines, isGood) = try summary(of: output)
    #expect(lines == ["skipped: 1: needs root", "1 passed, 0 failed, 1 skipped"])
    #expect(isGood)
  }
}
