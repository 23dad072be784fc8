// Evaluates a query by rows alone.
//
// Invariants
// 1. A verdict is that of the evaluator (`Query.matches`) for the photo with the names that count, or it is nil. The
//    tests compare the two.
// 2. A condition on names has no verdict for a photo with several names, because some of them may not count.

internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

struct CatalogMatcher {
  indirect enum Node {
    case always
    case and([Node])
    case or([Node])
    case not(Node)
    case test(Test)
    /// Only the full facts of the photo decide.
    case ask
  }

  enum Test {
    case kinds(UInt64)
    case flags(Int64)
    /// A flag that only some rows state.
    case exactFlag(ItemFlags)
    case trashed
    case rejected
    case isKnown(Column)
    /// A time from another source than the file's own.
    case hasTime
    case rating(Query.NumberRange)
    case size(Query.NumberRange)
    case duration(Query.NumberRange)
    case time(from: Int64, before: Int64?)
    case anniversary(month: Int, day: Int?)
    case near(Position, metres: Double)
    /// The text of a term; `memo` is the index of the table of results known so far.
    case term(Column, (String) -> Bool, memo: Int)
    case album((String) -> Bool, memo: Int)
    case name(Query.TextTest, set: Int?)
    /// Words in the album's path or in the full-text index.
    case words((String) -> Bool, memo: Int, set: Int)
    case set(Int)
    /// Not in the row itself: false without the flag or outside the set, otherwise undecided.
    case text(Int64, set: Int?)
    /// As `text`, for user-defined fields. Some rows do not state whether the photo has any.
    case own(set: Int?)

    /// The columns that the test reads.
    var columns: TimelineColumns {
      switch self {
      case .kinds: .kind
      case .flags, .exactFlag, .text, .own, .hasTime, .time(from: _, before: _?), .anniversary: .flags
      case .rejected, .rating: .rating
      case .isKnown(let column), .term(let column, _, memo: _): column.columns
      case .size: .size
      case .duration: .duration
      case .near: .position
      case .name: .name
      case .trashed, .time, .album, .words, .set: []
      }
    }
  }

  enum Column {
    case position, place, rating, camera, lens

    var columns: TimelineColumns {
      switch self {
      case .position: .position
      case .place: .place
      case .rating: .rating
      case .camera: .camera
      case .lens: .lens
      }
    }
  }

  private(set) var root = Node.always
  /// Whether every photo answers.
  var answersAll: Bool { if case .always = root { true } else { false } }
  var memos: [[Int64: Bool]] = []
  /// The columns that the whole query reads.
  private(set) var columns: TimelineColumns = []
  var sets: [CatalogSet] = []
  /// The seconds of the wall clock that contain every answer.
  private(set) var within = CatalogWalk.always
  init(_ query: Query) {
    root = compile(query)
    columns = Self.columns(root)
    narrow(query)
  }

  private mutating func compile(_ query: Query) -> Node {
    switch query {
    case .all: return .always
    // Cheap tests first.
    case .and(let parts): return .and(parts.map { compile($0) }.sorted { Self.cost($0) < Self.cost($1) })
    case .or(let parts): return .or(parts.map { compile($0) }.sorted { Self.cost($0) < Self.cost($1) })
    case .not(let part): return .not(compile(part))
    case .condition(let condition): return compile(condition)
    }
  }

  private static func cost(_ node: Node) -> Int {
    switch node {
    case .always: 0
    case .and(let parts), .or(let parts): 1 + parts.reduce(0) { $0 + cost($1) }
    case .not(let part): cost(part)
    case .test(.name), .test(.words), .test(.near), .test(.album): 5
    case .test(.text), .test(.own): 20
    case .test: 1
    case .ask: 100
    }
  }

