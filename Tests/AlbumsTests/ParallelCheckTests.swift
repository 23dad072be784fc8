import AlbumsSupport
import FaultyStorage
import Index
import System
import Testing

@testable import Albums
@testable import Vault

/// A check finds the same, in the same order, however many threads read.
@Suite struct ParallelCheckTests {
  private func check(_ vault: TestVault, threads: Int) throws -> CheckReport {
    let space = try vault.vault.openSpace(vault.body, readOnly: true, acceptOlder: true, copyWindow: 0)
    defer { try? space.close() }
    return Checker.check(space, readData: true, on: Parallel(threads: threads))
  }

  private func expectSame(_ one: CheckReport, _ other: CheckReport) {
    #expect(one.problems == other.problems)
    #expect(one.notes == other.notes)
    #expect(one.dataBytes == other.dataBytes && one.readBytes == other.readBytes)
    #expect(one.files == other.files && one.stateNumber == other.stateNumber)
  }

  @Test(arguments: [2, 8]) func nothingIsWrong(_ threads: Int) throws {
    let vault = try TestVault.filled()
    let report = try check(vault, threads: threads)
    #expect(report.isClean && report.readBytes == report.dataBytes && report.dataBytes == 20 * 60_000 + 50_000)
    expectSame(try check(vault, threads: 1), report)
  }

  @Test(arguments: [2, 8]) func everyDamageIsNamedOnce(_ threads: Int) throws {
    let vault = try TestVault.filled()
    let damaged = ["f2", "f3", "f7", "f8", "f12"].map { "/d/e/\($0)" }
    for path in damaged.reversed() { try vault.damage(path, at: 5000) }
    // What is wrong without being read lies between the others.
    try vault.changeIndex { (index) throws(IndexError) in
      try index.extents.removeExtents(of: index.record(at: "/d/e/f9").number, in: .zero..<FileOffset(10), limit: 5)
    }
    let alone = try check(vault, threads: 1)
    let texts = alone.problems.filter { $0.text.hasSuffix("are damaged") }
    #expect(texts.compactMap(\.path) == damaged)
    #expect(alone.problems.contains { $0.path == "/d/e/f9" })
    #expect(alone.readBytes < alone.dataBytes)
    for _ in 0..<5 { expectSame(try check(vault, threads: threads), alone) }
  }

  @Test(arguments: [2, 8]) func aSegmentThatIsGoneIsNamedOnce(_ threads: Int) throws {
    let vault = try TestVault()
    for number in 0..<12 { try vault.files.put(pattern(700_000, number), vault.files.make("f\(number)")) }
    try vault.files.close()
    for path in ["/f1", "/f9"] { try vault.damage(path, at: 60) }
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let name = try space.nameOfSegmentWithData()
    try space.close()
    vault.storage.tamper(name) { _ in nil }
    let alone = try check(vault, threads: 1)
    #expect(alone.problems.count { $0.text == "segment file \(name) is missing" } == 1)
    #expect(Set(alone.problems.compactMap(\.path)).isSuperset(of: ["/f1", "/f9"]))
    for _ in 0..<5 { expectSame(try check(vault, threads: threads), alone) }
  }
}
