internal import Catalog
internal import Client

/// Files with the same picture, as the catalog finds them.
struct DuplicateGroup {
  enum Kind: String, CaseIterable {
    /// All bytes are equal.
    case exact
    /// All pixels are equal.
    case pixels
    /// The pictures look alike.
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
    let record: CatalogRecord
    /// The file's names in the space; the catalog's path comes first.
    private(set) var names: [[UInt8]]

    /// Parses a member; nil if it has no path.
    init?(_ facts: JSONValue) {
      guard let record = CatalogRecord(facts) else { return nil }
      self.record = record
      names = [record.path] + record.names.filter { $0 != record.path }
    }

    /// Whether the file keeps other names, outside the selection.
    private(set) var staysElsewhere = false

    /// The member with only the selected names; nil if none is selected.
    func under(_ isMeant: ([UInt8]) -> Bool) -> Member? {
      var member = self
      member.names = names.filter(isMeant)
      member.staysElsewhere = member.names.count < names.count
      return member.names.isEmpty ? nil : member
    }

    var facts: JSONValue { record.facts }
    var path: [UInt8] { names[0] }
    var pixels: Int { (facts["width"]?.whole ?? 0) * (facts["height"]?.whole ?? 0) }
    var size: Int { facts["size"]?.whole ?? 0 }
    /// Bytes that its removal frees.
    var room: Int { staysElsewhere ? 0 : size }
    /// The local time of the photo to the second, or else the file's time. Other facts about its time are not compared.
    var taken: String? { (facts["taken"]?.text).map { String($0.prefix(19)) } ?? facts["modified"]?.text }
    var modified: String? { facts["modified"]?.text }
    var ownFacts: Int { facts["ownFacts"]?.whole ?? 0 }
    var look: UInt64? { facts["look"]?.text.flatMap { UInt64($0, radix: 16) } }
    /// Paths of its sidecars in the space.
    var sidecars: [[UInt8]] { CatalogRecord.paths(in: facts, named: "sidecars") }
    /// `4000 × 3000`; empty if unknown.
    var dimensions: String {
      guard pixels > 0 else { return "" }
      return "\(facts["width"]?.words ?? "") × \(facts["height"]?.words ?? "")"
    }
  }

  let kind: Kind
  var members: [Member]

  /// Parses a group from a line of JSON.
  init(_ line: some Sequence<UInt8>) throws {
    guard let value = try? JSONReader.value(of: Array(line)), let kind = Kind(rawValue: value["kind"]?.text ?? "")
    else { throw AnswerReader.unknownAnswer }
    self.kind = kind
    members = value["members"]?.elements.compactMap { Member($0) } ?? []
  }
}

extension DuplicateGroup {
  enum Keeping: String, CaseIterable {
    /// The camera's facts first, then most pixels, then the oldest.
    case best
    case largest
    case oldest
    /// Ask the user for each group.
    case ask
  }

  /// The members, best one to keep first. Ties are sorted by path, so that of two albums with the same photos one is
  /// kept whole.
  func sorted(by keeping: Keeping) -> [Member] {
    members.sorted { one, other in
      func more(_ value: (Member) -> Int) -> Bool? { value(one) == value(other) ? nil : value(one) > value(other) }
      func earlier(_ value: (Member) -> String?) -> Bool? {
        guard value(one) != value(other) else { return nil }
        guard let time = value(one) else { return false }
        return value(other).map { time < $0 } ?? true
      }
      var older: Bool? { earlier(\.taken) ?? earlier(\.modified) }
      let found: Bool? =
        switch keeping {
        case .best, .ask: more(\.ownFacts) ?? more(\.pixels) ?? older ?? more(\.size)
        case .largest: more(\.size) ?? more(\.pixels) ?? older
        case .oldest: older ?? more(\.pixels) ?? more(\.size)
        }
      return found ?? one.path.lexicographicallyPrecedes(other.path)
    }
  }

  /// The members that are removed if one is kept, and those that stay. A similar file is removed only if it is like
  /// the kept one. The files of its stack stay, because together they are one picture.
  func others(than kept: Member) -> (going: [Member], staying: [Member]) {
    let others = members.filter { $0.path != kept.path }
    guard kind == .similar else { return (others, []) }
    func goes(_ member: Member) -> Bool {
      guard let one = kept.look, let other = member.look else { return false }
      if let stack = kept.facts["stack"]?["number"], stack == member.facts["stack"]?["number"] { return false }
      return (one ^ other).nonzeroBitCount <= SimilarPictures.mostDistance
    }
    return (others.filter(goes), others.filter { !goes($0) })
  }
}
