package import System

/// An event that a thread of a file system waits for.
package enum Signal: Int, CaseIterable {
  /// A commit ended its critical part, data was written, memory became free, or a round of cleaning ended.
  case progress
  /// There is data to write.
  case flushWork
  /// There is something to commit, or to make durable.
  case commitWork
  /// There are inodes to delete.
  case reapWork
  /// There may be something to clean.
  case cleanWork
  /// There may be work for the threads of the change sink.
  case sinkWork
  /// The threads of the change sink may have done something that a caller waits for.
  case sinkDone
  /// There may be a checkpoint record to keep.
  case checkpointWork
}

/// The conditions of the one lock of a file system.
package struct Signals {
  private let conditions: [Condition]

  init(of lock: Lock) { conditions = Signal.allCases.map { _ in Condition(of: lock) } }

  /// The condition of a signal.
  package subscript(signal: Signal) -> Condition { conditions[signal.rawValue] }

  /// Wakes every thread, because the event that it waits for may never happen.
  func wakeAll() {
    for condition in conditions { condition.broadcast() }
  }
}
