internal import Glibc
internal import System

/// How much of its enumerations a run of the tests tries.
///
/// `scripts/test` tries a sample of each, drawn anew by each run from a seed that it prints and takes back (`--seed N`);
/// `scripts/test --all` tries everything (`AGONYFS_TEST_ALL`). With `AGONYFS_TEST_HOURS=1` each long test goes on with new
/// seeds for an hour.
package enum TestLength {
  private static let hours: Double? = variable("AGONYFS_TEST_HOURS").flatMap(Double.init)

  /// Whether the tests go on for hours.
  package static var isLong: Bool { hours != nil }

  /// Whether every case of every enumeration is tried.
  package static let isWhole = isLong || variable("AGONYFS_TEST_ALL") == "1"

  /// What the samples of this run are drawn with.
  package static let seed: UInt64 = variable("AGONYFS_TEST_SEED").flatMap { UInt64($0) } ?? .random(in: 1...999_999_999)

  /// Cases of an enumeration in their order: all of them in a whole run, otherwise a sample. The first, the last, the first
  /// of each kind and those that failed once are always in it, even if they are more than `count`; and always one that is
  /// drawn, so that many runs together try everything.
  ///
  /// - Parameters:
  ///   - cases: all that there are.
  ///   - count: how many are tried, at the least.
  ///   - failed: places in `cases` of those that once failed; those that are no places are passed over.
  ///   - kind: what kind of case a case is.
  ///   - name: which enumeration of the test this is, where it has several.
  package static func sample<Case>(
    _ cases: some Collection<Case>, _ count: Int, failed: [Int] = [], kind: (Case) -> some Hashable, name: String = "",
    file: String = #fileID, function: String = #function
  ) -> [Case] {
    let cases = Array(cases)
    let identifier = file + " " + function + (name.isEmpty ? "" : " " + name)
    var chosen = Set(cases.indices)
    if !isWhole {
      var kinds: Set<AnyHashable> = []
      chosen = Set(cases.indices.filter { kinds.insert(AnyHashable(kind(cases[$0]))).inserted })
      chosen.formUnion([cases.startIndex, cases.endIndex - 1] + failed)
      chosen.formIntersection(cases.indices)
      var generator = SplitMix64(seed: seed, identifier: identifier)
      let wanted = max(count, chosen.count + 1)
      for index in cases.indices.shuffled(using: &generator) where chosen.count < wanted { chosen.insert(index) }
    }
    record(chosen.count, of: cases.count, identifier)
    return chosen.sorted().map { cases[$0] }
  }

  /// Cases of an enumeration that are all of one kind.
  package static func sample<Case>(
    _ cases: some Collection<Case>, _ count: Int, failed: [Int] = [], name: String = "", file: String = #fileID,
    function: String = #function
  ) -> [Case] {
    sample(cases, count, failed: failed, kind: { _ in 0 }, name: name, file: file, function: function)
  }

  /// Cases that have no order, so that the first and the last are like any other: all of them in a whole run, otherwise so
  /// many, and those that failed once.
  package static func drawn<Case>(
    _ cases: [Case], _ count: Int, failed: [Int] = [], name: String = "", file: String = #fileID,
    function: String = #function
  ) -> [Case] {
    let identifier = file + " " + function + (name.isEmpty ? "" : " " + name)
    var chosen = Set(isWhole ? Array(cases.indices) : failed.filter(cases.indices.contains))
    var generator = SplitMix64(seed: seed, identifier: identifier)
    for index in cases.indices.shuffled(using: &generator) where chosen.count < count { chosen.insert(index) }
    record(chosen.count, of: cases.count, identifier)
    return chosen.sorted().map { cases[$0] }
  }

  /// Seeds of a test whose cases are drawn: in a whole run those from 1 to `count`, or as many as there is time for;
  /// otherwise `few` of them, none of which is always among them, since the first seed is a case like any other. A test that
  /// takes long says once a minute how far it is.
  package static func seeds(
    _ count: Int, few: Int, failed: [UInt64] = [], file: String = #fileID, function: String = #function
  ) -> AnyIterator<UInt64> {
    guard let hours else {
      let all = Array(1...UInt64(count))
      let identifier = file + " " + function + " seeds"
      var generator = SplitMix64(seed: seed, identifier: identifier)
      var chosen = Set(isWhole ? all : failed)
      for each in all.shuffled(using: &generator) where chosen.count < few { chosen.insert(each) }
      record(chosen.count, of: max(count, chosen.count), identifier)
      return AnyIterator(chosen.sorted().makeIterator())
    }
    let start = time(nil)
    var said = start
    var seed: UInt64 = 0
    return AnyIterator {
      let now = time(nil)
      guard Double(now - start) < hours * 3600 else { return nil }
      if now - said >= 60 {
        said = now
        print("goes on: \(function): \(seed) seeds after \(now - start) s")
        fflush(nil)
      }
      seed += 1
      return seed
    }
  }

  /// Seeds as arguments of a test, whose cases are drawn: in a whole run those from 1 to `count`, otherwise a fourth of
  /// them, as `seeds` draws them.
  package static func seedArguments(_ count: Int, file: String = #fileID, line: Int = #line) -> [UInt64] {
    let all = Array(1...UInt64(count))
    let identifier = "\(file):\(line) seeds"
    var generator = SplitMix64(seed: seed, identifier: identifier)
    let chosen = isWhole ? all : Array(all.shuffled(using: &generator).prefix(max(1, count / 4))).sorted()
    record(chosen.count, of: count, identifier)
    return chosen
  }

  /// Numbers from 1 on, for a test that stops at each operation of something until it comes to its end: all of them in a
  /// whole run, otherwise 1 and then about every fifth.
  package static func stops(file: String = #fileID, function: String = #function) -> AnyIterator<Int> {
    var generator = SplitMix64(seed: seed, identifier: file + " " + function + " stops")
    var stop = 0
    return AnyIterator {
      stop += isWhole || stop == 0 ? 1 : .random(in: 1...9, using: &generator)
      return stop
    }
  }

  /// A number of cases that a test draws by itself: all of them in a whole run, otherwise `few`.
  package static func count(
    _ all: Int, few: Int, name: String = "", file: String = #fileID, function: String = #function
  ) -> Int {
    let count = isWhole ? all : min(few, all)
    record(count, of: all, file + " " + function + " " + name)
    return count
  }

  /// What a test draws by chance: another sequence in each run, the same with the same seed.
  package static func generator(file: String = #fileID, function: String = #function) -> some RandomNumberGenerator {
    SplitMix64(seed: seed, identifier: file + " " + function + " generator")
  }

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  private static let file: Descriptor? = variable("AGONYFS_TEST_CASES").flatMap {
    try? Descriptor.open($0, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644)
  }

  /// One line in the file AGONYFS_TEST_CASES, which all test processes of a run append to: cases that are tried, cases that
  /// there are, and of what, separated by tabs.
  private static func record(_ count: Int, of all: Int, _ identifier: String) {
    _ = try? file?.writeAll(Array("\(count)\t\(all)\t\(identifier)\n".utf8))
  }
}

extension SplitMix64 {
  /// Begun by a seed and a name, so that two enumerations of a run are drawn independently. FNV-1a of the name: it has to
  /// be the same in each process, which `Hasher` is not.
  fileprivate init(seed: UInt64, identifier: String) {
    self.init(
      state: identifier.utf8.reduce(seed ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }
}

/// Counts cases, and says at the end how many there were.
package struct CaseCount: ~Copyable {
  private let name: String
  /// Cases so far.
  package private(set) var count = 0

  /// Counts what `name` says.
  package init(_ name: String) { self.name = name }

  deinit { print("checked: \(count) \(name)") }

  /// One more, or several.
  package mutating func add(_ more: Int = 1) { count += more }
}
