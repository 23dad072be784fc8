import AlbumsSupport
import FaultyStorage
import Index
import System
import Testing

@testable import Albums
@testable import Vault

/// Copying extents to the end of the log, with one thread and with several.
@Suite struct CopiedExtentTests {
  private func bytes(_ extent: ExtentRecord, _ space: Space) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: extent.length)
    try unsafe bytes.withUnsafeMutableBytes { try unsafe space.read(extent, into: $0) }
    return bytes
  }

  @Test(arguments: [1, 2, 8]) func whatIsReadableIsCopiedInOrder(_ threads: Int) throws {
    let vault = try TestVault.filled()
    for path in ["/d/e/f3", "/d/e/f11"] { try vault.damage(path, at: 5000) }
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    let index = try Index(space: space)
    var batch = try index.extents.rows(after: nil, limit: 1000)
    let damaged = try ["/d/e/f3", "/d/e/f11"].map { try index.firstExtent(of: index.record(at: $0).number) }
    let isDamaged = { (located: LocatedExtent) in damaged.contains { $0.position == located.extent.position } }
    // Other files have the same bytes as these: one that can be read, and one that cannot.
    for shared in [try #require(batch.first), try #require(batch.first(where: isDamaged))] {
      var other = shared
      other.inode = InodeNumber(rawValue: 999)
      batch.append(other)
    }
    var copies: [ExtentRecord: [ExtentRecord]] = [:]
    var unreadable: [LocatedExtent] = []
    let moved = try space.copy(batch, &copies, on: Parallel(threads: threads)) { located, _ in
      unreadable.append(located)
    }
    #expect(unreadable == batch.filter(isDamaged) && unreadable.count == 3)
    #expect(moved.map(\.old) == batch.filter { !isDamaged($0) })
    for (old, new) in moved {
      #expect(new.first?.offset == old.extent.offset && new.last?.end == old.extent.end)
      #expect(try new.flatMap { try bytes($0, space) } == bytes(old.extent, space))
    }
    // What is shared stays shared.
    #expect(moved.last?.new.map(\.position) == moved.first?.new.map(\.position))
    let sources = moved.map { pair in
      var source = pair.old.extent
      source.offset = .zero
      return source
    }
    #expect(Set(copies.keys) == Set(sources))
    try space.close()
  }
}
