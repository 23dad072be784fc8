import AlbumsSupport
import Testing

@testable import Albums
@testable import Index
@testable import Vault

/// Damaged counts of allocated bytes, and repair beside them.
extension AllocationTests {
  @Test(arguments: [5, -5, .max - 30_000, .min + 30_000])
  func aWrongCountIsFoundAndCorrected(count: Int64) throws {
    let vault = try TestVault()
    let file = try vault.files.make("f")
    try allocate(file, vault, 20_000)
    try vault.files.close()
    try vault.changeIndex { (index) throws(IndexError) in try index.setLiveBytes(in: .unwritten, to: count) }
    // Such a space can be mounted all the same.
    try vault.mount()
    #expect(try vault.files.get(file) == [UInt8](repeating: 0, count: 20_000))
    try vault.files.close()
    #expect(try vault.check().problems.map(\.text) == ["the count of allocated bytes is wrong"])
    let repair = try vault.plannedRepair()
    #expect(repair.plan.items.map(\.text) == ["the allocated bytes are recounted"])
    #expect(try repair.carryOut().problems == [])
    try vault.expectSound()
  }

  /// Of a written extent and an unwritten one that overlap, the unwritten one goes, whichever begins first.
  @Test(arguments: [(0, 20_480), (4096, 20_480), (8192, 20_480), (4096, 8192)])
  func repairKeepsWhatWasWritten(start: Int, end: Int) throws {
    let vault = try TestVault()
    let file = try vault.files.make("f")
    try vault.files.put(pattern(2000, 1), file, at: 1096)
    try vault.files.put(pattern(8192, 2), file, at: 4097)
    try vault.files.put(pattern(100, 3), file, at: 16_000)
    try vault.files.synchronize(intoIndex: true)
    let content = try vault.files.get(file)
    try vault.files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      try index.change { () throws(IndexError) in
        try index.extents.addRow(.unwritten(FileOffset(start)..<FileOffset(end)), of: file)
      }
    }
    let repair = try vault.plannedRepair()
    #expect(repair.found.problems != [])
    #expect(try repair.carryOut().problems == [])
    try vault.expectSound()
    try vault.mount()
    #expect(isSame(try vault.files.get(file), content))
    try vault.files.close()
  }
}
