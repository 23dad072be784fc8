import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// Several files are copied at once, and what comes of it is as if they had been copied one after the other.
@Suite struct ParallelImportTests {
  private static func bytes(_ count: Int, _ seed: Int) -> [UInt8] { ArchiveFixture.data(UInt8(seed), count) }

  /// Three folders whose files have the same names, sidecars, and a few of the same bytes.
  private static func fill(_ fixture: ImportFixture) throws {
    for (folder, letter) in ["A", "B", "C"].enumerated() {
      for number in 0..<20 {
        let name = "\(letter)/IMG_\(number)"
        try fixture.put("\(name).JPG", bytes(3000 + 100 * folder + number, 20 * folder + number))
        if number.isMultiple(of: 5) { try fixture.put("\(name).JPG.xmp", bytes(200 + 20 * folder + number, 99)) }
      }
      try fixture.put("\(letter)/twin\(folder).jpg", bytes(7000, 200))
      // As long as each other, and not the same.
      try fixture.put("\(letter)/raw\(folder).dng", bytes(8000, 210 + folder))
    }
    try ImportFixture.write(bytes(50, 220), to: fixture.space + "/IMG_3.JPG")
    try ImportFixture.write(bytes(7000, 200), to: fixture.space + "/old/there.jpg")
  }

  private func imported(_ fixture: ImportFixture, overlaps: Bool) throws -> (ImportSummary, [String], [String]) {
    let observer = Observer()
    let sources = ["A", "B", "C"].map { fixture.source + "/" + $0 }
    let summary = fixture.run(sources, observer: observer) { $0.overlaps = overlaps }.summary
    var order: [String] = []
    var others: [String] = []
    for (path, outcome) in observer.outcomes {
      let text = "\(path.dropFirst(fixture.source.utf8.count)): \(outcome)"
      if case .imported = outcome { order.append(text) } else { others.append(text) }
    }
    return (summary, order, others.sorted())
  }

  @Test func conflictsEndAsOneAfterTheOther() throws {
    let alone = try ImportFixture()
    try Self.fill(alone)
    let expected = try imported(alone, overlaps: false)
    #expect(expected.0.isWhole && expected.0.imported == 3 * 25 && expected.0.duplicates == 3)
    for _ in 0..<5 {
      let fixture = try ImportFixture()
      try Self.fill(fixture)
      let found = try imported(fixture, overlaps: true)
      #expect(found.0.isWhole && found.0.imported == expected.0.imported)
      #expect(found.1 == expected.1)
      #expect(found.2 == expected.2)
      #expect(try ImportFixture.files(in: fixture.space) == ImportFixture.files(in: alone.space))
      #expect(try Directory.names(in: fixture.incoming).isEmpty)
    }
  }

  @Test func twoAreCopiedAtTheSameTime() throws {
    guard Parallel.usual.threads > 1 else { return }
    let lock = Lock()
    let changed = Condition(of: lock)
    let begun = Mutex(0)
    let met = Mutex(false)
    let fixture = try ImportFixture(before: { (kind) throws(Errno) in
      guard kind == .create else { return }
      lock.lock()
      defer { lock.unlock() }
      begun.withLock { $0 += 1 }
      changed.broadcast()
      // One that copies alone waits in vain.
      let deadline = monotonicTime() + 20_000_000_000
      while begun.withLock({ $0 }) < 2, changed.wait(until: deadline) {}
      if begun.withLock({ $0 }) >= 2 { met.withLock { $0 = true } }
    })
    for number in 0..<2 { try fixture.put("\(number).jpg", Self.bytes(1000 + number, number)) }
    // A disk that turns is read one file after the other.
    let device = try fixture.calls.status(of: Array((fixture.source + "/0.jpg").utf8), in: nil).device
    if SourceMedium.turns(device) { return }
    #expect(fixture.run().summary.imported == 2)
    #expect(met.withLock { $0 })
  }

  /// A source of so many small files, and a space in which writing fails as `failure` says of the number of the write.
  private static func fixture(_ count: Int, failure: @escaping @Sendable (Int) -> Errno?) throws -> ImportFixture {
    let written = Counter()
    let fixture = try ImportFixture(before: { (kind) throws(Errno) in
      if kind == .write, let error = failure(written.next() + 1) { throw error }
    })
    for number in 0..<count { try fixture.put("\(number / 9)/\(number).jpg", bytes(1000 + number, number)) }
    return fixture
  }

  @Test(arguments: [1, 7, 40]) func oneThatFailsIsAloneInThat(_ failing: Int) throws {
    let fixture = try Self.fixture(40) { $0 == failing ? .ioError : nil }
    let (summary, outcomes) = fixture.run()
    #expect(summary.failed == 1 && summary.imported == 39 && summary.all == 40)
    #expect(outcomes.values.count { $0 == .failed(.space(.init(number: EIO))) } == 1)
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
    let again = ImportFixture.with(fixture).run().summary
    #expect(again.isWhole && again.imported == 1 && again.known == 39)
  }

  /// What is being copied when the space can take nothing more fails, and no other file is begun.
  @Test(arguments: [Errno.noSpace, .socketNotConnected]) func aFullSpaceGetsNoOtherFile(_ error: Errno) throws {
    let fixture = try Self.fixture(20) { $0 > 4 ? error : nil }
    let (summary, outcomes) = fixture.run()
    #expect(summary.end == error.rawValue && summary.imported == 4 && summary.all == 20 && outcomes.count == 20)
    #expect((1...min(4, Parallel.usual.threads)).contains(summary.failed))
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
    let again = ImportFixture.with(fixture).run().summary
    #expect(again.isWhole && again.known == 4 && again.imported == 16)
  }

  @Test func anInterruptionLeavesNothingHalf() throws {
    let fixture = try ImportFixture()
    for number in 0..<40 { try fixture.put("\(number / 9)/\(number).jpg", Self.bytes(1000 + number, number)) }
    let observer = Observer()
    observer.most = 11
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    let first = fixture.run(observer: observer, list: list) { $0.deletesOriginals = true }.summary
    #expect(first.isInterrupted && first.imported == 11 && first.unreached == 29)
    // Only what was verified is to be deleted.
    #expect(list.count == 11 && observer.verified.count == 11)
    try list.remove()
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
    let second = fixture.run().summary
    #expect(second.isWhole && second.known == 11 && second.imported == 29)
  }

  @Test func aDiskThatTurnsIsFoundByItsNumbers() throws {
    let folder = try TemporaryFolder()
    for name in ["sda", "sda/queue", "sda/sda1", "nvme0n1", "nvme0n1/queue"] { try folder.makeDirectory(name) }
    try folder.write("1\n", to: "sda/queue/rotational")
    try folder.write("0\n", to: "nvme0n1/queue/rotational")
    for (name, target) in [("8:0", "sda"), ("8:1", "sda/sda1"), ("259:300", "nvme0n1")] {
      try systemCall { unsafe symlink(target, folder.path(name)) }
    }
    func turns(_ major: UInt64, _ minor: UInt64) -> Bool {
      SourceMedium.turns(major << 8 | minor & 0xFF | (minor & ~0xFF) << 12, in: folder.path)
    }
    #expect(turns(8, 0) && turns(8, 1))
    #expect(!turns(259, 300) && !turns(8, 2) && !turns(0, 45))
  }
}
