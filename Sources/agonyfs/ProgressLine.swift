internal import Glibc
internal import Synchronization
internal import System

/// A line at the terminal that shows progress in percent: never in bytes or files, which some operations must keep
/// secret.
final class ProgressLine: Sendable {
  private let text: String
  private let showsRate: Bool
  private let start = monotonicTime()
  private let isShown = isatty(STDERR_FILENO) == 1
  private let last = Mutex(-1)

  /// - Parameter showsRate: whether the line shows bytes per second, which must be no secret.
  init(_ text: String, showsRate: Bool = false) {
    self.text = text
    self.showsRate = showsRate
  }

  func show(_ done: Int64, of all: Int64) {
    let percent = Int(Double(done) / Double(max(all, 1)) * 100)
    last.withLock { last in
      guard isShown, percent != last else { return }
      last = percent
      Output.writeError("\r\u{1B}[Kagonyfs: \(text): \(percent) %\(showsRate ? rate(done) : "")")
    }
  }

  private func rate(_ done: Int64) -> String {
    let seconds = Double(monotonicTime() - start) / 1e9
    return seconds < 1 ? "" : ", \(ByteSize(bytes: Int64(Double(done) / seconds)))/s"
  }

  func end() {
    last.withLock { last in
      if isShown, last >= 0 { Output.writeError("\r\u{1B}[K") }
      last = -1
    }
  }
}
