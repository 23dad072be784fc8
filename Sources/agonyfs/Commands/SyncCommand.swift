internal import ArgumentParser
internal import RemoteStore
internal import System
internal import SystemPackage
internal import VaultCopy

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Keep a copy of a vault in a bucket up to date.",
    usage: "agonyfs sync [<options>] <vault> <bucket>", discussion: HelpText.sync)

  @Argument(help: "The vault, a directory.", completion: .directory)
  var vault: Word

  @Argument(help: "The copy: s3://BUCKET/PREFIX.")
  var bucket: Word

  @Flag(help: "Go on, and run again when the vault has changed.")
  var watch = false

  @Option(help: ArgumentHelp("Go on, and run once a day at this local time.", valueName: "HH:MM"))
  var at: DailyTime?

  @Option(help: ArgumentHelp("Send about this much in each run, such as 200M.", valueName: "size"))
  var rate: ByteSize?

  @Flag(help: "Only say what would be sent and deleted.")
  var dryRun = false

  @Flag(help: "Replace and delete what is newer in the bucket.")
  var deleteNewer = false

  @OptionGroup
  var transfer: TransferOptions

  @OptionGroup(title: "Bucket")
  var store: StoreOptions

  /// For tests: seconds of all waits of `--watch`.
  @Option(help: .private)
  var pause: Int64?

  /// The least bytes of a run, so that a run has room for a file of a vault.
  private static let leastRate = ByteSize(bytes: 1 << 20)

  func validate() throws {
    guard !vault.text.hasPrefix(StoreOptions.scheme) else {
      throw ValidationError("The vault must be a directory; agonyfs copy copies from buckets.")
    }
    guard bucket.text.hasPrefix(StoreOptions.scheme) else {
      throw ValidationError(
        "The copy must be in a bucket, s3://BUCKET/PREFIX; keep one on a disk up to date with rsync -a --delete-after.")
    }
    if let rate, rate.bytes < Self.leastRate.bytes { throw ValidationError("--rate must be 1M or more.") }
    guard goesOn else { return }
    guard !dryRun else { throw ValidationError("--dry-run is for one run; leave out --watch and --at.") }
    guard !deleteNewer else {
      throw ValidationError("--delete-newer is for one run; run that first, without --watch and --at.")
    }
  }

  /// The directory of the vault.
  var path: FilePath { AbsolutePath.of(vault.path) }

  private var goesOn: Bool { watch || at != nil }

  func run() throws {
    Heap.keepBuffers()
    guard !vault.bytes.isEmpty else { throw CommandFailure.empty("The path of the vault") }
    let signals = HeldSignals()
    do {
      if goesOn {
        // After a signal between two runs it stays held, because its release would end the process by the signal.
        return try SyncWatch(self, signals, pace).run()
      }
      let summary = try perform(signals)
      Output.line(dryRun ? summary.plan : summary.sentences(at: timeOfDay().seconds))
      if let failure = failure(of: summary) { throw failure }
    } catch let error as CopyError {
      let failure = CommandFailure(error)
      guard error == .cancelled else { throw failure }
      // Printed before the signal ends the process.
      Output.note(failure.message)
      signals.release()
      throw ExitCode(failure.status.rawValue)
    }
    signals.release()
  }

  private var pace: SyncPace {
    guard let pause else { return SyncPace() }
    return SyncPace(look: pause, leastRest: pause, longestRest: pause)
  }

  /// Checks that there are a vault and a bucket, without a run.
  ///
  /// - Throws: `CopyError`, among them `.cancelled` after a signal; `CommandFailure`.
  func check(_ signals: HeldSignals) throws {
    try checkVault()
    try store.open(bucket.text, store.ofTarget, connections: 1, check: .now(signals)).store.stop()
  }

  /// One run.
  ///
  /// - Parameters:
  ///   - checksFirst: whether vault and bucket may be wrong: no run has succeeded yet.
  ///   - memory: what earlier runs read of the vault; nil to read all files.
  ///   - note: called with sentences about the bucket.
  /// - Throws: `CopyError`, `CommandFailure`.
  func perform(
    _ signals: HeldSignals, checksFirst: Bool = true, memory: SyncMemory? = nil,
    note: (String) -> Void = { Output.note($0) }
  ) throws -> SyncSummary {
    if checksFirst { try checkVault() }
    let opened = try store.open(
      bucket.text, store.ofTarget, connections: transfer.jobs, check: checksFirst ? .withFirstRequest : .no)
    defer { opened.store.stop() }
    let target = StoreEnd(
      opened.store, at: opened.address, limit: transfer.newLimit(), atOnce: transfer.jobs > 1,
      stop: { opened.store.stop() })
    var options = SyncOptions()
    (options.jobs, options.deletesNewer) = (transfer.jobs, deleteNewer)
    (options.mostBytes, options.onlyPlans, options.memory) = (rate?.bytes, dryRun, memory)
    let sync = SyncRun(from: DirectoryEnd(path), to: target, options)
    let watch = try SignalWatch(signals) { sync.cancel() }
    defer { watch.end() }
    let line = CopyLine(dryRun ? "comparing" : "sending")
    defer { line.end() }
    do throws(CopyError) {
      return try sync.run { progress in
        line.show(progress)
        return true
      } note: { sentence in
        note(sentence)
      }
    } catch {
      guard checksFirst, !opened.store.hasAnswered, case .store(let reason, let address) = error else { throw error }
      throw StoreOptions.failure(reason, address)
    }
  }

  /// The end of a run that left files out; nil if there are none.
  func failure(of summary: SyncSummary) -> CommandFailure? {
    LeftOutFiles(place: vault.text, gone: summary.gone, unusable: summary.shortened + summary.tooLarge)
      .failure(others: "nothing was deleted in the bucket")
  }

  private func checkVault() throws {
    let source = DirectoryEnd(path)
    guard try source.readParameters() == nil else { return }
    throw source.isUnfinished ? CopyError.unfinished(source.place) : CopyError.noVault(source.place)
  }
}
