internal import Glibc
internal import System

/// Something that other threads or processes did not do in time.
package struct DeadlinePassed: Error, CustomStringConvertible {
  package let description: String

  /// An error that names what was waited for, such as "all threads are ready".
  package init(_ event: String, after limit: Duration? = nil) {
    description = "\(limit.map { "\($0)" } ?? "the time") passed before \(event)"
  }
}

/// Waits for what other threads or processes do. It looks a thousand times a second.
///
/// - Parameters:
///   - event: what is waited for, such as "all threads are ready".
///   - limit: how long, at most.
///   - hasHappened: whether it has happened.
/// - Throws: `DeadlinePassed` when it has not happened in time; what `hasHappened` throws.
package func waitUntil(
  _ event: String, within limit: Duration = .seconds(120), _ hasHappened: () throws -> Bool
) throws {
  let deadline = monotonicTime() + limit.nanoseconds
  while try !hasHappened() {
    guard monotonicTime() < deadline else { throw DeadlinePassed(event, after: limit) }
    usleep(1000)
  }
}

/// Counts the rounds of a loop that what is tested has to end.
package struct Rounds: ~Copyable {
  private let event: String
  private let limit: Int
  private var count = 0

  /// - Parameters:
  ///   - event: what ends the loop, such as "the disk is full".
  ///   - limit: how many rounds there may be.
  package init(until event: String, limit: Int = 3000) {
    self.event = event
    self.limit = limit
  }

  /// To be called at the beginning of each round.
  ///
  /// - Throws: `RoundsPassed` after too many.
  package mutating func begin() throws(RoundsPassed) {
    guard count < limit else { throw RoundsPassed(description: "\(limit) rounds passed before \(event)") }
    count += 1
  }
}

/// A loop went on for longer than it may.
package struct RoundsPassed: Error, CustomStringConvertible {
  package let description: String
}
