internal import Client
internal import Glibc
internal import System
internal import VaultCopy

/// The progress of a copy: a line at the terminal, and nothing elsewhere.
final class CopyLine {
  private let text: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let start = monotonicTime()
  private var lastShown: UInt64 = 0
  private var isShown = false

  init(_ text: String) { self.text = text }

  func show(_ progress: CopyProgress) {
    let now = monotonicTime()
    guard isTerminal, progress.total > 0, now - lastShown >= 200_000_000 else { return }
    lastShown = now
    isShown = true
    Output.writeError("\r\u{1B}[Kagonyfs: \(Self.line(text, progress, after: Double(now - start) / 1e9))")
  }

  func end() {
    if isShown { Output.writeError("\r\u{1B}[K") }
    isShown = false
  }

  /// The line: bytes that are done, bytes per second, and the time left once an estimate is more than a guess.
  static func line(_ text: String, _ progress: CopyProgress, after seconds: Double) -> String {
    var line = "\(text): \(ByteSize(bytes: progress.done)) of \(ByteSize(bytes: progress.total))"
    if seconds >= 1 { line += ", \(ByteSize(bytes: Int64(min(Double(progress.done) / seconds, 1e15))))/s" }
    if let left = TransferProgress.timeLeft(after: seconds, progress.done, of: progress.total) {
      line += ", \(ShortWords.length(left)) left"
    }
    return line
  }
}
