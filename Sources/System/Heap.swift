internal import CPlatform

/// The memory that malloc(3) lends.
package enum Heap {
  /// How many arenas a process of many threads has. With one for each thread, as the C library has it, each keeps what its
  /// thread needed at most, and the next question keeps the same again in another.
  private static let arenas: CInt = 2
  /// Blocks of so many bytes and more are mapped one by one: those that are larger than a read or a write. The C library
  /// would take more and more of them from the heap once such a block was given back, and what is left of it between others
  /// stays.
  private static let mapped: CInt = 5 << 18

  /// Lets all threads share few arenas, and memory go back to the system. For the start of a process: the arenas that there
  /// are stay.
  package static func keepSmall() { agonyfs_bound_heap(arenas, mapped) }

  /// Gives back what small blocks left free in the middle of the heap, which would otherwise stay. Takes a millisecond or
  /// two.
  package static func trim() { agonyfs_trim_heap() }
}
