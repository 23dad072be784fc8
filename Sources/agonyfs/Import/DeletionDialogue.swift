internal import Client
internal import HostFiles
internal import Import
internal import System
internal import SystemPackage

/// Deletes originals after asking once, and reports the result.
struct DeletionDialogue {
  let command: ImportCommand
  let calls: FileCalls
  let signals: HeldSignals

  /// Deletes the originals of a run. Returns how many could not be deleted.
  func delete(_ list: DeletionList, _ summary: ImportSummary) throws -> Int {
    if summary.isTakeoutKept {
      Output.note(
        "No original was deleted: a Takeout is deleted only as a whole, and not all of it is verified in the space.")
    } else {
      for path in summary.keptArchives {
        Output.note("\(TerminalText.safe(path)) stays: not every entry of it is verified in the space.")
      }
    }
    let isAtEnd = summary.end == nil && !summary.isInterrupted
    guard isAtEnd, list.count > 0 else {
      if !isAtEnd, !command.watch {
        Output.note("No original was deleted, because the import did not finish.")
      }
      try? list.remove()
      return 0
    }
    let plan = "\(list.count.counted("original")) (\(ByteSize(bytes: list.bytes)))"
    guard command.yes || Terminal()?.confirm("Everything is in the vault and verified. Delete \(plan)?") ?? false else {
      Output.note("No original was deleted.")
      try? list.remove()
      return 0
    }
    return try deleteAll(of: list)
  }

  /// Finishes the interrupted deletions of earlier runs, if the user wants that; otherwise reports them. Returns how
  /// many originals could not be deleted.
  func finishInterrupted(_ target: ImportTarget) throws -> Int {
    if command.dryRun { return 0 }
    var failed = 0
    for name in try calls.names(in: target.incoming) where name.starts(with: DeletionList.prefix) {
      guard let list = try? DeletionList(calls, in: target.incoming, existing: name) else { continue }
      var gone = 0
      var left = 0
      try list.forEach { original in
        if isGone(original) { gone += 1 } else { left += 1 }
        return true
      }
      guard left > 0 else {
        try? list.remove()
        continue
      }
      let state =
        "An earlier import was interrupted while it deleted originals: \(gone.counted("is", "are")) deleted, "
        + "\(left.counted("is", "are")) not."
      guard command.deleteOriginals else {
        Output.note("\(state) To delete the rest, import again with --delete-originals.")
        continue
      }
      guard command.yes || Terminal()?.confirm("\(state) Delete the rest, if the vault has it?") ?? false else {
        Output.note("The rest stays.")
        try? list.remove()
        continue
      }
      Output.note("\(state) Deleting the rest.")
      let deletion = OriginalDeletion(calls)
      // Files may have been deleted from the space since then.
      failed += try deleteAll(of: list) { deletion.statusIfStored($0, target) }
    }
    return failed
  }

  /// Whether an original has been removed from its directory. False if the directory is missing, because a missing
  /// medium says nothing.
  private func isGone(_ original: Original) -> Bool {
    guard (try? BytePath(original.directory).status()) != nil else { return false }
    return (try? BytePath(original.path).status()) == nil
  }

  private func deleteAll(of list: DeletionList, verify: ((Original) -> FileStatus?)? = nil) throws -> Int {
    let deletion = OriginalDeletion(calls)
    var deleted = 0
    var left = 0
    func stays(_ original: Original, _ reason: String) {
      left += 1
      Output.note("\(TerminalText.safe(original.path)) stays: \(reason).")
    }
    try deletion.deleteAll(of: list, isCancelled: { signals.arePending }, verify: verify) { original, outcome in
      switch outcome {
      case .deleted: deleted += 1
      case .gone: break
      case .changed: stays(original, "it was changed after it was verified")
      case .inUse: stays(original, "a program has it open for writing")
      case .notInSpace: stays(original, "the space no longer has a file with its content; import it again")
      case .failed(let error): stays(original, "it could not be deleted: \(Errno(rawValue: error).description)")
      }
    }
    Output.line(
      "\(deleted.counted("original")) deleted. Deleting is not erasing: until the medium is "
        + "overwritten, programs can find them there.")
    return left
  }
}
