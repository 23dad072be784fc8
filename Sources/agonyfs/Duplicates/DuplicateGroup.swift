internal import Client

/// Files that are the same picture, as the catalog finds them.
struct DuplicateGroup {
  enum Kind: String, CaseIterable {
    /// Every byte is.
    case exact
    /// Every pixel is.
    case pixels
    /// They look alike.
    case similar

    var words: String {
      switch self {
      case .exact: "the same bytes"
      case .pixels: "the same pixels"
      case .similar: "look alike"
      }
    }
  }

  struct Member {
    let facts: JSONValue
    /// Its names in the space, the first one before the others.
    private(set) var names: [[UInt8]]

    /// The member of its fields; nil if it has no path.
    init?(_ facts: JSONValue) {
      guard let record = CatalogRecord(facts) else { return nil }
      self.facts = facts
      names = [record.path] + record.names.filter { $0 != record.path }
    }

    /// The member under some of its names; nil if there is none.
    func under(_ isMeant: ([UInt8]) -> Bool) -> Member? {
      var member = self
      member.names = names.filter(isMeant)
      return member.names.isEmpty ? nil : member
    }

    var path: [UInt8] { names[0] }
    var pixels: Int { (facts["width"]?.whole ?? 0) * (facts["height"]?.whole ?? 0) }
    var size: Int { facts["size"]?.whole ?? 0 }
    var taken: String? { facts["taken"]?.text ?? facts["modified"]?.text }
    /// `4000 × 3000`; nothing if that is not known.
    var dimensions: String {
      guard pixels > 0 else { return "" }
      return "\(facts["width"]?.words ?? "") × \(facts["height"]?.words ?? "")"
    }
  }

  let kind: Kind
  var members: [Member]

  /// The group of a line of JSON.
  init(_ line: some Sequence<UInt8>) throws {
    guard let value = try? JSONReader.value(of: Array(line)), let kind = Kind(rawValue: value["kind"]?.text ?? "")
    else { throw AnswerReader.unknownAnswer }
    self.kind = kind
    members = value["members"]?.elements.compactMap { Member($0) } ?? []
  }
}

extension DuplicateGroup {
  enum Keeping: String, CaseIterable {
    /// Most pixels, then the largest, then the oldest.
    case best
    case largest
    case oldest
    /// The user is asked for each group.
    case ask
  }

  /// The members, what is to be kept first. Equal ones are in the order of their paths, so that of two albums with the
  /// same photos one is kept as a whole.
  func sorted(by keeping: Keeping) -> [Member] {
    members.sorted { one, other in
      func more(_ value: (Member) -> Int) -> Bool? { value(one) == value(other) ? nil : value(one) > value(other) }
      var older: Bool? {
        guard one.taken != other.taken else { return nil }
        guard let time = one.taken else { return false }
        return other.taken.map { time < $0 } ?? true
      }
      let found: Bool? =
        switch keeping {
        case .best, .ask: more(\.pixels) ?? more(\.size) ?? older
        case .largest: more(\.size) ?? more(\.pixels) ?? older
        case .oldest: older ?? more(\.pixels) ?? more(\.size)
        }
      return found ?? one.path.lexicographicallyPrecedes(other.path)
    }
  }
}
