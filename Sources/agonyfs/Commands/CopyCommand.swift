internal import ArgumentParser
internal import ObjectStore
internal import RemoteStore
internal import System
internal import SystemPackage
internal import VaultCopy

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a vault to a disk or a bucket, and back.",
    usage: "agonyfs copy [<options>] <from> <to>", discussion: HelpText.copy)

  @Argument(help: "The vault: a directory, or s3://BUCKET/PREFIX.", completion: .directory)
  var from: Word

  @Argument(help: "The copy: a directory, or s3://BUCKET/PREFIX.", completion: .directory)
  var to: Word

  @Flag(help: "Copy nothing; compare the checksums of all files.")
  var verify = false

  @Flag(help: "Read every byte of the copy instead of its checksums; with --verify copy nothing.")
  var readBack = false

  @OptionGroup
  var transfer: TransferOptions

  @OptionGroup(title: "Bucket")
  var store: StoreOptions

  @OptionGroup(title: "Bucket")
  var fromStore: FromStoreOptions

  func validate() throws {
    let isBucket = [from, to].map { $0.text.hasPrefix(StoreOptions.scheme) }
    if !isBucket.contains(true), store.isGiven || fromStore.isGiven {
      throw ValidationError("The options of buckets need s3://BUCKET/PREFIX as <from> or <to>.")
    }
    try fromStore.validate(besides: store, sourceIsBucket: isBucket[0], targetIsBucket: isBucket[1])
  }

  func run() throws {
    Heap.keepBuffers()
    try checkPlaces()
    let signals = HeldSignals()
    defer { signals.release() }
    let limit = transfer.newLimit()
    let source = try end(from, fromStore.place(besides: store), signals, limit: limit)
    let isLocal = ![from, to].contains { $0.text.hasPrefix(StoreOptions.scheme) }
    let target = try end(to, store.ofTarget, signals, limit: limit, limitsWrites: isLocal)
    var options = CopyOptions()
    (options.jobs, options.onlyCompares, options.readsBack) = (transfer.jobs, verify, readBack)
    let copy = CopyRun(from: source, to: target, options)
    let watch = try SignalWatch(signals) { copy.cancel() }
    defer { watch.end() }
    let line = CopyLine(verify ? "comparing" : "copying")
    let summary: CopySummary
    do throws(CopyError) {
      defer { line.end() }
      summary = try copy.run { progress in
        line.show(progress)
        return true
      } note: { sentence in
        Output.note(sentence)
      }
    } catch {
      let failure = CommandFailure(error)
      guard error == .cancelled else { throw failure }
      // Printed before the signal ends the process.
      Output.note(failure.message)
      throw ExitCode(failure.status.rawValue)
    }
    try report(summary)
  }

  /// An end of the copy. Nothing but a bucket is opened yet.
  private func end(
    _ word: Word, _ place: StoreOptions.Place, _ signals: HeldSignals, limit: BandwidthLimit?,
    limitsWrites: Bool = false
  ) throws -> any CopyTarget {
    guard word.text.hasPrefix(StoreOptions.scheme) else {
      return DirectoryEnd(AbsolutePath.of(word.path), limit: limitsWrites ? limit : nil)
    }
    let opened = try store.open(word.text, place, connections: transfer.jobs, check: .now(signals))
    return StoreEnd(
      opened.store, at: opened.address, limit: limit, atOnce: transfer.jobs > 1, stop: { opened.store.stop() })
  }

  private func checkPlaces() throws {
    for word in [from, to] where word.bytes.isEmpty { throw CommandFailure.empty("The path of a vault") }
    let isStore = [from, to].map { $0.text.hasPrefix(StoreOptions.scheme) }
    if isStore[0] != isStore[1] { return }
    if isStore[0] {
      let places = (
        try store.address(of: from.text, fromStore.place(besides: store)),
        try store.address(of: to.text, store.ofTarget)
      )
      guard places.0 != places.1 else { throw CommandFailure(.usage, "\(places.0) cannot be copied to itself.") }
      return
    }
    let (source, target) = (AbsolutePath.of(from.path), AbsolutePath.of(to.path))
    let parent = target.removingLastComponent()
    let name = target.lastComponent?.string ?? ""
    let found = target.resolved ?? parent.resolved.map { $0.appending(name) } ?? target
    if let vault = source.resolved, found.starts(with: vault) {
      throw CommandFailure(.usage, "\(found) is the vault itself, or in it; choose another place for the copy.")
    }
  }

  private func report(_ summary: CopySummary) throws {
    let lacking = summary.different + summary.missing
    if summary.extra > 0 {
      Output.note(
        "\(to.text) has \(summary.extra.counted("file")) that \(from.text) does not have; they stay. Their number may "
          + "show what was deleted, so copy to a new place before the copy leaves your hands.")
    }
    let leftOut = LeftOutFiles(
      place: from.text, gone: summary.gone, unusable: summary.shortened + summary.tooLarge)
    if let failure = leftOut.failure(others: "all others were \(verify ? "compared" : "copied")") { throw failure }
    guard verify else {
      Output.line("Copied \(summary.copied.counted("file")) of \(summary.files).")
      return
    }
    if lacking > 0 {
      throw CommandFailure(
        .damage,
        "\(to.text) lacks \(summary.missing.counted("file")), and has other bytes in \(summary.different). If nothing was "
          + "written since, copy again with --read-back.")
    }
    if summary.unknown > 0 {
      throw CommandFailure(
        .failure,
        "\(to.text) keeps no checksums of \(summary.unknown.counted("file")); compare them with: agonyfs copy "
          + "--verify --read-back")
    }
    Output.line("All \(summary.files.counted("file")) are the same.")
  }
}
