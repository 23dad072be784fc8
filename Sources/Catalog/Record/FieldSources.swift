// Invariants
// 1. Entries are sorted by field. Each field occurs once, and each entry has a source.

internal import System

/// The source of each field of a record; several for a union such as the tags.
package struct FieldSources: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var field: UInt8
    var sources: FactSources
  }

  private var entries: [Entry] = []

  /// Without any field.
  package init() {}

  /// The sources of a field; empty for a field without a value.
  package subscript(_ field: MediaField) -> FactSources {
    get { entries.first { $0.field == field.rawValue }?.sources ?? [] }
    set {
      let place = entries.firstIndex { $0.field >= field.rawValue } ?? entries.count
      let isThere = place < entries.count && entries[place].field == field.rawValue
      if newValue.isEmpty {
        if isThere { entries.remove(at: place) }
      } else if isThere {
        entries[place].sources = newValue
      } else {
        entries.insert(Entry(field: field.rawValue, sources: newValue), at: place)
      }
    }
  }

  /// The only source of a field, or the best of several.
  package func first(_ field: MediaField) -> FactSource? {
    let sources = self[field]
    return FactSource.order(of: field).first { sources.contains(FactSources($0)) } ?? sources.list.first
  }
}

extension FieldSources {
  /// The stored form: for each field its number, then its sources in groups of seven bits, lowest first.
  package var packed: [UInt8] {
    var writer = ByteWriter()
    for entry in entries {
      writer.append(entry.field)
      writer.whole(UInt64(entry.sources.rawValue))
    }
    return writer.bytes
  }

  /// Reads the stored form; nil if `packed` cannot have produced these bytes. Fields and sources of a later version
  /// are kept.
  package init?(packed bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Malformed) {
      while reader.remaining > 0 {
        let field = try reader.read(UInt8.self)
        let value = try ByteReader.known(UInt32(exactly: try reader.whole()))
        guard field > entries.last?.field ?? 0, value != 0 else { return nil }
        entries.append(Entry(field: field, sources: FactSources(rawValue: value)))
      }
    } catch {
      return nil
    }
  }
}
