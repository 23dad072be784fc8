// What was written and is not in the log yet: where it waits, and how much of it there is.
//
// Invariants
// 1. A chunk that waits is in its inode's `WriteBuffer`; the queues only name places where one may wait.
// 2. `bytes` is the memory of all chunks that wait or are in flight: at most `dirtyLimit`, and one write more.
// 3. `waitingCount` and `inFlightCount` count chunks, whatever the queues say of them.

/// The file system's share of writing back, under the file system's lock. `WriteBuffer` has the chunks of one file.
struct WriteBack {
  /// Where a chunk waits that is to be written as soon as possible.
  var ready = Queue<ChunkPlace>()
  /// Where a chunk waits that is written when it is old enough.
  var waiting = Queue<ChunkPlace>()
  /// Where a chunk waits whose file was closed, so that nothing more is likely to come.
  var closed = Queue<ChunkPlace>()
  /// Memory of the chunks that wait or are in flight.
  var bytes = 0
  /// Chunks that wait, in whatever state.
  var waitingCount = 0
  /// Chunks in flight, of whatever inode.
  var inFlightCount = 0
  /// Whether the last attempt to write data found no room.
  var logIsFull = false
}
