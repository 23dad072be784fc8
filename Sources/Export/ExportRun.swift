// One run of an export: file by file, as the plan has it.
//
// Invariants
// 1. Every item of the plan that is a file has exactly one outcome.
// 2. What a file is changed to is asked once, and a file that cannot be changed as asked is never exported as it is.

internal import Glibc
internal import HostFiles
internal import SystemPackage

/// What one run did.
package struct ExportSummary: Hashable, Sendable {
  package var exported = 0
  package var known = 0
  package var failed = 0
  /// Sidecars that were written.
  package var sidecars = 0
  /// Bytes that were written.
  package var bytes: Int64 = 0
  /// Files of which the destination does not keep the times, or all extended attributes.
  package var withoutAttributes = 0
  package var isInterrupted = false
  /// Why it could not go on.
  package var end: ExportFailure?

  /// Whether everything is at the destination.
  package var isWhole: Bool { failed == 0 && !isInterrupted && end == nil }
  /// Nothing yet.
  package init() {}
}

/// Who follows an export.
package protocol ExportObserver: AnyObject {
  /// Called when the outcome of a file is known. `bytes` are those that the plan counted for it.
  func finished(_ path: [UInt8], bytes: Int64, _ outcome: ExportOutcome)
  /// Whether to stop after the file at hand.
  var isCancelled: Bool { get }
}

/// What becomes of a file.
package enum ExportForm {
  /// All of it, as it is.
  case original
  /// Another content under this name, without attributes; `hasTime` says whether it keeps its times.
  case changed(any ContentReader, name: [UInt8], hasTime: Bool)
}

/// Decides what becomes of files.
package protocol ExportChanges: AnyObject {
  /// What a file becomes.
  ///
  /// - Throws: `.unchangeable`.
  func form(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> ExportForm
  /// What is written beside a file that is exported; nil for nothing.
  func sidecar(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> [UInt8]?
}

/// One run of an export.
package final class ExportRun {
  private let space: any ExportSpace
  private let writer: any ExportWriter
  private let changes: any ExportChanges
  private let observer: any ExportObserver
  private var summary = ExportSummary()
  /// What has no outcome yet, by its number at the writer.
  private var underway: [Int: Underway] = [:]

  private struct Underway {
    let item: ExportPlan.Item
    let size: Int64
    let file: ExportFile
    /// What is to be written beside it.
    let words: [UInt8]?
    /// The outcome of the photo, when its words are written.
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

  /// Exports a plan. When it could not come to its end, an archive is taken away again.
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
          // Its files will say so.
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

  /// Takes the outcomes of files that were underway.
  private func collect(waits: Bool) {
    var outcomes = writer.outcomes(waits: waits)
    while !outcomes.isEmpty {
      for (number, outcome) in outcomes {
        guard let file = underway.removeValue(forKey: number) else { continue }
        settle(file, outcome)
      }
      // Sidecars may have begun.
      outcomes = waits ? writer.outcomes(waits: true) : []
    }
  }

  private func take(_ step: ExportStep, _ file: Underway) {
    switch step {
    case .underway(let number): underway[number] = file
    case .ended(let outcome): settle(file, outcome)
    }
  }

  /// Notes an outcome, or writes what the user said of a photo beside it, under the name that the photo got.
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
