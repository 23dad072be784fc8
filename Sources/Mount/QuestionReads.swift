// Reads of catalog answers may take seconds, and must not occupy all threads.
//
// Invariants
// 1. At most `most` threads serve them, and at most `most - 1` serve long reads: one that looks at many photos does not
//    delay the page that a user scrolls through.
// 2. Further reads wait without a thread. The next one is the first of them that 1 admits.
// 3. Some thread serves whenever a read waits that 1 admits, and continues until none does. So no read is left behind.
// 4. Answers go to the channel of the request, which belongs to the thread that received it. So that thread ends only
//    after `waitUntilIdle()`.

internal import CMount
internal import System

/// The reads of answers that are being served or wait.
final class QuestionReads: @unchecked Sendable {
  private struct Read {
    var channel: CInt
    var takesLong: Bool
    var serve: () -> Void
  }

  private let most: Int
  private let lock = Lock()
  private let changed: Condition
  // Guarded by the lock.
  private var serving = 0
  private var servingLong = 0
  private var waiting: [Read] = []

  /// - Parameter most: how many threads serve at once, at least 2; fewer than remain besides those that may wait for
  ///   thumbnails (SessionLimits).
  init(most: Int) {
    precondition(most >= 2)
    self.most = most
    changed = Condition(of: lock)
  }

  var waitingCount: Int { lock.withLock { waiting.count } }

  var servingCount: Int { lock.withLock { serving } }

  /// Serves a read that arrived on a channel, in this thread or another.
  ///
  /// - Parameter takesLong: whether the read looks at many photos before it returns.
  func serve(from channel: CInt, takesLong: Bool, _ body: @escaping () -> Void) {
    let read = Read(channel: channel, takesLong: takesLong, serve: body)
    var next = lock.withLock { () -> Read? in
      waiting.append(read)
      return admitted()
    }
    while let read = next {
      agonyfs_channel_reply_to(read.channel)
      read.serve()
      next = following(read)
    }
  }

  /// Takes the read to serve next from those that wait; nil if none may begin. Called with the lock.
  private func admitted() -> Read? {
    guard serving < most, let place = waiting.firstIndex(where: { !$0.takesLong || servingLong < most - 1 }) else {
      return nil
    }
    let read = waiting.remove(at: place)
    serving += 1
    if read.takesLong { servingLong += 1 }
    return read
  }

  /// Ends a read. Returns the one to serve next; nil if none may begin.
  private func following(_ ended: Read) -> Read? {
    lock.withLock {
      serving -= 1
      if ended.takesLong { servingLong -= 1 }
      let next = admitted()
      if serving == 0 { changed.broadcast() }
      return next
    }
  }

  /// Returns when no read is being served or waits.
  func waitUntilIdle() {
    lock.lock()
    defer { lock.unlock() }
    while serving > 0 { changed.wait() }
  }
}