  private static func columns(_ node: Node) -> TimelineColumns {
    switch node {
    case .always, .ask: []
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion(columns($1)) }
    case .not(let part): columns(part)
    case .test(let test): test.columns
    }
  }

  /// Narrows the range of time that contains every answer.
  private mutating func narrow(_ query: Query) {
    if case .and(let parts) = query { for part in parts { narrow(part) } }
    if case .condition(.time(let start, let end)) = query {
      let lower = max(within.lowerBound, start ?? (.min + 1))
      let upper = min(within.upperBound, end.map { $0 - 1 } ?? (.max - 1))
      within = lower <= upper ? lower...upper : .min...(.min)
    }
  }

  /// The sets that contain every answer, smallest first. With words, an answer may instead have them in the path of
  /// its album.
  var setsOfAll: [(set: Int, albumWords: WordPattern?)] {
    var found: [(set: Int, albumWords: WordPattern?)] = []
    func consider(_ node: Node) {
      switch node {
      case .and(let parts): for part in parts { consider(part) }
      case .test(.set(let set)), .test(.name(_, set: let set?)), .test(.text(_, set: let set?)):
        found.append((set, nil))
      case .test(.words(_, memo: _, let set)):
        if case .words(let pattern) = sets[set].search { found.append((set, pattern)) }
      default: break
      }
    }
    consider(root)
    return found.sorted { sets[$0.set].bits.count < sets[$1.set].bits.count }
  }

  private mutating func memo() -> Int {
    memos.append([:])
    return memos.count - 1
  }

  private mutating func set(_ search: CatalogSet.Search) -> Int? {
    guard sets.count < CatalogSet.mostSets else { return nil }
    sets.append(CatalogSet(search))
    return sets.count - 1
  }

  /// The words of one text are among those of all texts, so the set may be used for one field.
  private mutating func words(_ test: Query.TextTest) -> Int? {
    if case .words(let pattern) = test { set(.words(pattern)) } else { nil }
  }

  private mutating func term(_ column: Column, _ matches: @escaping (String) -> Bool) -> Node {
    .test(.term(column, matches, memo: memo()))
  }

  private mutating func place(_ condition: Query.Condition) -> Node {
    term(.place) { text in Self.holds(condition) { $0.place = Place(term: text) } }
  }

  private mutating func holding(_ search: CatalogSet.Search) -> Node { set(search).map { .test(.set($0)) } ?? .ask }

  private mutating func compile(_ condition: Query.Condition) -> Node {
    switch condition {
    case .words(let pattern):
      guard let set = set(.words(pattern)) else { return .ask }
      return .test(.words({ pattern.matches($0) }, memo: memo(), set: set))
    case .text(let field, let test): return compile(field, test, condition)
    case .own(_, let test): return .test(.own(set: words(test)))
    case .hasOwn: return .test(.own(set: nil))
    case .tag: return holding(.terms(.tag, { tag in Self.holds(condition) { $0.words.tags = [tag] } }))
    case .album(let pattern): return .test(.album({ pattern.matches($0) }, memo: memo()))
    case .country, .region: return place(condition)
    case .codec, .number(.width, _), .number(.height, _), .number(.megapixels, _), .number(.iso, _),
      .number(.aperture, _), .number(.exposure, _), .number(.focal, _), .number(.fps, _):
      return .ask
    case .number(.altitude, _): return .test(.text(ItemFlags.altitude.rawValue, set: nil))
    case .kinds(let kinds): return .test(.kinds(kinds.reduce(0) { $0 | 1 << UInt64($1.rawValue) }))
    case .flag(let flag): return compile(flag)
    case .has(let presence): return compile(presence)
    case .number(.rating, let range): return .test(.rating(range))
    case .number(.size, let range): return .test(.size(range))
    case .number(.duration, let range): return .test(.duration(range))
    case .time(let start, let end): return .test(.time(from: start ?? .min, before: end))
    case .anniversary(let month, let day): return .test(.anniversary(month: month, day: day))
    case .near(let centre, let metres): return .test(.near(centre, metres: metres))
    case .hash(let digits): return holding(.hash(digits))
    }
  }

  /// Whether a condition holds for a photo of which only one fact is known.
  private static func holds(_ condition: Query.Condition, _ adjust: (inout MediaItem) -> Void) -> Bool {
    var item = MediaItem(inode: 0, kind: .jpeg)
    adjust(&item)
    return condition.matches(item)
  }

  private mutating func compile(
    _ field: Query.TextField, _ test: Query.TextTest, _ condition: Query.Condition
  ) -> Node {
    switch field {
    case .name: return .test(.name(test, set: words(test)))
    case .title: return .test(.text(ItemFlags.title.rawValue, set: words(test)))
    case .caption: return .test(.text(ItemFlags.caption.rawValue, set: words(test)))
    case .person: return holding(.terms(.person, { name in Self.holds(condition) { $0.words.people = [name] } }))
    case .camera: return term(.camera) { name in Self.holds(condition) { $0.camera.model = name } }
    case .lens: return term(.lens) { name in Self.holds(condition) { $0.camera.lens = name } }
    case .place: return place(condition)
    }
  }

  private func compile(_ flag: Query.Flag) -> Node {
    func flags(_ flags: ItemFlags) -> Node { .test(.flags(flags.rawValue)) }
    switch flag {
    case .favourite: return flags(.favourite)
    case .stacked: return flags(.stacked)
    case .live: return flags(.live)
    case .motion: return flags(.motion)
    case .burst: return flags(.burst)
    case .raw: return .test(.kinds(1 << UInt64(MediaKind.raw.rawValue)))
    // The other copy may be in the trash, or hidden from the user who asks.
    case .duplicate: return .test(.text(ItemFlags.duplicate.rawValue, set: nil))
    case .edited: return flags(.edited)
    case .panorama: return flags(.panorama)
    case .cover: return flags(.cover)
    case .rejected: return .test(.rejected)
    case .trashed: return .test(.trashed)
    }
  }

  private func compile(_ presence: Query.Presence) -> Node {
    func flags(_ flags: ItemFlags) -> Node { .test(.flags(flags.rawValue)) }
    switch presence {
    case .time: return .test(.hasTime)
    case .month: return .and([.test(.hasTime), .not(flags(.yearOnly))])
    case .day: return .and([.test(.hasTime), .not(flags([.monthOnly, .yearOnly]))])
    case .zone: return flags(.zone)
    case .gps: return .test(.isKnown(.position))
    case .altitude: return flags(.altitude)
    case .place: return .test(.isKnown(.place))
    case .title: return flags(.title)
    case .caption: return flags(.caption)
    case .tags: return flags(.tags)
    case .people: return flags(.people)
    case .rating: return .test(.isKnown(.rating))
    case .camera: return .test(.isKnown(.camera))
    case .lens: return .test(.isKnown(.lens))
    case .sidecar: return .test(.exactFlag(.sidecar))
    }
  }
}
