internal import System

/// What the threads of a file system wait for, each a condition of its one lock.
struct Signals {
  /// A commit ended its critical part, data was written, memory became free, or a round of cleaning ended.
  let progress: Condition
  /// There is data to write.
  let flushWork: Condition
  /// There is something to commit, or to make durable.
  let commitWork: Condition
  /// There are inodes to delete.
  let reapWork: Condition
  /// There may be something to clean.
  let cleanWork: Condition
  /// There may be thumbnails to make.
  let thumbnailWork: Condition
  /// A thumbnail that somebody waits for may have been made.
  let thumbnailDone: Condition
  /// There may be a checkpoint record to keep.
  let checkpointWork: Condition

  init(of lock: Lock) {
    progress = Condition(of: lock)
    flushWork = Condition(of: lock)
    commitWork = Condition(of: lock)
    reapWork = Condition(of: lock)
    cleanWork = Condition(of: lock)
    thumbnailWork = Condition(of: lock)
    thumbnailDone = Condition(of: lock)
    checkpointWork = Condition(of: lock)
  }

  /// Wakes every thread, since what it waits for may never happen.
  func wakeAll() {
    let all = [
      progress, flushWork, commitWork, reapWork, cleanWork, thumbnailWork, thumbnailDone, checkpointWork,
    ]
    for condition in all { condition.broadcast() }
  }
}
