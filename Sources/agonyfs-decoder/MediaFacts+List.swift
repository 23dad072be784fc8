internal import Catalog
internal import Media

extension MediaFacts {
  /// The facts that rows of the index have had from the beginning, out of all that is said.
  init(_ list: FactList, kind: MediaKind, size: (width: Int, height: Int), orientation: Int) {
    self.init(kind: kind, width: size.width, height: size.height, orientation: orientation)
    var item = MediaItem(inode: 0, kind: kind)
    if let taken = CapturedTime.resolve(item.offer(list)) {
      let seconds = taken.instant ?? taken.wall.seconds
      if Self.isPossible(captureSeconds: seconds) {
        captureSeconds = seconds
        captureOffsetMinutes = taken.offset.map { Int($0 / 60) }
      }
    }
    latitude = item.position?.latitude
    longitude = item.position?.longitude
    cameraMake = item.camera.make.flatMap(Self.tidy)
    cameraModel = item.camera.model.flatMap(Self.tidy)
    codec = item.video.codec.flatMap(Self.tidy)
    duration = item.video.duration
    // The daemon treats impossible facts as an attack.
    if !isPossible {
      self = MediaFacts(kind: kind, width: size.width, height: size.height, orientation: orientation)
    }
  }

  /// A text without unprintable characters and surrounding space, cut to the allowed length; nil if nothing is left.
  private static func tidy(_ text: String) -> String? {
    var kept = text.unicodeScalars.filter { $0.properties.generalCategory != .control && $0 != "\u{fffd}" }
    while let last = kept.last, last.properties.isWhitespace { kept.removeLast() }
    while let first = kept.first, first.properties.isWhitespace { kept.removeFirst() }
    while String(kept).utf8.count > mostTextBytes { kept.removeLast() }
    let text = String(kept)
    return isPossible(text: text) ? text : nil
  }
}
