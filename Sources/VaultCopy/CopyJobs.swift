internal import Storage
internal import Synchronization
internal import System

/// The threads of a copy, its progress and its end.
final class CopyJobs: Sendable {
  /// Nanoseconds between two calls of `progress`.
  private static let interval: UInt64 = 100_000_000

  private let most: Int
  private let ends: [any CopySource]
  private let lock = Lock()
  private let changed: Condition
  private let state = State()

  /// Guarded by the lock.
  private final class State: @unchecked Sendable {
    var progress = CopyProgress()
    /// The first error, which ends all jobs.
    var error: CopyError?
    /// Whether the ends were stopped.
    var isStopped = false
    /// Whether only `.cancelled` stops the ends.
    var isFinishing = false
    /// Threads that have not ended.
    var running = 0
  }

  /// Files, and what is done with each.
  private final class Batch: Sendable {
    let identifiers: [SegmentIdentifier]
    let work: @Sendable (SegmentIdentifier) throws(CopyError) -> Void
    let next = Atomic(0)

    init(
      _ identifiers: [SegmentIdentifier], _ work: @escaping @Sendable (SegmentIdentifier) throws(CopyError) -> Void
    ) {
      (self.identifiers, self.work) = (identifiers, work)
    }
  }

  /// - Parameters:
  ///   - most: threads at once.
  ///   - ends: the places that wait for nothing any more after the first error.
  init(_ most: Int, ends: [any CopySource]) {
    (self.most, self.ends) = (most, ends)
    changed = Condition(of: lock)
  }

  /// Calls a function, whose errors are `.cancelled` once `end` was called with it: an end that was stopped fails in its
  /// own way.
  func whole<Value>(_ body: () throws(CopyError) -> Value) throws(CopyError) -> Value {
    do throws(CopyError) {
      return try body()
    } catch {
      throw lock.withLock { state.error == .cancelled } ? CopyError.cancelled : error
    }
  }

  /// Ends all jobs; only the first error counts.
  func end(_ error: CopyError) {
    let stops = lock.withLock { () -> Bool in
      if state.error == nil { state.error = error }
      guard !state.isStopped, !state.isFinishing || error == .cancelled else { return false }
      state.isStopped = true
      return true
    }
    guard stops else { return }
    for end in ends { end.stop() }
  }

  /// Throws the error that ended all jobs, if there was one.
  func proceed() throws(CopyError) {
    if let error = lock.withLock({ state.error }) { throw error }
  }

  /// Whether several things are done at once.
  var areSeveral: Bool { most > 1 }

  /// Calls two functions at once, or one after another if there is one job. An error of either ends all jobs, so that the
  /// other one waits for nothing any more.
  ///
  /// - Parameters:
  ///   - finishesFirst: whether an error of the second one lets the first one come to its own end, with ends that are
  ///     not stopped.
  ///   - second: called in the calling thread.
  /// - Throws: the first error.
  func both<One: Sendable, Other>(
    finishesFirst: Bool = false, _ first: @escaping @Sendable () throws(CopyError) -> One,
    and second: () throws(CopyError) -> Other
  ) throws(CopyError) -> (One, Other) {
    lock.withLock { state.isFinishing = finishesFirst }
    do throws(CopyError) {
      return try concurrently(areSeveral) { () throws(CopyError) -> One in
        try self.ending { () throws(CopyError) -> One in
          defer { self.lock.withLock { self.state.isFinishing = false } }
          return try first()
        }
      } and: { () throws(CopyError) -> Other in
        try self.ending(second)
      }
    } catch {
      throw lock.withLock { state.error } ?? error
    }
  }

  /// Calls a function, whose error ends all jobs.
  private func ending<Value>(_ body: () throws(CopyError) -> Value) throws(CopyError) -> Value {
    do throws(CopyError) {
      return try body()
    } catch {
      end(error)
      throw error
    }
  }

  /// Sets the bytes of all files.
  func expect(_ total: Int64) { lock.withLock { state.progress.total = total } }

  /// Adds to the progress.
  ///
  /// - Parameters:
  ///   - done: bytes of a file as it was listed.
  ///   - written: bytes that were written of it.
  func note(done: Int64, written: Int64 = 0) {
    lock.withLock {
      state.progress.done = min(state.progress.total, state.progress.done &+ done)
      state.progress.written += written
    }
  }

  /// Calls a function with each file, in several threads, and shows the progress.
  func run(
    _ identifiers: [SegmentIdentifier], _ progress: (CopyProgress) -> Bool,
    _ work: @escaping @Sendable (SegmentIdentifier) throws(CopyError) -> Void
  ) throws(CopyError) {
    let batch = Batch(identifiers, work)
    let count = max(1, min(most, identifiers.count))
    lock.withLock { state.running = count }
    let threads = (0..<count).compactMap { _ in try? Thread { self.work(batch) } }
    let missing = count - threads.count
    lock.withLock { state.running -= missing }
    if threads.isEmpty {
      lock.withLock { state.running = 1 }
      self.work(batch)
    }
    var isRunning = true
    while isRunning {
      let shown = lock.withLock { () -> CopyProgress in
        if state.running > 0 { changed.wait(until: monotonicTime() + Self.interval) }
        isRunning = state.running > 0
        return state.progress
      }
      if !progress(shown) { end(.cancelled) }
    }
    for thread in threads { thread.join() }
    try proceed()
  }

  /// The work of a thread.
  private func work(_ batch: Batch) {
    while lock.withLock({ state.error == nil }) {
      let index = batch.next.add(1, ordering: .relaxed).oldValue
      guard index < batch.identifiers.count else { break }
      do throws(CopyError) {
        try batch.work(batch.identifiers[index])
      } catch {
        end(error)
      }
    }
    lock.withLock { state.running -= 1 }
    changed.broadcast()
  }
}
