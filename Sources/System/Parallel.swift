// Work on many items at once, for tasks that one processor limits.
//
// Invariants
// 1. Each item is processed once. Threads take items in the order of the array, so the first taken item never waits for
//    a thread.
// 2. Results have the order of the items, no matter how many threads there are.
// 3. All threads have ended when `map` returns.

internal import CPlatform
internal import Synchronization

/// Threads that process the items of an array. The calling thread is one of them; the others have a lower priority than
/// every other thread of the machine, such as those of a mount.
package struct Parallel: Sendable {
  /// More threads would hold more memory, while the disk is then the limit.
  private static let most = 8

  /// The number of threads, the calling one included.
  package let threads: Int

  /// One thread for each processor that this process may use, at most 8.
  package static let usual = Parallel(threads: min(most, Int(agonyfs_processors())))

  /// The calling thread alone.
  package static let none = Parallel(threads: 1)

  /// `threads` threads, at least 1.
  package init(threads: Int) { self.threads = max(1, threads) }

  /// Returns the result of `body` for each item, in the order of the items. If the system refuses threads, the calling
  /// one does all the work.
  package func map<Item: Sendable, Outcome: Sendable>(
    _ items: [Item], _ body: @escaping @Sendable (Item) -> Outcome
  ) -> [Outcome] {
    let count = min(threads, items.count)
    if count <= 1 { return items.map(body) }
    let share = Share(items, body)
    let helpers = (1..<count).compactMap { _ in
      try? Thread {
        agonyfs_give_way()
        share.run()
      }
    }
    share.run()
    for helper in helpers { helper.join() }
    return share.all
  }
}

/// Items, and their results.
private final class Share<Item: Sendable, Outcome: Sendable>: Sendable {
  private let items: [Item]
  private let body: @Sendable (Item) -> Outcome
  /// The index of the first item that no thread has taken.
  private let next = Atomic(0)
  private let outcomes: Mutex<[Outcome?]>

  init(_ items: [Item], _ body: @escaping @Sendable (Item) -> Outcome) {
    self.items = items
    self.body = body
    outcomes = Mutex([Outcome?](repeating: nil, count: items.count))
  }

  func run() {
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      if index >= items.count { return }
      let outcome = body(items[index])
      outcomes.withLock { $0[index] = outcome }
    }
  }

  /// All outcomes, after every thread has ended.
  var all: [Outcome] { outcomes.withLock { $0.compactMap(\.self) } }
}
