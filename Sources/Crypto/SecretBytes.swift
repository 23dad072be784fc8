internal import CSodium

/// Secret bytes in locked and guarded memory, wiped when freed (`sodium_malloc`); read-only once filled.
@safe package final class SecretBytes: @unchecked Sendable {
  /// The address of the bytes; valid as long as this object.
  let base: UnsafeMutableRawPointer
  /// Number of bytes.
  package let count: Int

  /// Allocates `count` bytes and lets `fill` write them; ends the process if no memory is left.
  package init<E: Error>(
    count: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    Sodium.initialize()
    guard let base = unsafe sodium_malloc(max(count, 1)) else { fatalError("No memory is left for a key.") }
    unsafe self.base = base
    self.count = count
    try unsafe fill(UnsafeMutableRawBufferPointer(start: base, count: count))
    unsafe sodium_mprotect_readonly(base)
  }

  /// A copy of bytes that the caller wipes.
  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    unsafe self.init(count: bytes.count) { buffer in unsafe buffer.copyMemory(from: bytes) }
  }

  /// Fresh random bytes.
  package static func random(count: Int) -> SecretBytes {
    unsafe SecretBytes(count: count) { buffer in unsafe Sodium.fillRandom(buffer) }
  }

  deinit { unsafe sodium_free(base) }

  /// Calls `body` with the bytes, which must not be kept.
  package func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Whether two secrets are equal; the time does not depend on where they differ.
  package func equals(_ other: SecretBytes) -> Bool {
    unsafe count == other.count && sodium_memcmp(base, other.base, count) == 0
  }
}
