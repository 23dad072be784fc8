internal import Client
internal import Glibc
internal import System

/// The progress of an import or export: a line on standard error, five times a second at a terminal and once a second
/// elsewhere.
final class TransferProgress {
  private let totals: (files: Int, bytes: Int64)?
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let start = monotonicTime()
  private var lastShown: UInt64
  private var files = 0
  private var bytes: Int64 = 0
  /// Bytes that were read of unfinished files.
  private var underway: Int64 = 0
  private var isLineShown = false

  /// Nothing is shown if the totals are unknown.
  init(of totals: (files: Int, bytes: Int64)?) {
    self.totals = totals
    lastShown = start
  }

  /// Counts a finished file and updates the line.
  func add(bytes count: Int64) {
    files += 1
    // A size that an archive claims may be any number; halving the range keeps the sum from overflowing.
    bytes = min(bytes, Int64.max / 4) + min(count, Int64.max / 4)
    underway = max(0, underway - count)
    show()
  }

  /// Counts bytes that were read of an unfinished file.
  func read(_ count: Int) {
    underway += Int64(count)
    show()
  }

  private func show() {
    let now = monotonicTime()
    guard let totals, now - lastShown >= (isTerminal ? 200_000_000 : 1_000_000_000) else { return }
    lastShown = now
    let seconds = Double(now - start) / 1e9
    // A file that is read again for comparison counts once.
    let bytes = min(self.bytes + underway, max(totals.bytes, self.bytes))
    let rate = min(Double(bytes) / seconds, 1e15)
    var text =
      "\(files) of \(totals.files.counted("file")), \(ByteSize(bytes: bytes)) of \(ByteSize(bytes: totals.bytes))"
    if rate > 0 { text += ", \(ByteSize(bytes: Int64(rate)))/s" }
    if let left = Self.timeLeft(after: seconds, bytes, of: totals.bytes) {
      text += ", \(ShortWords.length(left)) left"
    }
    if isTerminal {
      Output.writeError("\r\u{1B}[Kagonyfs: \(text)")
      isLineShown = true
    } else {
      Output.note(text)
    }
  }

  /// Seconds left; nil while an estimate would be a guess: in the first five seconds, and before 5 % of the bytes.
  static func timeLeft(after seconds: Double, _ bytes: Int64, of total: Int64) -> Double? {
    guard seconds >= 5, bytes > 0, bytes >= total / 20 else { return nil }
    return Double(max(0, total - bytes)) * seconds / Double(bytes)
  }

  func clear() {
    if isLineShown { Output.writeError("\r\u{1B}[K") }
    isLineShown = false
  }
}
