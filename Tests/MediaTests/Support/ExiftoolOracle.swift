import Catalog

/// What exiftool says about a file: the values by group and name, such as `IFD0:Make`.
struct ExiftoolOracle {
  private var values: [String: String] = [:]
  /// Between the items of a list.
  private static let separator = "##"

  init(_ path: String, _ bench: Bench) throws { self.init(lines: try Self.lines("'\(path)'", bench)) }

  /// What it says about several files, in their order. At least two.
  static func all(_ names: [String], _ bench: Bench) throws -> [ExiftoolOracle] {
    // The name of each file stands before its values.
    try lines(names.joined(separator: " "), bench).split { $0.hasPrefix("======== ") }.map { ExiftoolOracle(lines: $0) }
  }

  private static func lines(_ paths: String, _ bench: Bench) throws -> ArraySlice<Substring> {
    let output = try bench.shell("exiftool -n -G1 -s -a -sep '\(separator)' -api QuickTimeUTC=0 \(paths)")
    return String(decoding: output, as: UTF8.self).split(separator: "\n")[...]
  }

  private init(lines: ArraySlice<Substring>) {
    for line in lines {
      guard let end = line.firstIndex(of: "]"), let colon = line.firstRange(of: " : ") else { continue }
      let name = line[line.index(after: end)..<colon.lowerBound].filter { $0 != " " }
      let key = line.dropFirst().prefix { $0 != "]" } + ":" + name
      let value = String(line[colon.upperBound...])
      if values[String(key)] == nil, !value.isEmpty { values[String(key)] = value }
    }
  }

  subscript(_ key: String) -> String? { values[key] }

  /// The first of several places that has a value.
  func first(_ keys: [String]) -> String? { keys.lazy.compactMap { values[$0] }.first }

  /// The items of a list; none if there is no such list.
  private func list(_ key: String, by separator: String = separator) -> [String] {
    (values[key] ?? "").split(separator: separator).map { $0.trimming(while: { $0 == " " }) }.filter { !$0.isEmpty }
  }

  /// The tags of all places. A slash is one of levels in digiKam's list only.
  var tags: Set<String> {
    let flat =
      ["XMP-dc:Subject", "IPTC:Keywords"].flatMap { list($0) } + list("IFD0:XPKeywords", by: ";")
      + list("Keys:Keywords", by: ",")
    func escaped(_ tag: String) -> String { tag.replacing("/", with: "\\/") }
    return Set(flat.map(escaped) + list("XMP-digiKam:TagsList"))
      .union(list("XMP-lr:HierarchicalSubject").map { escaped($0).replacing("|", with: "/") })
  }

  /// The people of all places; what is marked as a point of focus is no face.
  var people: Set<String> {
    let names = list("XMP-mwg-rs:RegionName")
    let kinds = list("XMP-mwg-rs:RegionType")
    let faces = names.enumerated().filter { !kinds.indices.contains($0.offset) || kinds[$0.offset] == "Face" }
    return Set(list("XMP-iptcExt:PersonInImage") + list("XMP-MP:RegionPersonDisplayName")).union(faces.map(\.element))
  }

  /// Four letters of a video's codec, and our names, which are libavcodec's.
  private static let codecs = [
    "avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "av01": "av1", "mp4v": "mpeg4", "jpeg": "mjpeg",
    "apcn": "prores", "apch": "prores",
  ]

  /// The codec of a video.
  var codec: String? { first((1...3).map { "Track\($0):CompressorID" }).map { Self.codecs[$0] ?? $0 } }

  /// The rating, of a maker's or in percent; nil if there is none.
  var rating: Int? {
    let stars = ["XMP-xmp", "XMP-acdsee", "IFD0", "FujiFilm", "Sony"].map { $0 + ":Rating" } + ["Keys:UserRating"]
    let percents = ["XMP-microsoft:RatingPercent", "IFD0:RatingPercent", "Microsoft:SharedUserRating"]
    if let rating = first(stars).flatMap({ Double($0) }) { return Int(rating.rounded()) }
    // As its documentation of XMP-microsoft tells.
    return first(percents).flatMap { Int($0) }.flatMap { [0: 0, 1: 1, 25: 2, 50: 3, 75: 4, 99: 5][$0] }
  }

  /// Latitude, longitude, and the altitude if it is known.
  var place: [Double] {
    func numbers(_ keys: [String]) -> [Double] {
      (first(keys) ?? "").split(separator: " ").compactMap { Double($0) }
    }
    let whole = numbers(["Keys", "UserData", "ItemList"].map { $0 + ":GPSCoordinates" })
    return whole.isEmpty ? numbers(["Composite:GPSPosition"]) + numbers(["Composite:GPSAltitude"]) : whole
  }

  /// How many bytes at the end of a photo are its video.
  var motionBytes: UInt64? { values["XMP-GCamera:MicroVideoOffset"].flatMap { UInt64($0) } }
}

/// A time as exiftool writes it: `2024:05:06 07:08:09.25+02:00`, of which only the first 19 characters must be there.
struct ExiftoolTime {
  var wall: Substring
  /// Nil if there are no parts of a second.
  var nanoseconds: UInt32?
  /// Seconds; nil if no zone is said.
  var offset: Int32?

  init(_ text: String) {
    wall = text.prefix(19)
    var rest = text.dropFirst(19)
    if rest.first == "." {
      let digits = rest.dropFirst().prefix { $0.isNumber }
      rest = rest.dropFirst(digits.count + 1)
      nanoseconds = UInt32((digits + "000000000").prefix(9))
    }
    if rest == "Z" { offset = 0 }
    guard let sign = rest.first, "+-".contains(sign), rest.count == 6 else { return }
    let parts = rest.dropFirst().split(separator: ":").compactMap { Int32($0) }
    if parts.count == 2 { offset = (parts[0] * 3600 + parts[1] * 60) * (sign == "-" ? -1 : 1) }
  }
}

extension Substring {
  fileprivate func trimming(while isTrimmed: (Character) -> Bool) -> String {
    var rest = self
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return String(rest.drop(while: isTrimmed))
  }
}
