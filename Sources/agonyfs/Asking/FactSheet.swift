internal import Catalog
internal import Client

/// All facts of one photo, one on each line, for users.
struct FactSheet {
  private let path: [UInt8]
  private var facts: [FactLine] = []

  /// Collects the facts of a photo.
  ///
  /// - Parameter path: the path to show, if it differs from the library's.
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

  /// The path, and the facts below it in columns.
  ///
  /// - Parameter isSafe: whether to escape characters in the path that would act on a terminal. In facts they are
  ///   always escaped, so that each fact takes one line.
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
