internal import Catalog
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
    let record: CatalogRecord
    /// Its names in the space, the first one before the others.
    private(set) var names: [[UInt8]]

    /// The member of its fields; nil if it has no path.
    init?(_ facts: JSONValue) {
      guard let record = CatalogRecord(facts) else { return nil }
      self.record = record
      names = [record.path] + record.names.filter { $0 != record.path }
    }

    /// Whether it has names that are not meant, and stays under them.
    private(set) var staysElsewhere = false

    /// The member under some of its names; nil if there is none.
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
    /// Bytes that there are less without it.
    var room: Int { staysElsewhere ? 0 : size }
    /// The clock's time to the second, and the file's: the other things that a file says of its time are not compared.
    var taken: String? { (facts["taken"]?.text).map { String($0.prefix(19)) } ?? facts["modified"]?.text }
    var modified: String? { facts["modified"]?.text }
    var ownFacts: Int { facts["ownFacts"]?.whole ?? 0 }
    var look: UInt64? { facts["look"]?.text.flatMap { UInt64($0, radix: 16) } }
    /// Paths of its sidecars in the space.
    var sidecars: [[UInt8]] { CatalogRecord.paths(in: facts, named: "sidecars") }
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
    /// The camera's own facts, then most pixels, then the oldest.
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

  /// The members that go if one is kept, and those that stay: of such that look alike each is compared with the one that
  /// is kept, and those of its stack are the same picture.
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
