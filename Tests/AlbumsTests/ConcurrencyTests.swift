import AlbumsSupport
import FaultyStorage
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Many threads on one file system.
@Suite struct ConcurrencyTests {
  @Test(arguments: [1 << 20, 8 << 20]) func readersWritersAndCommits(dirtyLimit: Int) throws {
    let vault = try TestVault {
      $0.commitInterval = 0.02
      $0.dirtyLimit = dirtyLimit
      $0.cachedInodes = 8
    }
    let files = vault.files
    let slots = 8
    let slotSize = 200_000
    let shared = try files.make("shared", with: [UInt8](repeating: 0, count: slots * slotSize))
    try inThreads(slots) { thread in
      var generator = SeededGenerator(seed: UInt64(thread))
      let folder = try files.folder("d\(thread)")
      for round in 0..<25 {
        // A slot of a file that all write to, at odd places.
        let content = pattern(slotSize, thread * 1000 + round)
        let cut = Int.random(in: 1..<slotSize, using: &generator)
        try files.put(Array(content[cut...]), shared, at: thread * slotSize + cut)
        try files.put(Array(content[..<cut]), shared, at: thread * slotSize)
        guard try files.get(shared, at: thread * slotSize, count: slotSize) == content else {
          throw Errno.badMessage
        }
        // Small files that come and go.
        let file = try files.make("f\(round)", in: folder, with: pattern(5000, round))
        try files.rename(.of("f\(round)"), in: folder, to: .of("t\(thread)-\(round)"), in: .root, flags: [])
        if round % 3 == 0 { try files.synchronize() }
        if round % 2 == 0 {
          try files.unlink(.of("t\(thread)-\(round)"), in: .root)
          files.forget(file)
        } else if try files.get(file) != pattern(5000, round) {
          throw Errno.badMessage
        }
        if round % 5 == 0 {
          let start = FileOffset(thread * slotSize)
          try files.allocate(shared, mode: [.punchHole, .keepSize], offset: start, length: 4096)
          try files.put(Array(content[..<4096]), shared, at: thread * slotSize)
        }
      }
    }
    let expected = (0..<slots).flatMap { pattern(slotSize, $0 * 1000 + 24) }
    #expect(try files.get(shared) == expected)
    try vault.reopen()
    #expect(try vault.files.get(shared) == expected)
    #expect(try vault.files.names(of: .root).count == 1 + slots * 13)
    #expect(try vault.files.attributes(of: .root).links == UInt32(2 + slots))
    try vault.closeSound()
  }

  @Test func cleaningDisturbsNobody() throws {
    let vault = try TestVault {
      $0.commitInterval = 0.02
      $0.cleans = false
    }
    let files = vault.files
    let space = vault.space
    let stop = Atomic(0)
    try inThreads(4) { thread in
      if thread == 0 {
        while stop.load(ordering: .acquiring) < 3 {
          try files.cleaner.clean()
          try space.advanceEpoch()
        }
        return
      }
      defer { stop.add(1, ordering: .acquiringAndReleasing) }
      var content: [[UInt8]] = []
      var inodes: [InodeNumber] = []
      for number in 0..<6 {
        inodes.append(try files.make("f\(thread)-\(number)"))
        content.append([])
      }
      var generator = SeededGenerator(seed: UInt64(thread))
      for round in 0..<60 {
        let number = Int.random(in: 0..<6, using: &generator)
        content[number] = pattern(Int.random(in: 1...400_000, using: &generator), round)
        try files.resize(inodes[number], 0)
        try files.put(content[number], inodes[number])
        if round % 4 == 0 { try files.synchronize() }
        let other = Int.random(in: 0..<6, using: &generator)
        guard try files.get(inodes[other]) == content[other] else { throw Errno.badMessage }
      }
    }
    try vault.closeSound()
  }
}
