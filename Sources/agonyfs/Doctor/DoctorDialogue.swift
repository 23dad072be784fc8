// Invariants
// 1. A file that may be the only copy is deleted only after a yes to exactly that, or with --trash.

internal import Client
internal import System
internal import SystemPackage
internal import Traces

/// Shows what `doctor` found, asks, removes, and reports what is left.
struct DoctorDialogue {
  let command: DoctorCommand
  let search: TraceSearch
  private(set) var removed = 0
  /// How many findings could not be removed because of an error.
  private(set) var failures = 0
  var left: Int { search.findings.count - removed }
  private var outcomes: [Bool]

  init(command: DoctorCommand, search: TraceSearch) {
    self.command = command
    self.search = search
    outcomes = search.findings.map { _ in false }
  }

  mutating func run(_ notes: [SystemNote]) throws {
    let report = DoctorReport(search)
    if !command.json, !command.quiet { report.lines.forEach(Output.line) }
    // The list must be printed before the questions about it.
    try Output.finish()
    removeAll(report)
    if command.json {
      for (finding, isRemoved) in zip(search.findings, outcomes) { Output.line(DoctorReport.json(finding, isRemoved)) }
      for gap in search.gaps { Output.line(DoctorReport.json(gap)) }
      for note in notes { Output.line(DoctorReport.json(note)) }
    } else if !command.quiet {
      if removed > 0 {
        Output.line(
          "\(removed) of \(search.findings.count) removed. Deleting is not erasing: until the disk is overwritten, "
            + "programs can find them there.")
      }
      DoctorReport.lines(of: notes).forEach(Output.line)
    }
    sayWhatIsLeft()
  }

  private mutating func removeAll(_ report: DoctorReport) {
    guard !command.dryRun else { return }
    let terminal = command.yes || command.json ? nil : Terminal()
    let simple = search.findings.indices.filter { if case .remove = search.findings[$0].remedy { true } else { false } }
    if !simple.isEmpty, command.yes || terminal?.confirm("Remove \(report.summary(of: simple))?") ?? false {
      remove(simple)
    }
    let asked = search.findings.indices.filter {
      if case .removeIfAsked = search.findings[$0].remedy { true } else { false }
    }
    guard !asked.isEmpty else { return }
    if command.trash {
      let question = "Delete \(report.summary(of: asked)) for good? They may be the only copies."
      if command.yes || terminal?.confirm(question) ?? false { remove(asked) }
      return
    }
    for index in asked {
      let file = TerminalText.safe(search.findings[index].file)
      if terminal?.confirm("\(file) may be the only copy. Delete it for good?") ?? false { remove([index]) }
    }
  }

  private mutating func remove(_ indices: [Int]) {
    for index in indices {
      do throws(Errno) {
        try search.findings[index].removal?.carryOut()
        outcomes[index] = true
        removed += 1
      } catch {
        failures += 1
        // With --quiet the sentences go to the system log, which must name no file.
        let file = command.quiet ? "A file" : TerminalText.safe(search.findings[index].file)
        let reason =
          error == .resourceBusy ? "a program has just changed it; run agonyfs doctor again" : error.description
        Output.note("\(file) could not be removed: \(reason).")
      }
    }
  }

  private func sayWhatIsLeft() {
    if command.quiet {
      if !search.gaps.isEmpty {
        Output.note(
          "\(search.gaps.count.counted("file or folder", "files or folders")) could not be searched for traces; see "
            + "agonyfs doctor.")
      }
      let kept = left - failures
      if kept > 0 {
        Output.note("\(kept.counted("trace of the mount stays", "traces of the mount stay")); see agonyfs doctor.")
      }
      return
    }
    for gap in search.gaps { Output.note("\(TerminalText.safe(gap.path)) \(gap.clause).") }
    if search.known.isCut {
      Output.note(
        "The mount has too many files to compare all of them with thumbnails whose names are digests; some of these "
          + "thumbnails may stay.")
    }
    if search.findings.isEmpty {
      if !search.places.paths.isEmpty, !command.json { Output.line("No traces were found.") }
      return
    }
    if left > 0, !command.dryRun {
      Output.note(
        "\(left) of \(search.findings.count.counted("finding")) \(left == 1 ? "stays" : "stay"); the list says which "
          + "only you can remove, and how.")
    }
  }
}
