// The cache of views. Everything in it can be computed again.
//
// Invariants
// 1. Memory is bounded: tables by their photos, lists by their entries, searches by their number.
// 2. Only one table or list is computed at a time, so that several do not need memory at once; few threads wait for
//    that.
// 3. Numbers of searches are never reused.

internal import Albums
internal import Catalog
internal import Index
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// A result and the time at which it was found.
struct Remembered<Value: Sendable>: Sendable {
  var value: Value
  /// The number of changes of the file system before the search.
  var changes: UInt64
  /// When the search began and how long it took, in nanoseconds of the monotonic clock.
  var time: UInt64
  var effort: UInt64
  /// The day of the search: a search for `today` has other answers the next day.
  var day: CivilDate?

  /// Whether the result may be used without another search although something has changed. An expensive result is
  /// kept longer, so that reading on while photos arrive does not repeat the whole search for each name.
  func mayStay(_ now: UInt64) -> Bool { now - time < 20 * effort }
}

/// The most recent values by directory, limited by their total size.
struct RecentValues<Value: Sendable>: Sendable {
  private var values: [ViewFolder: (value: Remembered<Value>, size: Int)] = [:]
  private var order: [ViewFolder] = []
  private var size = 0
  private let limit: Int
  private let countLimit: Int

  init(limit: Int, countLimit: Int) { (self.limit, self.countLimit) = (limit, countLimit) }

  mutating func find(_ folder: ViewFolder) -> Remembered<Value>? {
    guard let found = values[folder] else { return nil }
    order.removeAll { $0 == folder }
    order.append(folder)
    return found.value
  }

  mutating func insert(_ value: Remembered<Value>, size newSize: Int, for folder: ViewFolder) {
    remove(folder)
    values[folder] = (value, newSize)
    order.append(folder)
    size += newSize
    while order.count > 1, size > limit || order.count > countLimit { remove(order[0]) }
  }

  private mutating func remove(_ folder: ViewFolder) {
    guard let old = values.removeValue(forKey: folder) else { return }
    order.removeAll { $0 == folder }
    size -= old.size
  }
}

/// The texts of searches, by number.
struct SearchTexts: Sendable {
  /// Texts that are kept at most; each is at most as long as a name.
  static let limit = 1024
  private var next: UInt64 = 1
  private var texts: [UInt64: String] = [:]
  private var numbers: [String: UInt64] = [:]
  private var order = Queue<UInt64>()

  mutating func number(of text: String) -> UInt64 {
    // Canonically equivalent strings compare equal, and have the same answers.
    if let known = numbers[text] { return known }
    defer { next += 1 }
    texts[next] = text
    numbers[text] = next
    order.append(next)
    while order.count > Self.limit, let oldest = order.popFirst(), let text = texts.removeValue(forKey: oldest) {
      numbers[text] = nil
    }
    return next
  }

  /// The text of a number; nil if it was dropped to make room.
  func text(_ number: UInt64) -> String? { texts[number] }
}

final class ViewMemory: Sendable {
  /// Threads that may wait for another thread's search. The others must stay free for quick requests.
  private static let mostWaiting = 4

  /// The photos of directories, by the names of their links.
  let tables = Mutex(RecentValues<ViewTable>(limit: ViewTable.limit, countLimit: 64))
  /// The photos of directories, by the digests of their links' names.
  let digests = Mutex(RecentValues<ViewTable>(limit: 1 << 18, countLimit: 8))
  let lists = Mutex(RecentValues<[ViewEntry]>(limit: 100_000, countLimit: 64))
  /// Directories that had photos in them.
  let known = Mutex(RecentValues<Bool>(limit: 512, countLimit: 512))
  let searches = Mutex(SearchTexts())
  private let owner = Mutex<(user: UInt32, groups: [UInt32], time: UInt64)?>(nil)
  /// How long the groups of a user are cached, in nanoseconds: a directory service may be slow.
  private static let groupsStay: UInt64 = 60_000_000_000
  private let stamp = Mutex<(changes: UInt64, day: CivilDate?, time: Timestamp)>((0, nil, .now()))
  private let turn = Lock()
  private let turnEnds: Condition
  private let queue = Mutex<(isTaken: Bool, waiting: Int)>((false, 0))

