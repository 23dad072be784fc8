// One run of an export: file by file, in the order of the plan.
//
// Invariants
// 1. Every file of the plan has exactly one outcome.
// 2. The requested form of a file is determined once. A file that cannot be changed as requested is never exported
//    unchanged.

internal import Glibc
internal import HostFiles
internal import SystemPackage

/// The counts and the end of one run.
package struct ExportSummary: Hashable, Sendable {
  package var exported = 0
  package var known = 0
  package var failed = 0
  /// The number of sidecars that were written.
  package var sidecars = 0
  /// The number of bytes that were written.
  package var bytes: Int64 = 0
  /// The number of files whose times, or some of whose extended attributes, the destination does not keep.
  package var withoutAttributes = 0
  package var isInterrupted = false
  /// The failure that ended the run early; nil if none did.
  package var end: ExportFailure?

  /// Whether every file was exported.
  package var isWhole: Bool { failed == 0 && !isInterrupted && end == nil }
  /// The summary before the run.
  package init() {}
}

/// Receives the progress of an export.
package protocol ExportObserver: AnyObject {
  /// Called with the outcome of a file. `bytes` is its size in the plan.
  func finished(_ path: [UInt8], bytes: Int64, _ outcome: ExportOutcome)
  /// Whether to stop after the current file.
  var isCancelled: Bool { get }
}

/// The form in which a file is exported.
package enum ExportForm {
  /// The whole file, unchanged.
  case original
  /// Another content under this name, without extended attributes; `hasTime` says whether it keeps the times.
  case changed(any ContentReader, name: [UInt8], hasTime: Bool)
}

/// Chooses the form of each file.
package protocol ExportChanges: AnyObject {
  /// The form of a file.
  ///
  /// - Throws: `.unchangeable`.
  func form(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> ExportForm
  /// The sidecar to write next to an exported file; nil if there is none.
  func sidecar(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> [UInt8]?
}

/// One run of an export.
package final class ExportRun {
  private let space: any ExportSpace
  private let writer: any ExportWriter
  private let changes: any ExportChanges
  private let observer: any ExportObserver
  private var summary = ExportSummary()
  /// Files without an outcome, by the writer's number.
  private var underway: [Int: Underway] = [:]

  private struct Underway {
    let item: ExportPlan.Item
    let size: Int64
    let file: ExportFile
    /// The sidecar to write next to it.
    let words: [UInt8]?
    /// The outcome of the photo, while its sidecar is written.
    var photo: ExportOutcome?
  }

  /// A run from a space to a writer.
  package init(
    _ space: any ExportSpace, to writer: any ExportWriter, _ changes: any ExportChanges,
    observer: any ExportObserver
  ) {
    self.space = space
    self.writer = writer
    self.changes = changes
    self.observer = observer
  }

  /// Exports a plan. If the run ends early, the incomplete archive is removed.
  package func run(_ plan: ExportPlan) -> ExportSummary {
    for item in plan.items {
      if observer.isCancelled { summary.isInterrupted = true }
      guard summary.end == nil, !summary.isInterrupted else {
        if !item.isDirectory { note(item, 0, .failed(.interrupted)) }
        continue
      }
      if let failure = item.failure {
        note(item, 0, .failed(failure))
      } else if item.isDirectory {
        do throws(ExportFailure) {
          try writer.add(folder: item.parts)
        } catch {
          // Otherwise its files report the error.
          if writer.isBroken(by: error) { summary.end = error }
        }
      } else {
        export(item)
      }
    }
    collect(waits: true)
    if summary.end == nil, !summary.isInterrupted {
      do throws(ExportFailure) { try writer.finish() } catch { summary.end = error }
    }
    if summary.end != nil || summary.isInterrupted { writer.abandon() }
    summary.withoutAttributes = writer.withoutAttributes
    return summary
  }

  private func export(_ item: ExportPlan.Item) {
    var size: Int64 = 0
    do throws(ExportFailure) {
      let file = try ExportFailure.ofSource { () throws(Errno) in try space.open(item.path) }
      size = file.size
      let words = try changes.sidecar(of: item.path, file)
      let written = try describe(item, file)
      take(try writer.add(written), Underway(item: item, size: size, file: written, words: words))
    } catch {
      fail(item, size, error)
    }
    collect(waits: false)
  }

  /// Handles the outcomes of files in progress.
  private func collect(waits: Bool) {
    var outcomes = writer.outcomes(waits: waits)
    while !outcomes.isEmpty {
      for (number, outcome) in outcomes {
        guard let file = underway.removeValue(forKey: number) else { continue }
        settle(file, outcome)
      }
      // Handling them may have started sidecars.
      outcomes = waits ? writer.outcomes(waits: true) : []
    }
  }

  private func take(_ step: ExportStep, _ file: Underway) {
    switch step {
    case .underway(let number): underway[number] = file
    case .ended(let outcome): settle(file, outcome)
    }
  }

  /// Handles an outcome: writes the sidecar next to the photo, under the name that the photo got, or reports the
  /// outcome.
  private func settle(_ file: Underway, _ outcome: ExportOutcome) {
    if case .failed(let error) = outcome { return fail(file.item, file.size, error) }
    if case .exported(_, let bytes) = outcome { summary.bytes += bytes }
    if let photo = file.photo {
      if case .exported = outcome { summary.sidecars += 1 }
      return note(file.item, file.size, photo)
    }
    guard let words = file.words, let path = outcome.path else { return note(file.item, file.size, outcome) }
    let name = path[((path.lastIndex(of: 0x2F) ?? -1) + 1)...]
    var sidecar = ExportFile(
      folder: file.file.folder, name: Array(name) + Array(".xmp".utf8), content: MemoryContent(words))
    sidecar.isNameFixed = true
    sidecar.permissions = file.file.permissions
    var next = file
    next.photo = outcome
    do throws(ExportFailure) {
      take(try writer.add(sidecar), next)
    } catch {
      fail(file.item, file.size, error)
    }
  }

  private func fail(_ item: ExportPlan.Item, _ size: Int64, _ error: ExportFailure) {
    note(item, size, .failed(error))
    if writer.isBroken(by: error), summary.end == nil { summary.end = error }
  }

  private func describe(_ item: ExportPlan.Item, _ file: any ExportedFile) throws(ExportFailure) -> ExportFile {
    var parts = item.parts
    guard let name = parts.popLast() else { throw .source(EISDIR) }
    let status = file.status
    var written: ExportFile
    switch try changes.form(of: item.path, file) {
    case .original:
      written = ExportFile(folder: parts, name: name, content: file)
      written.attributes = try ExportFailure.ofSource { () throws(Errno) in try file.attributes() }
      written.isOriginal = true
      (written.accessed, written.modified) = (status.accessed, status.modified)
    case .changed(let content, let name, let hasTime):
      written = ExportFile(folder: parts, name: item.name(ofCopy: name), content: content)
      if hasTime { (written.accessed, written.modified) = (status.accessed, status.modified) }
    }
    written.source = file
    written.permissions = status.permissions & 0o666 | 0o600
    return written
  }

  private func note(_ item: ExportPlan.Item, _ size: Int64, _ outcome: ExportOutcome) {
    switch outcome {
    case .exported: summary.exported += 1
    case .known: summary.known += 1
    case .failed: summary.failed += 1
    }
    observer.finished(item.path, bytes: size, outcome)
  }
}
