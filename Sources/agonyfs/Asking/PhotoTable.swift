// Invariants
// 1. No line is wider than the terminal.
// 2. A shortened path keeps its end, which is the name.

internal import Catalog
internal import Client

/// Photos in lines with columns, for a terminal.
struct PhotoTable {
  fileprivate enum Column: CaseIterable {
    case time, size, length, kind, rating, place
  }

  /// The cells of a line before the layout.
  struct Row {
    fileprivate var cells: [Column: String]
    fileprivate var path: String

    /// - Parameter path: the path that users see.
    init(_ record: CatalogRecord, path: some Sequence<UInt8>) {
      cells = [
        .time: record.shortTime, .size: record.shortSize, .length: record.length,
        .kind: record.facts["kind"]?.text ?? "", .rating: record.stars,
        .place: record.facts["place"]?["town"]?.text ?? "",
      ].mapValues { TerminalText.safe($0) }
      self.path = TerminalText.safe(path)
    }
  }

  /// The width that a path gets at least; other columns are dropped for it.
  private static let leastPath = 24
  private static let mostPlace = 16
  private static let gap = 2

  /// The columns that are shown, and their widths.
  private let columns: [(column: Column, width: Int)]
  private let pathWidth: Int

  /// Lays out rows like these for a terminal with `width` columns.
  init(for rows: [Row], width: Int) {
    var widths: [(column: Column, width: Int)] = Column.allCases.compactMap { column in
      let widest = rows.map { TerminalText.width($0.cells[column] ?? "") }.max() ?? 0
      return widest == 0 ? nil : (column, column == .place ? min(widest, Self.mostPlace) : widest)
    }
    let longest = rows.map { TerminalText.width($0.path) }.max() ?? 0
    func rest() -> Int { width - widths.reduce(0) { $0 + $1.width + Self.gap } }
    // The least important columns come first.
    for column in [Column.place, .kind, .length, .size, .rating, .time]
    where rest() < min(longest, Self.leastPath) {
      widths.removeAll { $0.column == column }
    }
    // A whole path is worth more than a place.
    if rest() < longest { widths.removeAll { $0.column == .place } }
    columns = widths
    pathWidth = max(1, rest())
  }

  func line(_ row: Row) -> String {
    var line = ""
    for (column, width) in columns {
      let isNumber = column == .size || column == .length
      line += TerminalText.fitted(row.cells[column] ?? "", to: width, toTheRight: isNumber)
      line += String(repeating: " ", count: Self.gap)
    }
    let path =
      TerminalText.width(row.path) > pathWidth
      ? TerminalText.fitted(row.path, to: pathWidth, keepsEnd: true) : row.path
    return line + path
  }
}
