package import Media
package import System

// Invariants
// 1. A list made by `add` has at most `mostBytes` when it is encoded, and decoding returns the same list.
// 2. Each list has exactly one encoded form, so nothing can be hidden in the bytes.
// 3. Version 1.0.0 must be able to read every list of a photo, or it would discard the photo's facts: so no other
//    subject and no other form of a value is ever encoded.

/// All facts of a file or a sidecar, in the form that the index stores for each file.
///
/// A fact is its subject and its source, one byte each, and its value. Whole numbers are in groups of seven bits,
/// lowest first; fractions are a power of ten and a whole number if that is exact, otherwise the bits of the double;
/// texts follow their length.
package struct FactList: Sendable, Equatable {
  /// Most bytes of the encoded form.
  package static let mostBytes = Derivatives.mostFactBytes
  /// Most facts.
  package static let mostFacts = 256

  package var facts: [Fact] = []

  /// Takes facts unchanged.
  package init(facts: [Fact] = []) { self.facts = facts }

  /// Adds a fact, cut to its bounds, if it is possible and there is room. Of a field with a single value only the
  /// best source is kept, and its first value; times, tags and people are kept from every source.
  package mutating func add(_ value: FactValue?, from source: FactSource) {
    guard let value = value?.bounded, facts.count < Self.mostFacts else { return }
    let isJoined = [.time, .tags, .people].contains(value.subject)
    let field = value.subject.field
    let place = facts.firstIndex {
      let subject = $0.value.subject
      return (subject == value.subject || field != nil && subject.field == field) && (!isJoined || $0.source == source)
    }
    let before = facts
    if let place {
      guard facts[place].source != source, let field, let rank = source.rank(for: field) else {
        return
      }
      if let present = facts[place].source.rank(for: field), present <= rank { return }
      facts[place] = Fact(value, from: source)
    } else {
      facts.append(Fact(value, from: source))
    }
    if encoded.count > Self.mostBytes { facts = before }
  }

  /// The name of the file that a sidecar describes.
  package var mediaName: String? {
    for fact in facts { if case .mediaName(let name) = fact.value { return name } }
    return nil
  }

  /// The extension of the file that a sidecar describes.
  package var mediaEnding: String? {
    for fact in facts { if case .mediaEnding(let ending) = fact.value { return ending } }
    return nil
  }

  /// The format of the file; nil if the list does not state one.
  package var kind: MediaKind? {
    for fact in facts { if case .kind(let kind) = fact.value { return kind } }
    return nil
  }

  /// The facts about when and where something was taken.
  package var timesAndPositions: FactList {
    FactList(facts: facts.filter { [.time, .position].contains($0.value.subject) })
  }

  /// The stored form.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    for fact in facts {
      writer.append(fact.value.storedSubject.rawValue)
      writer.append(fact.source.rawValue)
      fact.value.encode(to: &writer)
    }
    return writer.bytes
  }

  /// Reads the stored form and checks all of it.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    guard bytes.count <= Self.mostBytes else { throw ByteReader.Malformed() }
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      guard let subject = FactValue.Subject(rawValue: try reader.read(UInt8.self)),
        let source = FactSource(rawValue: try reader.read(UInt8.self))
      else { throw ByteReader.Malformed() }
      let value = try FactValue(subject, from: &reader)
      guard value.isPossible, facts.count < Self.mostFacts else { throw ByteReader.Malformed() }
      facts.append(Fact(value, from: source))
    }
    guard encoded == bytes else { throw ByteReader.Malformed() }
  }
}
