internal import Client

/// Some paths for a message.
enum PathList {
  /// Paths that are shown.
  private static let most = 10

  /// The first paths, and how many more there are of `count`.
  static func text(_ paths: [[UInt8]], of count: Int) -> String {
    let shown = paths.prefix(most)
    let more = count > shown.count ? " and \(count - shown.count) more" : ""
    return shown.map { TerminalText.safe($0) }.joined(separator: ", ") + more
  }
}
