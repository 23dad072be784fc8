internal import Client
internal import HostFiles
internal import Import
internal import Media
internal import System
internal import SystemPackage

/// Shows the user how an import proceeds, and fills the report.
final class ImportFollower: ImportObserver {
  private let report: ImportReport?
  private let signals: HeldSignals
  private let isTrial: Bool
  /// The outcomes reported so far, so that a watched folder does not repeat them in each round.
  private let said: SaidOnce?
  private let progress: TransferProgress

  /// Without totals, no progress is shown.
  init(
    totals: (files: Int, bytes: Int64)?, report: ImportReport?, signals: HeldSignals, isTrial: Bool,
    said: SaidOnce? = nil
  ) {
    self.said = said
    progress = TransferProgress(of: totals)
    self.report = report
    self.signals = signals
    self.isTrial = isTrial
  }

  var isCancelled: Bool { signals.arePending }

  func finished(
    _ path: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, isVerified: Bool, isDescribed: Bool?
  ) {
    if let said {
      if case .known = outcome { return }
      guard said.isNew(path, outcome) else { return }
    }
    report?.add(path, status, outcome, isVerified: isVerified, isDescribed: isDescribed)
    if let text = outcome.complaint {
      progress.clear()
      Output.note("\(TerminalText.safe(path)): \(text).")
    } else if isTrial, let text = outcome.plan {
      Output.line("\(TerminalText.safe(path)) \(text)")
    }
    progress.add(bytes: status?.size ?? 0)
  }

  func read(_ bytes: Int) { progress.read(bytes) }

  func lost(_ attributes: [[UInt8]], of path: [UInt8]) {
    progress.clear()
    let names = attributes.map { TerminalText.safe($0) }.joined(separator: ", ")
    Output.note("\(TerminalText.safe(path)): imported without extended attributes that cannot be kept: \(names).")
  }

  func end() { progress.clear() }
}

/// Remembers the last report about each file of watched folders.
final class SaidOnce {
  private var complaints: [[UInt8]: ImportOutcome] = [:]

  /// Whether this differs from the last report about the file.
  func isNew(_ path: [UInt8], _ outcome: ImportOutcome) -> Bool {
    if outcome.isInSpace {
      complaints[path] = nil
      return true
    }
    // These files are tried again when they are complete.
    if outcome == .failed(.changed) || outcome == .failed(.interrupted) { return false }
    return complaints.updateValue(outcome, forKey: path) != outcome
  }
}

extension ImportOutcome {
  /// Why a file is not in the space, as a clause; nil if it is.
  var complaint: String? {
    switch self {
    // Files that were not reached or were left out are counted in the summary.
    case .imported, .duplicate, .known, .failed(.interrupted), .skipped(.systemFile): nil
    case .skipped(let reason): "skipped, \(reason.rawValue)"
    case .failed(let failure): "failed, \(failure.words)"
    }
  }

  var plan: String? {
    func shown(_ path: [UInt8]) -> String { TerminalText.safe(path) }
    switch self {
    case .imported(let path): return "-> \(shown(path))"
    case .duplicate(_, let existing): return "= \(shown(existing)), which is in the space"
    case .known(let path): return "= \(shown(path)), imported before"
    case .skipped, .failed: return nil
    }
  }
}

extension ImportFailure {
  /// What failed, as a clause.
  var words: String {
    switch self {
    case .changed: "it was changed while it was read"
    case .readsDiffer: "its bytes differed when it was read again; the medium or its connection is faulty"
    case .storedDiffers: "the stored bytes differ from those that were read; check the vault's disk"
    case .source(let error): "it cannot be read: \(Errno(rawValue: error.number).description)"
    case .space(let error): "it cannot be stored: \(Errno(rawValue: error.number).description)"
    case .noName: "too many files have its name"
    case .interrupted: "the import ended before it was complete"
    case .badName: "its path does not lead to an album"
    case .notAnArchive: "its archive format is not known; unpack it, and import its files"
    case .decoder: "the process that unpacks archives ended"
    case .withoutFile: "the file that it describes is not in the space"
    case .archive(let verdict): verdict.words
    }
  }
}

extension ArchiveVerdict {
  /// Why an archive or a file in it could not be read, as a clause.
  fileprivate var words: String {
    switch self {
    case .whole, .skipped: "the archive ended before it was complete"
    case .encrypted: "it is encrypted in the archive; unpack it with its password"
    case .damaged(let reason): "the archive is damaged: \(reason)"
    case .unsupported(let reason): "it is packed in an unknown way: \(reason)"
    case .tooLarge(let reason): "it may be a trap: \(reason)"
    }
  }
}
