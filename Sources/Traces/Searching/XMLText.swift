/// The few rules of XML that lists of bookmarks need.
enum XMLText {
  /// Names of characters, without `&` and `;`.
  static let entities: [(name: [UInt8], meaning: UInt8)] = [
    ("amp", "&"), ("apos", "'"), ("quot", "\""), ("lt", "<"), ("gt", ">"), ("#38", "&"), ("#39", "'"), ("#34", "\""),
    ("#x26", "&"), ("#x27", "'"), ("#x22", "\""),
  ].map { name, meaning in (Array(name.utf8), Array(meaning.utf8)[0]) }

  /// Decodes the references in an attribute's text; everything else stays as it is.
  static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var place = text.startIndex
    while place < text.endIndex {
      if text[place] == UInt8(ascii: "&"), let end = text[place...].prefix(16).firstIndex(of: UInt8(ascii: ";")),
        let meaning = meaning(of: text[(place + 1)..<end])
      {
        bytes += meaning
        place = end + 1
      } else {
        bytes.append(text[place])
        place += 1
      }
    }
    return bytes
  }

  private static func meaning(of name: ArraySlice<UInt8>) -> [UInt8]? {
    if let known = entities.first(where: { name.elementsEqual($0.name) }) { return [known.meaning] }
    guard name.first == UInt8(ascii: "#") else { return nil }
    let digits = String(decoding: name.dropFirst(), as: UTF8.self)
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap { Unicode.Scalar($0) }.map { Array(String($0).utf8) }
  }
}
