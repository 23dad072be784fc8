internal import Client

/// Lists paths in a message.
enum PathList {
  /// Most paths in one list.
  private static let most = 10

  /// The first paths, and how many more of `count` there are.
  static func text(_ paths: [[UInt8]], of count: Int) -> String {
    let shown = paths.prefix(most)
    let more = count > shown.count ? " and \(count - shown.count) more" : ""
    return shown.map { TerminalText.safe($0) }.joined(separator: ", ") + more
  }
}
