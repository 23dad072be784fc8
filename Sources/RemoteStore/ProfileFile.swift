/// The sections of a file such as `~/.aws/credentials`, as Amazon's programs read it.
///
/// `[name]` or `[profile name]` begins a section, `name = value` is an entry of it, and lines that begin with `#` or `;`
/// are comments. Indented lines are entries of a nested value and are ignored. Entries before the first section belong
/// to the section `default`. The last entry of a name counts.
struct ProfileFile {
  private var sections: [String: [String: String]] = [:]

  init(_ bytes: [UInt8]) {
    var section = "default"
    for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
      let text = String(decoding: line, as: UTF8.self)
      guard let first = text.first, !first.isWhitespace, first != "#", first != ";" else { continue }
      if first == "[" {
        let words = text.dropFirst().prefix { $0 != "]" }.split(whereSeparator: \.isWhitespace)
        section = (words.count > 1 && words.first == "profile" ? words.dropFirst() : words[...]).joined(separator: " ")
        sections[section, default: [:]] = sections[section] ?? [:]
      } else if let sign = text.firstIndex(of: "=") {
        let name = Self.trimmed(text[..<sign]).lowercased()
        sections[section, default: [:]][name] = Self.trimmed(text[text.index(after: sign)...])
      }
    }
  }

  /// The entries of a section; nil if the file does not have it.
  subscript(_ section: String) -> [String: String]? { sections[section] }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
