// Reads of answers of the catalog may take seconds, when many are asked at once, and must not take all threads.
//
// Invariants
// 1. At most `most` threads serve them. Others wait in their order without a thread; one that takes long goes to the end
//    of them now and then.
// 2. Some thread serves whenever one waits, and goes on until none does. So none is left behind.
// 3. Answers go to the channel of the request, which belongs to the thread that received it. So that one ends after
//    `waitUntilIdle()` only.

internal import CMount
internal import System

/// The reads of answers that are served or wait.
final class QuestionReads: @unchecked Sendable {
  private struct Read {
    var channel: CInt
    /// False if it is to be called again when others were served.
    var serve: () -> Bool
  }

  private let most: Int
  private let lock = Lock()
  private let changed: Condition
  // Guarded by the lock.
  private var serving = 0
  private var waiting: [Read] = []

  /// At most so many threads serve: fewer than there are beside those that may wait for thumbnails (SessionLimits).
  init(most: Int) {
    self.most = most
    changed = Condition(of: lock)
  }

  /// Whether a read waits for a thread.
  var isWaitedFor: Bool { lock.withLock { !waiting.isEmpty } }

  var servingCount: Int { lock.withLock { serving } }

  /// Serves a read that came by a channel, in this thread or another. `body` returns false if it is to be called again
  /// when others were served.
  func serve(from channel: CInt, _ body: @escaping () -> Bool) {
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
      next = following(read, isDone: read.serve())
    }
  }

  /// The read that is served after another one; nil if none waits.
  private func following(_ read: Read, isDone: Bool) -> Read? {
    lock.withLock {
      if !isDone { waiting.append(read) }
      if !waiting.isEmpty { return waiting.removeFirst() }
      serving -= 1
      if serving == 0 { changed.broadcast() }
      return nil
    }
  }

  /// Returns when nothing is served and nothing waits.
  func waitUntilIdle() {
    lock.lock()
    defer { lock.unlock() }
    while serving > 0 { changed.wait() }
  }
}
