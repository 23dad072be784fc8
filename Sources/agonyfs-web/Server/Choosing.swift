internal import Gallery
internal import WebAccess

/// What may be chosen for `agonyfs choose`, and how it is written.
struct Choosing: Sendable {
  /// The most photos; nil for any number.
  private let most: Int?
  /// `photo` or `video`; nil for both.
  private let type: String?
  private let minDuration: Int?
  private let maxDuration: Int?
  /// What stands before a path in the space.
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

  /// A query that finds what may be chosen; empty if that is everything. Photos have no duration.
  var query: String {
    let conditions = [
      type.map { "type:\($0)" }, minDuration.map { "duration:>=\($0)s" }, maxDuration.map { "duration:<=\($0)s" },
    ]
    return conditions.compactMap(\.self).joined(separator: " ")
  }

  /// What the page says of it.
  var json: String {
    let numbers = [("most", most), ("minDuration", minDuration), ("maxDuration", maxDuration)]
    let fields = numbers.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
    let word = type.map { ["\"type\":\"\($0 == "video" ? "video" : "photo")\""] } ?? []
    return "{\((fields + word).joined(separator: ","))}"
  }

  /// What is chosen when another list is shown: what was chosen in the list before is added, and what the new one shows is
  /// taken out.
  ///
  /// - Parameter before: the list before; nil where a choice begins.
  /// - Returns: the numbers of the chosen photos in the new list, and how many others are chosen.
  func carry(
    _ items: [Int], of before: Snapshot?, to shown: Snapshot, _ chosen: inout KeptChoice
  ) throws(GalleryError) -> (items: [Int], others: Int) {
    if before == nil || replaces(items) { chosen = KeptChoice() }
    if let before { try chosen.add(items, of: before) }
    let numbers = chosen.take(shownBy: shown)
    return (numbers, chosen.count)
  }

  /// The paths of photos of the list that is shown, and of others, as they are written.
  ///
  /// - Throws: if these may not be chosen, or one of them is not what it was when it was shown.
  func output(
    _ items: [Int], of snapshot: Snapshot, with others: KeptChoice, in gallery: Gallery
  ) throws(GalleryError) -> [UInt8] {
    var chosen = replaces(items) ? KeptChoice() : others
    try chosen.add(items, of: snapshot)
    guard chosen.count > 0, chosen.count <= most ?? .max else {
      throw GalleryError(.badRequest, "So many photos cannot be chosen.")
    }
    var bytes: [UInt8] = []
    for path in try gallery.paths(of: chosen) { bytes += prefix + path.bytes + [end] }
    return bytes
  }

  /// Of one, another takes the place.
  private func replaces(_ items: [Int]) -> Bool { most == 1 && !items.isEmpty }
}
