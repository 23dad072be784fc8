internal import Gallery
internal import WebAccess

/// The limits and the output format of `agonyfs choose`.
struct Choosing: Sendable {
  /// The most photos; nil for any number.
  private let most: Int?
  /// `photo` or `video`; nil for both.
  private let type: String?
  private let minDuration: Int?
  private let maxDuration: Int?
  /// The text before each path in the output.
  private let prefix: [UInt8]
  private let end: UInt8

  /// Nil for `agonyfs serve`.
  init?(_ command: Program) {
    guard command.choose else { return nil }
    (most, type) = (command.most, command.type)
    (minDuration, maxDuration) = (command.minDuration, command.maxDuration)
    prefix = HostPath.bytes(of: command.prefix)
    end = command.null ? 0 : UInt8(ascii: "\n")
  }

  /// A query that finds the photos that may be chosen; empty if all may. Photos have no duration.
  var query: String {
    let conditions = [
      type.map { "type:\($0)" }, minDuration.map { "duration:>=\($0)s" }, maxDuration.map { "duration:<=\($0)s" },
    ]
    return conditions.compactMap(\.self).joined(separator: " ")
  }

  /// The limits as JSON for the page.
  var json: String {
    let numbers = [("most", most), ("minDuration", minDuration), ("maxDuration", maxDuration)]
    let fields = numbers.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    let word = type.map { ["\"type\":\"\($0 == "video" ? "video" : "photo")\""] } ?? []
    return "{\((fields + word).joined(separator: ","))}"
  }

  /// Updates the choice when the page shows another list: adds the photos chosen in the previous list, and removes
  /// those that the new list shows.
  ///
  /// - Parameter before: The previous list; nil at the beginning.
  /// - Returns: The numbers of the chosen photos in the new list, and the number of all others.
  func carry(
    _ items: [Int], of before: Snapshot?, to shown: Snapshot, _ chosen: inout KeptChoice
  ) throws(GalleryError) -> (items: [Int], others: Int) {
    if before == nil || replaces(items) { chosen = KeptChoice() }
    if let before { try chosen.add(items, of: before) }
    let numbers = chosen.take(shownBy: shown)
    return (numbers, chosen.count)
  }

  /// The output: the paths of the photos chosen in the current list, and of all others.
  ///
  /// - Throws: If these photos may not be chosen, or if one of them has changed since it was shown.
  func output(
    _ items: [Int], of snapshot: Snapshot, with others: KeptChoice, in gallery: Gallery
  ) throws(GalleryError) -> [UInt8] {
    var chosen = replaces(items) ? KeptChoice() : others
    try chosen.add(items, of: snapshot)
    guard chosen.count > 0, chosen.count <= most ?? .max else {
      throw GalleryError(.badRequest, "This number of photos cannot be chosen.")
    }
    var bytes: [UInt8] = []
    for path in try gallery.paths(of: chosen) { bytes += prefix + path.bytes + [end] }
    return bytes
  }

  /// If only one photo may be chosen, a new one replaces it.
  private func replaces(_ items: [Int]) -> Bool { most == 1 && !items.isEmpty }
}
