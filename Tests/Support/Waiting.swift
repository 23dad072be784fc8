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
