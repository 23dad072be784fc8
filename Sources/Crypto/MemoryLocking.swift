internal import Glibc

/// Whether keys can be kept out of the swap space.
package enum MemoryLocking {
  /// Bytes that a process with keys locks: OpenSSL's region, and a page for each other secret between its guards.
  package static let needed = LockedMemory.regionSize + (1 << 20)

  /// How many bytes may be locked, if that is not enough; nil if it is. Tries it, because a privilege or a container
  /// may allow more or less than the limit.
  package static func shortage() -> UInt64? {
    guard let probe = unsafe mmap(nil, needed, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      unsafe probe != MAP_FAILED
    else { return nil }
    defer { unsafe munmap(probe, needed) }
    if unsafe mlock(probe, needed) == 0 { return nil }
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    return UInt64(limit.rlim_cur)
  }
}
