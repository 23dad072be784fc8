internal import ArgumentParser
internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import System
internal import SystemPackage

/// `agonyfs import`: shows the plan or carries it out, and deletes originals after asking once.
struct ImportDialogue {
  let destination: ImportDestination
  let sources: ImportSources
  let pattern: DatePattern?
  let command: ImportCommand
  /// What the user should do if the import ends early.
  var again = "run it again"

  func run() throws {
    let calls = FileCalls()
    let target = try destination.open(calls, toWrite: !command.dryRun)
    let report = try command.report.map { try ImportReport($0.path) }
    let signals = HeldSignals()
    defer { signals.release() }
    let deletion = DeletionDialogue(command: command, calls: calls, signals: signals)
    var left = try deletion.finishInterrupted(target)
    let sandbox = command.decoder.decoderSandbox
    let times = try pattern.map { pattern in
      try TakenTimes(pattern, movesCompanions: command.moveCompanions, zone: try zone(), sandbox: sandbox)
    }
    defer { times?.stop() }
    let readers = ArchiveReaders(sandbox)
    defer { readers.stop() }
    if command.watch {
      try watch(calls, target, times, report, signals, deletion)
    } else {
      let listing = SourceListing(
        sources.all, calls, spaceDevice: target.device, tools: readers.tools,
        takeout: command.takeout.map { $0 ? .demanded : .none } ?? .found, includesTrash: command.takeoutTrash,
        groupsArchives: times != nil, takesAllFiles: command.allFiles,
        isCancelled: { signals.arePending || readers.areRefused })
      try readers.check()
      tell(listing)
      let follower = ImportFollower(
        totals: (listing.files, listing.bytes), report: report, signals: signals, isTrial: command.dryRun)
      let (summary, list) = importAll(calls, target, times, follower, listing, readers.tools)
      follower.end()
      try report?.finish()
      tell(summary)
      if let list { left += try deletion.delete(list, summary) }
      try end(summary)
      if left > 0 { throw ExitCode(CommandStatus.failure.rawValue) }
    }
  }

  /// The home zone of the space. Without it, nothing is sorted by date: photos would go to other days than the catalog
  /// shows.
  private func zone() throws -> SpaceZone {
    do {
      return try SpaceZone(ofSpaceAt: destination.mountPoint)
    } catch let error as Errno {
      throw CommandFailure(error, doing: "asking for the home zone of the space")
    }
  }

  private func importAll(
    _ calls: FileCalls, _ target: ImportTarget, _ times: TakenTimes?, _ follower: ImportFollower,
    _ listing: SourceListing? = nil, _ tools: ArchiveTools? = nil,
    accepts: ((ArraySlice<SourceEntry>) -> Bool)? = nil
  ) -> (summary: ImportSummary, list: DeletionList?) {
    var options = ImportOptions()
    options.album = destination.album
    options.skipsDuplicates = command.skipDuplicates
    options.verifies = command.verify
    options.deletesOriginals = command.deleteOriginals
    options.isTrial = command.dryRun
    options.takesAllFiles = command.allFiles
    options.sorter = times
    options.takeout = listing?.takeout
    if command.deleteOriginals {
      options.leavesOut = { (try? PhotoLibrary.place(of: $0)) == nil ? nil : .insideOtherSpace }
    }
    let list = command.deleteOriginals ? DeletionList(calls, in: target.incoming, named: options.name) : nil
    let importer = Importer(calls, into: target, options: options)
    let run = ImportRun(importer, observer: follower, list: list, base: [], tools: tools)
    let keepsName = destination.album.isEmpty && pattern == nil && !command.watch
    return (run.run(sources.all, listing: listing, keepsName: keepsName, accepts: accepts), list)
  }

  private func end(_ summary: ImportSummary) throws {
    if let end = summary.end {
      throw CommandFailure(
        Errno(rawValue: end) == .noSpace ? .noRoom : .notAllImported,
        "The import stopped: \(Errno(rawValue: end).description). "
          + (Errno(rawValue: end) == .noSpace ? "Make room, and " : "Correct that, and ") + "\(again) to continue.")
    }
    if summary.isInterrupted { Output.note("Interrupted; \(again) to continue.") }
    if !summary.isWhole { throw ExitCode(CommandStatus.notAllImported.rawValue) }
  }

