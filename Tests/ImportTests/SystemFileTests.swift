import HostFiles
import SystemPackage
import Testing

@testable import Import

/// What systems keep on media, which is no photo.
@Suite struct SystemFileTests {
  private static let double: [UInt8] = [0, 5, 0x16, 7, 0, 2, 0, 0]

  @Test func whatSystemsKeepStaysOnACard() throws {
    let fixture = try ImportFixture()
    let left = ["._a.jpg", ".DS_Store", "DCIM/Thumbs.db", "DCIM/Desktop.ini", "DCIM/._b.mov"]
    let inFolders = ["__MACOSX/._x", "__MACOSX/deep/y.jpg", ".Trashes/501/old.jpg"]
    for path in left { try fixture.put(path, Self.double) }
    for path in inFolders { try fixture.put(path, [7]) }
    // The names alone make nothing of a system's, nor does what a user named.
    let photos = ["a.jpg", "._note", "._", "DCIM/Thumbs.jpg", "DCIM/__MACOSX", "DCIM/thumbs.db.jpg"]
    for (number, path) in photos.enumerated() { try fixture.put(path, [UInt8(number + 1)]) }
    let listing = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    let (summary, outcomes) = fixture.run(list: listing) { $0.deletesOriginals = true }
    #expect(summary.imported == photos.count && summary.systemFiles == left.count + 2 && summary.skipped == 0)
    #expect(summary.isWhole && summary.all == photos.count + left.count + 2)
    #expect(Set(summary.systemPaths.map { String(decoding: $0, as: UTF8.self) }).count == left.count + 2)
    for path in left + ["__MACOSX", ".Trashes"] { #expect(outcomes[path] == .skipped(.systemFile), "\(path)") }
    #expect(try Set(ImportFixture.files(in: fixture.space).keys) == Set(photos))
    // Beside them the photos may go.
    var deleted = 0
    try OriginalDeletion(fixture.calls).deleteAll(of: listing, isCancelled: { false }) { _, outcome in
      if outcome == .deleted { deleted += 1 }
    }
    #expect(deleted == photos.count)
    #expect(try Set(ImportFixture.files(in: fixture.source).keys) == Set(left + inFolders))
  }

  @Test func allFilesAreTakenWhenAskedFor() throws {
    let fixture = try ImportFixture()
    let paths = ["._a.jpg", ".DS_Store", "__MACOSX/x", ".Trashes/y", "a.jpg"]
    for (number, path) in paths.enumerated() { try fixture.put(path, Self.double + [UInt8(number)]) }
    let (summary, _) = fixture.run { $0.takesAllFiles = true }
    #expect(summary.imported == paths.count && summary.systemFiles == 0)
    // A file that is named is no find.
    let other = try ImportFixture()
    try other.put(".DS_Store", [1])
    #expect(other.run([other.source + "/.DS_Store"]).summary.imported == 1)
  }

  @Test func whatSystemsKeepStaysInArchives() throws {
    let archives = try ArchiveFixture()
    try archives.make(
      #"""
      double = b"\0\5\x16\7" + data(1, 90)
      entries = [("a.jpg", data(2, 900)), ("__MACOSX/._a.jpg", double), ("__MACOSX/b/c.jpg", data(3, 9)), ("x/._a.jpg", double),
                 ("x/.DS_Store", data(4, 9)), ("x/._note", data(5, 9)), ("x/Thumbs.db", b"t")]
      zipped("one.zip", entries)
      tarred("two.tgz", entries[1:])
      """#)
    let result = try archives.run(["one.zip"], deletes: true)
    #expect(result.summary.imported == 2 && result.summary.systemFiles == 5 && result.summary.isWhole)
    #expect(try Set(archives.space.keys) == ["a.jpg", "x/._note"])
    #expect(result.outcomes["one.zip/x/._a.jpg"] == .skipped(.systemFile))
    // They are in it, so it stays.
    #expect(try archives.source.contains("one.zip") && archives.incoming.isEmpty)
    #expect(try archives.run(["two.tgz"]).summary.systemFiles == 5)
    let all = try archives.run(["two.tgz"], takesAllFiles: true).summary
    #expect(all.systemFiles == 0 && all.skipped == 0 && all.isWhole)
    #expect(try archives.space.count == 7)
  }
}
