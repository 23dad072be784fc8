import CPlatform
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// An interrupted deletion that is finished later.
@Suite struct InterruptedDeletionTests {
  /// Since the run ended its files were deleted in the space.
  @Test func whatTheSpaceHasNoLongerStays() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", [1, 2, 3])
    try fixture.put("b.jpg", [4, 5, 6])
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    fixture.run(list: list) { $0.deletesOriginals = true }
    try systemCall { unsafe unlink(fixture.space + "/a.jpg") }
    let deletion = OriginalDeletion(fixture.calls)
    var outcomes: [String: OriginalDeletion.Outcome] = [:]
    try deletion.deleteAll(
      of: list, isCancelled: { false }, verify: { deletion.statusIfStored($0, fixture.target) },
      { outcomes[String(decoding: $0.name, as: UTF8.self)] = $1 })
    #expect(outcomes == ["a.jpg": .notInSpace, "b.jpg": .deleted])
    #expect(try ImportFixture.files(in: fixture.source) == ["a.jpg": [1, 2, 3]])
  }

  /// Who has the password of the space learns nothing of the host's inode numbers and times.
  @Test func theListKeepsNothingOfTheHost() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", Self.content)
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    fixture.run(list: list) { $0.deletesOriginals = true }
    try list.begin()
    let kept = try ImportFixture.files(in: fixture.incoming)["originals-x"] ?? []
    #expect(kept.count > 50)
    let status = try fixture.calls.status(of: Array((fixture.source + "/a.jpg").utf8), in: nil)
    #expect(status.size == Self.content.count)
    func isKept(_ number: Int64) -> Bool {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
      return kept.indices.contains { kept[$0...].starts(with: bytes) }
    }
    #expect(isKept(status.size))
    for number in [
      Int64(bitPattern: status.inode), status.modified.seconds, status.modified.nanoseconds, status.changed.seconds,
      status.changed.nanoseconds,
    ] { #expect(!isKept(number)) }
    var originals: [Original] = []
    try list.forEach {
      originals.append($0)
      return true
    }
    #expect(originals.map { $0.isUnchanged(status, inodeCounts: true) } == [true])
    var other = status
    other.inode += 1
    #expect(originals.map { $0.isUnchanged(other, inodeCounts: true) } == [false])
    #expect(originals.map { $0.isUnchanged(other, inodeCounts: false) } == [true])
    other.changed.nanoseconds += 1
    #expect(originals.map { $0.isUnchanged(other, inodeCounts: false) } == [false])
    try list.remove()
  }

  private static let content = [UInt8](repeating: 7, count: 77_777)

  /// A sidecar goes with its photo's number.
  @Test func whatBelongsTogetherGetsOneNumber() throws {
    let fixture = try ImportFixture()
    try ImportFixture.write([9], to: fixture.space + "/IMG_1.jpg")
    try fixture.put("IMG_1.jpg", [1, 2])
    try fixture.put("IMG_1.jpg.xmp", [3])
    try fixture.put("IMG_1.MOV", [4])
    try fixture.put("IMG_2.jpg", [5])
    for _ in 0..<2 { fixture.run() }
    let expected: [String: [UInt8]] = [
      "IMG_1.jpg": [9], "IMG_1 (2).jpg": [1, 2], "IMG_1 (2).jpg.xmp": [3], "IMG_1 (2).MOV": [4], "IMG_2.jpg": [5],
    ]
    #expect(try ImportFixture.files(in: fixture.space) == expected)
  }
}
