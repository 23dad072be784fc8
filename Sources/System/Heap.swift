internal import CPlatform

/// The memory of malloc(3).
package enum Heap {
  /// The number of arenas of a process with many threads. The C library has one for each thread. Then each arena keeps
  /// the most that its thread ever needed, and the next question keeps the same again in another arena.
  private static let arenas: CInt = 2
  /// Blocks of at least this many bytes are mapped separately: those larger than a read or a write. Otherwise, once
  /// such a block was freed, the C library would take more and more of them from the heap, where the gaps between other
  /// blocks stay.
  private static let mapped: CInt = 5 << 18
  /// The C library's own value.
  private static let kept: CInt = 128 << 10
  /// The largest that the C library takes.
  private static let mostMapped: CInt = 32 << 20

  /// Makes all threads share few arenas, and returns more memory to the system. Call it at the start of a process,
  /// because existing arenas stay.
  package static func keepSmall() { agonyfs_bound_heap(arenas, mapped, kept) }

  /// Makes all threads share one arena, which keeps freed blocks below 32 MiB until `trim()`. For commands that read one
  /// large file after another: mapping and clearing new pages takes a third of the time of an MD5 of them.
  package static func keepBuffers() { agonyfs_bound_heap(1, mostMapped, .max) }

  /// Returns free memory in the middle of the heap, which small blocks left and which would otherwise stay. Takes a
  /// millisecond or two.
  package static func trim() { agonyfs_trim_heap() }
}
