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

  /// The part that grows is under one percent; each session that writes takes up to two segments besides: the rest of its last one, and
  /// the one of the head that ends it.
  @Test func photosTakeUnderOnePercentMore() throws {
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
    let (sessions, photos) = (2, 100)
    for session in 0..<sessions {
      let folder = try vault.files.folder("album \(session)")
      for number in 0..<photos {
        try vault.files.put(photo, try vault.files.make("photo \(number).jpg", in: folder))
        if number % 10 == 9 { try vault.files.synchronize(intoIndex: true) }
      }
      try vault.reopen()
    }
    let written = sessions * photos * photo.count
    let overhead = size(vault) - before - written
    #expect(overhead < written / 100 + sessions * 2 * TestVault.segmentSize)
    try vault.files.close()
  }
}
