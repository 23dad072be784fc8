import Glibc
import Synchronization
import SystemPackage
import TestSupport

@testable import Media

/// Holds up a reader until the test lets it go.
final class Hold: Sendable {
  private struct State {
    var isReached = false
    var isOver = false
  }

  private let state = Mutex(State())

  /// Whether somebody was held up.
  var isReached: Bool { state.withLock { $0.isReached } }

  /// Lets all go.
  func letGo() { state.withLock { $0.isOver = true } }

  /// Waits until the test lets go.
  func wait() throws(Errno) {
    state.withLock { $0.isReached = true }
    guard (try? waitUntil("it is let go") { state.withLock { $0.isOver } }) != nil else { throw .timedOut }
  }
}

/// What tells the misbehaving decoder what to do, in the first bytes. Behind them something may happen to its reader.
struct HeldSource: MediaSource {
  var text: String
  /// Called when its beginning is read.
  var begins: (@Sendable () -> Void)?
  /// Holds up who reads behind the text.
  var hold: Hold?
  /// Why that cannot be read.
  var failure: Errno?

  var size: Int64 { 64 }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    if offset == 0 {
      begins?()
      unsafe buffer.copyBytes(from: Array(text.utf8))
      return text.utf8.count
    }
    guard offset >= 32 else { return 0 }
    try hold?.wait()
    if let failure { throw failure }
    return 0
  }
}
