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

  /// The paths of photos as they are written.
  ///
  /// - Throws: if these may not be chosen, or one of them is not what it was when it was shown.
  func output(_ items: [Int], of snapshot: Snapshot, in gallery: Gallery) throws(GalleryError) -> [UInt8] {
    guard !items.isEmpty, items.count <= most ?? .max else {
      throw GalleryError(.badRequest, "So many photos cannot be chosen.")
    }
    var bytes: [UInt8] = []
    for item in items {
      let path = try gallery.path(item, of: snapshot)
      guard !snapshot.isRefused(item) else { throw GalleryError(.badRequest, "One of these may not be chosen.") }
      bytes += prefix + path.bytes + [end]
    }
    return bytes
  }
}
