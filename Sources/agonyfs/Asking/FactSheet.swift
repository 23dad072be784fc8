internal import Catalog
internal import Client

/// All facts of one photo, one on each line, for people.
struct FactSheet {
  private let path: [UInt8]
  private var facts: [FactLine] = []

  /// The facts of a photo.
  ///
  /// - Parameter path: its path as it is to be shown, if not as the library shows it.
  init(_ record: CatalogRecord, in library: PhotoLibrary, as path: [UInt8]? = nil) {
    self.path = path ?? library.shown(record.path)
    for field in record.facts.fields {
      if field.name == "names" {
        for name in record.names.map(library.shown) where name != self.path {
          facts.append(FactLine(field: "names", label: "also", value: TerminalText.safe(name), sources: ""))
        }
      } else if let fact = FactLine(field, of: record.facts) {
        facts.append(fact.safe)
      }
    }
  }

  /// The path, and below it the facts in columns.
  ///
  /// - Parameter isSafe: whether what would act on a terminal is escaped in the path, too. In facts it always is, so
  ///   that each has one line.
  func lines(isSafe: Bool) -> [[UInt8]] {
    let label = facts.map { TerminalText.width($0.label) }.max() ?? 0
    let value = min(facts.filter { !$0.sources.isEmpty }.map { TerminalText.width($0.value) }.max() ?? 0, 48)
    return [isSafe ? Array(TerminalText.safe(path).utf8) : path]
      + facts.map { line in
        var text = "  " + TerminalText.fitted(line.label, to: label) + "  " + line.value
        if !line.sources.isEmpty {
          text += String(repeating: " ", count: max(0, value - TerminalText.width(line.value))) + "  " + line.sources
        }
        return Array(text.utf8)
      }
  }
}
