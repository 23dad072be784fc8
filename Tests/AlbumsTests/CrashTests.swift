import FaultyStorage
import Index
import SystemPackage
import Testing
import Vault

@testable import Albums

/// What is there after power was cut.
@Suite struct CrashTests {
  /// Each operation leaves a mark from which a prefix can be told: file n is made, written and renamed, in this order, before file n + 1.
  @Test(arguments: 1...12 as ClosedRange<UInt64>) func aPrefixOfTheOperationsSurvives(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let vault = try TestVault { $0.commitInterval = Bool.random(using: &generator) ? 0.01 : 3600 }
    let files = vault.files
    var promised = 0
    var lengths: [Int: Int] = [:]
    let count = Int.random(in: 20...60, using: &generator)
    for number in 1...count {
      let file = try files.make("new\(number)")
      let length = Int.random(in: 1...60_000, using: &generator)
      lengths[number] = length
      try files.put(pattern(length, number), file)
      try files.rename(.of("new\(number)"), in: .root, to: .of("f\(number)"), in: .root, flags: [])
      if Int.random(in: 0..<9, using: &generator) == 0 {
        try files.synchronize()
        promised = number
      }
    }
    let after = try vault.afterPowerCut(seed: seed)
    let names = try after.files.names(of: .root)
    let done = names.keys.filter { $0.hasPrefix("f") }.count
    #expect(done >= promised)
    for number in 1...count {
      guard let file = names["f\(number)"] else { continue }
      #expect(number <= done)
      #expect(try after.files.get(file) == pattern(lengths[number] ?? 0, number))
    }
    // At most one file was on its way.
    #expect(names.count <= done + 1)
    try after.files.close()
    let space = try after.vault.openSpace(after.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
    #expect(throws: Never.self) { try vault.files.close() }
  }

  @Test func unlinkedOpenFilesAreDeletedAfterACrash() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let open = try vault.files.create(.of("a"), in: .root, mode: 0o600, flags: [], caller: caller).inode
    try vault.files.put(pattern(2 << 20, 1), open)
    try vault.files.setExtendedAttribute(Array("user.a".utf8), of: open, value: [1], flags: [], caller: caller)
    try vault.files.synchronize()
    try vault.files.unlink(.of("a"), in: .root)
    try vault.files.synchronize()
    #expect(try vault.files.get(open) == pattern(2 << 20, 1))
    let after = try vault.afterPowerCut(seed: 3)
    try after.files.close()
    // The thread that deletes has its steps done at the latest after some more mounts.
    var report = CheckReport()
    for _ in 0..<50 {
      let space = try after.vault.openSpace(after.body, readOnly: true, copyWindow: 0)
      report = Checker.check(space, readData: true)
      try space.close()
      if report.files == 0 { break }
      try after.reopen()
      try after.files.close()
    }
    #expect(report.problems == [])
    #expect(report.files == 0 && report.dataBytes == 0)
    try vault.files.close()
  }

  @Test func closingDeletesWhatHasNoName() throws {
    let vault = try TestVault()
    let open = try vault.files.create(.of("a"), in: .root, mode: 0o600, flags: [], caller: caller).inode
    try vault.files.put(pattern(100_000, 1), open)
    let folder = try vault.files.folder("d")
    try vault.files.removeDirectory(.of("d"), in: .root)
    try vault.files.unlink(.of("a"), in: .root)
    #expect(vault.files.openFileCount == 1)
    #expect(try vault.files.attributes(of: folder).links == 0)
    try vault.files.close()
    #expect(vault.files.openFileCount == 0)
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let report = Checker.check(space, readData: true)
    #expect(report.problems == [])
    #expect(report.files == 0 && report.directories == 1)
    try space.close()
  }
}
