internal import Client
internal import Glibc
internal import System

/// How far files have come that are imported or exported: a line on standard error, five times a second at a terminal
/// and once a second elsewhere.
final class TransferProgress {
  private let totals: (files: Int, bytes: Int64)?
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let start = monotonicTime()
  private var lastShown: UInt64
  private var files = 0
  private var bytes: Int64 = 0
  /// Bytes that were read of files that are not finished yet.
  private var underway: Int64 = 0
  private var isLineShown = false

  /// Begins. Nothing is shown if nobody knows how much there is.
  init(of totals: (files: Int, bytes: Int64)?) {
    self.totals = totals
    lastShown = start
  }

  /// Counts a file, and shows how far it is.
  func add(bytes count: Int64) {
    files += 1
    // What an archive claims may be anything.
    bytes = min(bytes, Int64.max / 4) + min(count, Int64.max / 4)
    underway = max(0, underway - count)
    show()
  }

  /// Counts bytes that were read of a file that is not finished.
  func read(_ count: Int) {
    underway += Int64(count)
    show()
  }

  private func show() {
    let now = monotonicTime()
    guard let totals, now - lastShown >= (isTerminal ? 200_000_000 : 1_000_000_000) else { return }
    lastShown = now
    let seconds = Double(now - start) / 1e9
    // What is read twice to be compared counts once.
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

  /// Seconds that are left; nil as long as that would be a guess: in the first seconds, and before a share of the bytes.
  static func timeLeft(after seconds: Double, _ bytes: Int64, of total: Int64) -> Double? {
    guard seconds >= 5, bytes > 0, bytes >= total / 20 else { return nil }
    return Double(max(0, total - bytes)) * seconds / Double(bytes)
  }

  func clear() {
    if isLineShown { Output.writeError("\r\u{1B}[K") }
    isLineShown = false
  }
}
