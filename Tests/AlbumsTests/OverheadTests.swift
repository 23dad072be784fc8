import AlbumsSupport
import FaultyStorage
import Testing

@testable import Albums
@testable import Vault

/// What the store takes beside the files in it.
@Suite struct OverheadTests {
  /// Bytes of all files of a vault.
  private func size(_ vault: TestVault) -> Int {
    vault.storage.names.reduce(0) { $0 + vault.storage.content($1).count }
  }

  /// Seven parts in a thousand, and what it takes to end a session that wrote: the rest of its last segment, and one
  /// for its last head.
  @Test func photosTakeLittleMore() throws {
    let vault = try TestVault {
      // Everything happens step by step, and at no time by itself.
      $0.writers = 0
      $0.commitInterval = 1e6
      $0.dirtyLimit = 64 << 20
      $0.cleans = false
    }
    try vault.reopen()
    let before = size(vault)
    let photo = pattern(1_300_000, 1)
    let photos = 200
    for number in 0..<photos {
      try vault.files.put(photo, try vault.files.make("photo \(number).jpg"))
      if number % 20 == 19 { try vault.files.synchronize(intoIndex: true) }
    }
    // The segment that is being written ends where the log ends.
    let open = size(vault) - before
    let written = photos * photo.count
    #expect(open - written < written / 1000 * 7)
    try vault.files.close()
    #expect(size(vault) - before - open <= 2 * TestVault.segmentSize)
  }
}