  /// Imports new files until a signal arrives or the space accepts no more.
  private func watch(
    _ calls: FileCalls, _ target: ImportTarget, _ times: TakenTimes?, _ report: ImportReport?, _ signals: HeldSignals,
    _ deletion: DeletionDialogue
  ) throws {
    let watch = try CommandFailure.doing("watching the folders") { () throws(Errno) in
      try FolderWatch(sources.all.map(\.path))
    }
    let said = SaidOnce()
    var isDue = true
    while !signals.arePending {
      if isDue || watch.hasWaiting {
        watch.refresh()
        // The zone may have been changed since.
        if let times { try times.goBy(zone()) }
        let follower = ImportFollower(
          totals: nil, report: report, signals: signals, isTrial: false, said: said)
        let (summary, list) = importAll(calls, target, times, follower, accepts: watch.isComplete)
        watch.forgetGone()
        if summary.imported + summary.duplicates > 0 { tell(summary) }
        // Originals that stay were reported, and the next round checks them again.
        if let list { _ = try deletion.delete(list, summary) }
        try report?.finish()
        if summary.end != nil { try end(summary) }
      }
      // Signals are blocked, so they cannot end this wait.
      isDue = watch.wait(milliseconds: 500)
    }
  }

  private func tell(_ listing: SourceListing) {
    guard let takeout = listing.takeout else { return }
    let counts = takeout.matches.counts
    Output.note(
      "This is a Google Takeout: \(counts.matched.counted("file has", "files have")) a description, "
        + "\(counts.unmatched.counted("has", "have")) none, and "
        + "\(counts.unused.counted("description is", "descriptions are")) of files that are not there.")
    if let text = Self.missingParts(takeout.named, undescribed: takeout.undescribed) { Output.note(text) }
    if pattern != nil, takeout.undescribed > 0 {
      Output.note("A photo without a description is sorted by the day in its own data, or by the day of its file.")
    }
  }

  /// Names the missing parts of a Takeout, as far as they can be known; nil if nothing indicates one.
  static func missingParts(_ parts: TakeoutParts, undescribed: Int) -> String? {
    let together = "name all parts together; files that the space already has are not stored again."
    let missing = parts.missing
    if !missing.isEmpty {
      return "Parts are missing: \(missing.joined(separator: ", ")). They may contain descriptions, so \(together)"
    }
    if undescribed == 0 { return nil }
    let place = parts.last.isEmpty ? "another part" : "a part after \(parts.last.joined(separator: " or "))"
    return "Missing descriptions may be in \(place): if there is one, \(together)"
  }

  private func tell(_ summary: ImportSummary) {
    let verb = command.dryRun ? "would be imported" : command.verify ? "imported and verified" : "imported"
    var parts = ["\(summary.imported.counted("file")) \(verb)"]
    if summary.duplicates > 0 { parts.append("\(summary.duplicates) already in the space") }
    if summary.known > 0 { parts.append("\(summary.known) imported before") }
    if summary.skipped > 0 { parts.append("\(summary.skipped) skipped") }
    if summary.systemFiles > 0 { parts.append("\(summary.systemFiles) left out") }
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    if summary.unreached > 0 { parts.append("\(summary.unreached) not reached") }
    // The line that says where the files are comes last.
    if summary.systemFiles > 0, !command.watch {
      Output.note(
        "System files are left out, and never deleted: "
          + "\(PathList.text(summary.systemPaths, of: summary.systemFiles)). To import them, give --all-files.")
    }
    if summary.datedByFile > 0 {
      let isOne = summary.datedByFile == 1
      Output.note(
        "\(summary.datedByFile.counted("photo or video states", "photos or videos state")) no time, and "
          + "\(command.dryRun ? "would go" : "went") to the day of \(isOne ? "its file" : "their files"): "
          + "\(PathList.text(summary.datedByFilePaths, of: summary.datedByFile)).")
    }
    let place = destination.shown(summary.directory ?? destination.album)
    Output.line("\(parts.joined(separator: ", ")) (\(ByteSize(bytes: summary.bytes)) in \(place)).")
  }
}
