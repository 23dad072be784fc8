// Reads of catalog answers may take seconds, and must not occupy all threads.
//
// Invariants
// 1. At most `most` threads serve them. Further reads wait in order, without a thread.
// 2. Some thread serves whenever a read waits, and continues until none does. So no read is left behind.
// 3. Answers go to the channel of the request, which belongs to the thread that received it. So that thread ends only
//    after `waitUntilIdle()`.

internal import CMount
internal import System

/// The reads of answers that are being served or wait.
final class QuestionReads: @unchecked Sendable {
  private struct Read {
    var channel: CInt
    var serve: () -> Void
  }

  private let most: Int
  private let lock = Lock()
  private let changed: Condition
  // Guarded by the lock.
  private var serving = 0
  private var waiting: [Read] = []

  /// - Parameter most: how many threads serve at once; fewer than remain besides those that may wait for thumbnails
  ///   (SessionLimits).
  init(most: Int) {
    self.most = most
    changed = Condition(of: lock)
  }

  var waitingCount: Int { lock.withLock { waiting.count } }

  var servingCount: Int { lock.withLock { serving } }

  /// Serves a read that arrived on a channel, in this thread or another.
  func serve(from channel: CInt, _ body: @escaping () -> Void) {
    let read = Read(channel: channel, serve: body)
    let begins = lock.withLock {
      if serving == most {
        waiting.append(read)
        return false
      }
      serving += 1
      return true
    }
    guard begins else { return }
    var next: Read? = read
    while let read = next {
      agonyfs_channel_reply_to(read.channel)
      read.serve()
      next = following()
    }
  }

  /// The read to serve next; nil if none waits.
  private func following() -> Read? {
    lock.withLock {
      if !waiting.isEmpty { return waiting.removeFirst() }
      serving -= 1
      if serving == 0 { changed.broadcast() }
      return nil
    }
  }

  /// Returns when no read is being served or waits.
  func waitUntilIdle() {
    lock.lock()
    defer { lock.unlock() }
    while serving > 0 { changed.wait() }
  }
}
