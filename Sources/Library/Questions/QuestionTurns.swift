// Questions are asked by many at once, and each looks at rows for as long as it takes.
//
// Invariants
// 1. Of all parts of questions one at a time waits for the lock of the file system. So who reads and writes files waits
//    for one part of one question, however many are asked.
// 2. Parts come in the order in which they were asked for. So a short question waits for one part of each of the others.

internal import Albums
internal import Glibc
internal import System
internal import SystemPackage

final class QuestionTurns: @unchecked Sendable {
  private let lock = Lock()
  private let next: Condition
  // Guarded by the lock.
  private var drawn: UInt64 = 0
  private var served: UInt64 = 0

  init() { next = Condition(of: lock) }

  /// How many wait for their turn, or have it.
  var waiting: Int { lock.withLock { Int(drawn - served) } }

  /// Calls `body` when it is its turn.
  func take<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    let number = drawn
    drawn += 1
    while served != number { next.wait() }
    lock.unlock()
    defer {
      lock.withLock { served += 1 }
      next.broadcast()
    }
    return try body()
  }
}

extension CatalogQuestions {
  /// Runs a part of a question, which changes nothing, under the lock, when it is its turn.
  func asking<Result>(_ body: (inout LockedFileSystem) throws(Errno) -> Result) throws(Errno) -> Result {
    try fileSystem.library.questionTurns.take { () throws(Errno) in
      // A thread that gives the lock back and takes it at once would often be faster than those that wait for it.
      defer { usleep(20) }
      return try fileSystem.reading(body)
    }
  }
}
