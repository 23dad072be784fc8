internal import Catalog
internal import Client

/// A user's words about a photo, as XMP (ISO 16684-1) in the fields that other programs read. The catalog reads the
/// same words back, except the user's own fields, which it reads only from attributes.
struct WordsSidecar {
  private var simple: [(name: String, value: String)] = []
  private var lists: [(name: String, kind: String, values: [String])] = []

  private static let namespaces = [
    ("agonyfs", "urn:agonyfs:words/"), ("dc", "http://purl.org/dc/elements/1.1/"),
    ("digiKam", "http://www.digikam.org/ns/1.0/"), ("exif", "http://ns.adobe.com/exif/1.0/"),
    ("Iptc4xmpExt", "http://iptc.org/std/Iptc4xmpExt/2008-02-29/"), ("lr", "http://ns.adobe.com/lightroom/1.0/"),
    ("xmp", "http://ns.adobe.com/xap/1.0/"),
  ]

  /// Takes the words from extended attributes; nil if XMP can express none of them.
  ///
  /// - Parameters:
  ///   - found: the catalog's facts from Takeout's files, if there are any.
  ///   - places: whether to include the position.
  ///   - times: whether to include the time.
  init?(_ words: [UserWord: [UInt8]], takeout found: JSONValue?, places: Bool, times: Bool) {
    func text(_ word: UserWord, _ field: String) -> String? {
      let said = words[word].map { String(decoding: $0, as: UTF8.self) } ?? Self.takeout(field, found)?.text
      return said.flatMap { $0.isEmpty ? nil : $0 }
    }
    func list(_ own: [String]?, _ field: String) -> [String] {
      WordList.unique((own ?? []) + (Self.takeout(field, found)?.elements.compactMap(\.text) ?? []))
    }
    if let title = text(.title, "title") { lists.append(("dc:title", "Alt", [title])) }
    if let caption = text(.caption, "caption") { lists.append(("dc:description", "Alt", [caption])) }
    let tags = list(words[.tags].map(WordList.tags), "tags")
    let flat = tags.filter { TagLevels.all(of: $0).count == 1 }
    let deep = tags.filter { TagLevels.all(of: $0).count > 1 }
    // A tag below another tag would be read back as two tags if its last part were in this list.
    add("dc:subject", "Bag", flat.map { TagLevels.plain($0) })
    // A level with a slash can be written only where bars separate the levels, and only if it contains no bar.
    func isForBars(_ tag: String) -> Bool { tag.contains("/") && !tag.contains("|") }
    add("digiKam:TagsList", "Seq", deep.filter { !$0.contains("\\/") || !isForBars($0) })
    add(
      "lr:hierarchicalSubject", "Bag",
      tags.filter(isForBars).map { tag in
        TagLevels.all(of: tag).map { TagLevels.plain($0) }.joined(separator: "|")
      })
    add("Iptc4xmpExt:PersonInImage", "Bag", list(words[.people].map(WordList.people), "people"))
    add("agonyfs:Fields", "Bag", OwnField.list(in: words[.fields] ?? []).map(\.line))
    if let rating = text(.rating, "").flatMap({ Int($0) }), (1...10).contains(rating) {
      simple.append(("xmp:Rating", "\((rating + 1) / 2)"))
    }
    let isFavourite = words[.favourite].map { $0 == [0x31] } ?? (Self.takeout("favourite", found) == .bool(true))
    if isFavourite { simple.append(("agonyfs:Favourite", "True")) }
    if times, let taken = text(.taken, "") { simple.append(("exif:DateTimeOriginal", taken)) }
    if places, let text = text(.position, ""), case .position(let place)? = FactValue(field: "position", text: text) {
      simple.append(("exif:GPSLatitude", Self.degrees(place.latitude, "N", "S")))
      simple.append(("exif:GPSLongitude", Self.degrees(place.longitude, "E", "W")))
    }
    if simple.isEmpty, lists.isEmpty { return nil }
  }

  private mutating func add(_ name: String, _ kind: String, _ values: [String]) {
    if !values.isEmpty { lists.append((name, kind, values)) }
  }

  private static func takeout(_ field: String, _ found: JSONValue?) -> JSONValue? {
    guard let found, found["sources"]?[field]?.elements.contains(where: { $0.text == "takeout" }) == true else {
      return nil
    }
    return found[field]
  }

  /// Degrees and minutes in XMP's form: `48,51.5040000N`.
  private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
    // In ten-millionths of a minute.
    let units = Int64((value.magnitude * 60e7).rounded())
    let (whole, rest) = (units / 600_000_000, units % 600_000_000)
    let fraction = String(rest % 10_000_000)
    let padded = String(repeating: "0", count: 7 - fraction.count) + fraction
    return "\(whole),\(rest / 10_000_000).\(padded)\(value < 0 ? negative : positive)"
  }

  var bytes: [UInt8] {
    let used = Set((simple.map(\.name) + lists.map(\.name)).map { String($0.prefix { $0 != ":" }) })
    var text = """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
       <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about=""
      """
    for (prefix, name) in Self.namespaces where used.contains(prefix) { text += "\n    xmlns:\(prefix)=\"\(name)\"" }
    text += ">\n"
    for (name, value) in simple { text += "   <\(name)>\(Self.escaped(value))</\(name)>\n" }
    for (name, kind, values) in lists {
      let language = kind == "Alt" ? " xml:lang=\"x-default\"" : ""
      text += "   <\(name)>\n    <rdf:\(kind)>\n"
      for value in values { text += "     <rdf:li\(language)>\(Self.escaped(value))</rdf:li>\n" }
      text += "    </rdf:\(kind)>\n   </\(name)>\n"
    }
    text += "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"w\"?>\n"
    return Array(text.utf8)
  }

  /// Escapes a text for XML 1.0 and drops the characters that XML does not allow.
  private static func escaped(_ text: String) -> String {
    var view = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": view.append(contentsOf: "&amp;".unicodeScalars)
      case "<": view.append(contentsOf: "&lt;".unicodeScalars)
      case ">": view.append(contentsOf: "&gt;".unicodeScalars)
      case "\n", "\t": view.append(scalar)
      case "\r": view.append(contentsOf: "&#13;".unicodeScalars)
      case "\u{FFFE}", "\u{FFFF}": continue
      default: if scalar.value >= 0x20 { view.append(scalar) }
      }
    }
    return String(view)
  }
}
