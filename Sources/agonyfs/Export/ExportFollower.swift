internal import Client
internal import Export
internal import SystemPackage

final class ExportFollower: ExportObserver {
  private let progress: TransferProgress
  private let signals: HeldSignals
  private let library: PhotoLibrary

  init(_ plan: ExportPlan, _ library: PhotoLibrary, signals: HeldSignals) {
    progress = TransferProgress(of: (plan.files, plan.bytes))
    self.library = library
    self.signals = signals
  }

  var isCancelled: Bool { signals.arePending }

  func finished(_ path: [UInt8], bytes: Int64, _ outcome: ExportOutcome) {
    if case .failed(let failure) = outcome, failure != .interrupted {
      progress.clear()
      Output.note("\(TerminalText.safe(library.shown(path))) was not exported: \(failure.words).")
    }
    progress.add(bytes: bytes)
  }

  func end() { progress.clear() }
}

extension ExportFailure {
  /// What failed, as a clause.
  var words: String {
    switch self {
    case .kind(let kind): "it is \(kind)"
    case .source(let error): "it cannot be read: \(Errno(rawValue: error).description)"
    case .changed: "it was changed while it was read"
    case .storedDiffers: "the bytes that were read differ from those in the vault; try again"
    case .nameImpossible:
      "the destination does not allow its name; export with --portable, or into a zip archive"
    case .destination(let error): "it cannot be written: \(Errno(rawValue: error).description)"
    case .writtenDiffers: "the bytes that were read back from the destination differ; check that disk"
    case .noName: "too many files there have its name"
    case .nameTaken: "another sidecar has its name; move that away"
    case .unchangeable(let reason): "it cannot be changed as you asked: \(reason)"
    case .interrupted: "the export ended before it was complete"
    }
  }
}
