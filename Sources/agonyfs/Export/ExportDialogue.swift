internal import ArgumentParser
internal import Client
internal import Export
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// `agonyfs export`: finds the files, exports them, and reports the results.
struct ExportDialogue {
  let library: PhotoLibrary
  let query: String
  let destination: ExportDestination
  let command: ExportCommand

  func run() throws {
    let calls = FileCalls()
    let space = try space(calls)
    let (found, pending) = try self.plan(space)
    var plan = found
    if pending > 0 {
      Output.note(
        "\(pending.counted("file was", "files were")) not examined yet, and may be missing; "
          + (library.isMounted
            ? "wait with agonyfs thumbnails, and export again." : "mount the space, and export again."))
    }
    if plan.items.isEmpty, !query.isEmpty {
      Output.note("Nothing was found, so nothing was exported.")
      if pending > 0 { throw ExitCode(CommandStatus.notAllImported.rawValue) }
      return
    }
    makeNames(&plan)
    let signals = HeldSignals()
    defer { signals.release() }
    let changes = try PhotoChanges(command, space, library, exportsAll: query.isEmpty)
    defer { changes.stop() }
    let writer = try destination.writer(calls, verifies: command.verify)
    let follower = ExportFollower(plan, library, signals: signals)
    let summary = ExportRun(space, to: writer, changes, observer: follower).run(plan)
    follower.end()
    try tell(summary, changes)
    if !summary.isWhole || pending > 0 { throw ExitCode(CommandStatus.notAllImported.rawValue) }
  }

  private func space(_ calls: FileCalls) throws -> any ExportSpace {
    if let vault = library.source as? VaultSource { return VaultSpace(vault.fileSystem) }
    return try CommandFailure.doing("opening \(TerminalText.safe(library.wholePrefix))") { () throws(Errno) in
      MountedSpace(calls, root: try calls.openDirectory(library.wholePrefix))
    }
  }

  /// Plans the export. `pending` is the number of files that may be missing, because they are not examined yet.
  private func plan(_ space: any ExportSpace) throws -> (plan: ExportPlan, pending: Int) {
    var plan = ExportPlan(space, album: library.album)
    guard !query.isEmpty else {
      plan.addAll()
      return (plan, 0)
    }
    var request = library.request(query)
    request.format = .paths
    request.sort = "name"
    var reader = try library.source.answer(to: request)
    let trailer = try reader.paths { plan.add(Array($0)) }
    return (plan, trailer.pending)
  }

  /// Lists, before anything is written, the names that Windows refuses, and replaces them if the user asked for it.
  private func makeNames(_ plan: inout ExportPlan) {
    let refused = plan.refusedPaths
    guard !refused.isEmpty else { return }
    if command.portable { plan.makePortable() }
    Output.note(
      "Windows and exFAT refuse \(refused.count.counted("name")): \(PathList.text(refused, of: refused.count)). "
        + (command.portable
          ? "Refused characters are replaced by _." : "To replace refused characters by _, give --portable."))
  }

  private func tell(_ summary: ExportSummary, _ changes: PhotoChanges) throws {
    if summary.withoutAttributes > 0 {
      Output.note(
        "\(summary.withoutAttributes.counted("file")) lost times or extended attributes, which the destination cannot "
          + "keep; --xmp writes your words into sidecars.")
    }
    if changes.withOwnSidecar > 0 {
      Output.note(
        "\(changes.withOwnSidecar.counted("file")) with words of yours had a sidecar already, so --xmp wrote no other."
      )
    }
    let isArchive = destination.kind != .folder
    if summary.isInterrupted || summary.end != nil, isArchive {
      if destination.kind == .archive { Output.note("The incomplete archive was deleted.") }
    } else {
      say(line(summary))
    }
    if let end = summary.end {
      var status = CommandStatus.notAllImported
      if case .destination(let error) = end, [ENOSPC, EDQUOT].contains(error) { status = .noRoom }
      throw CommandFailure(status, "The export stopped: \(end.endWords).")
    }
    if summary.isInterrupted {
      Output.note("Interrupted\(isArchive ? "" : "; run it again to continue").")
    }
  }

  private func line(_ summary: ExportSummary) -> String {
    let isRead = command.verify && destination.kind != .stream
    var parts = ["\(summary.exported.counted("file")) exported\(isRead ? " and verified" : "")"]
    if summary.sidecars > 0 { parts.append(summary.sidecars.counted("sidecar")) }
    if summary.known > 0 { parts.append("\(summary.known) there already") }
    if summary.failed > 0 { parts.append("\(summary.failed) not exported") }
    return "\(parts.joined(separator: ", ")) (\(ByteSize(bytes: summary.bytes)) to \(destination.shown)). "
      + "Exported files are not encrypted."
  }

  /// Prints a result to standard output, unless the archive goes there.
  private func say(_ text: String) { destination.kind == .stream ? Output.note(text) : Output.line(text) }
}

extension ExportFailure {
  /// Why the export ended, as a clause.
  fileprivate var endWords: String {
    switch self {
    case .destination(let error) where [ENOSPC, EDQUOT].contains(error):
      "the destination is full; make room there and run it again"
    case .destination(let error): "writing failed: \(Errno(rawValue: error).description)"
    default: words
    }
  }
}
