// Invariants
// 1. Entries are sorted by field, no field twice, no entry without a source.

/// Which source gave each field of a record; several for a union such as the tags.
package struct FieldSources: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var field: UInt8
    var sources: FactSources
  }

  private var entries: [Entry] = []

  /// No field.
  package init() {}

  /// The sources of a field; empty if the field has no value.
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

  /// The only source of a field, or the first of several in the field's order.
  package func first(_ field: MediaField) -> FactSource? {
    let sources = self[field]
    return FactSource.order(of: field).first { sources.contains(FactSources($0)) } ?? sources.list.first
  }
}

extension FieldSources {
  /// The stored form: for each field its number, then its sources, seven bits in a byte, the lowest first.
  package var packed: [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes.append(entry.field)
      var rest = entry.sources.rawValue
      while rest >= 0x80 {
        bytes.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }
    return bytes
  }

  /// Reads the stored form; nil if no `packed` gives these bytes. Fields and sources of a later version are kept.
  package init?(packed bytes: [UInt8]) {
    var place = 0
    while place < bytes.count {
      let field = bytes[place]
      guard field > entries.last?.field ?? 0 else { return nil }
      place += 1
      var value: UInt32 = 0
      var shift: UInt32 = 0
      while true {
        guard place < bytes.count, shift < 32 else { return nil }
        let byte = bytes[place]
        place += 1
        guard shift < 28 || byte < 0x10 else { return nil }
        value |= UInt32(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 {
          guard byte != 0 else { return nil }
          break
        }
      }
      entries.append(Entry(field: field, sources: FactSources(rawValue: value)))
    }
  }
}