  private let today: @Sendable () -> CivilDate?

  init(today: @escaping @Sendable () -> CivilDate? = { CivilDate.today() }) {
    self.today = today
    turnEnds = Condition(of: turn)
  }

  /// The modification time that directories report. It differs after every change, however soon that follows, and on
  /// another day, because the kernel lists a directory again only if its time differs.
  func time(of changes: UInt64) -> Timestamp {
    let day = today()
    return stamp.withLock { stamp in
      if changes == stamp.changes, day == stamp.day { return stamp.time }
      var now = Timestamp.now()
      if now <= stamp.time { now = stamp.time.next }
      stamp = (changes, day, now)
      return now
    }
  }

  /// The groups of a user, at most a minute old.
  func groups(of user: UInt32) -> [UInt32] {
    let now = monotonicTime()
    if let known = owner.withLock({ $0 }), known.user == user, now - known.time < Self.groupsStay {
      return known.groups
    }
    let groups = UserGroups.of(user)
    owner.withLock { $0 = (user, groups, now) }
    return groups
  }

  /// A directory's value from the cache, or computed now if something has changed or the value is too old.
  ///
  /// - Parameter isNew: whether any change since requires another search.
  /// - Throws: `EAGAIN` if too many threads wait.
  func value<Value>(
    of folder: ViewFolder, in values: borrowing Mutex<RecentValues<Value>>, _ fileSystem: FileSystem, isNew: Bool,
    size: (Value) -> Int, _ find: () throws(Errno) -> Value
  ) throws(Errno) -> Value {
    // A cached value is returned even while another thread searches.
    if let known = known(folder, in: values, fileSystem, isNew: isNew) { return known }
    return try inTurn { () throws(Errno) in
      if let known = known(folder, in: values, fileSystem, isNew: isNew) { return known }
      let start = monotonicTime()
      let day = today()
      // Settling merges rows, which counts as a change, so it comes before `changes` is read.
      try fileSystem.cataloguer.settle()
      let changes = fileSystem.changes
      let value = try find()
      let found = Remembered(value: value, changes: changes, time: start, effort: monotonicTime() - start, day: day)
      values.withLock { $0.insert(found, size: size(value), for: folder) }
      return value
    }
  }

  /// The value in the cache, if it may be used.
  private func known<Value>(
    _ folder: ViewFolder, in values: borrowing Mutex<RecentValues<Value>>, _ fileSystem: FileSystem, isNew: Bool
  ) -> Value? {
    guard let known = values.withLock({ $0.find(folder) }), known.day == today() else { return nil }
    return known.changes == fileSystem.changes || !isNew && known.mayStay(monotonicTime()) ? known.value : nil
  }

  /// Calls `body` while no other thread is in one.
  private func inTurn<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
    try turn.withLock { () throws(Errno) in
      guard queue.withLock({ $0.waiting < Self.mostWaiting }) else { throw .resourceTemporarilyUnavailable }
      queue.withLock { $0.waiting += 1 }
      while queue.withLock({ $0.isTaken }) { turnEnds.wait() }
      queue.withLock { $0 = (true, $0.waiting - 1) }
    }
    defer {
      turn.withLock {
        queue.withLock { $0.isTaken = false }
        turnEnds.signal()
      }
    }
    return try body()
  }
}

struct ViewEntry: Sendable {
  var name: FileName
  var folder: ViewFolder
}

extension Timestamp {
  /// One nanosecond later.
  fileprivate var next: Timestamp {
    nanoseconds == 999_999_999
      ? Timestamp(seconds: seconds + 1, nanoseconds: 0) : Timestamp(seconds: seconds, nanoseconds: nanoseconds + 1)
  }
}
