import AlbumsSupport
import FaultyStorage
import TestSupport
import Testing
import Vault

@testable import Albums

/// What is there after power was cut.
@Suite struct CrashTests {
  /// Each operation leaves a mark from which a prefix can be told: file n is made, written and renamed, in this order,
  /// before file n + 1.
  @Test(arguments: TestLength.seedArguments(12)) func aPrefixOfTheOperationsSurvives(seed: UInt64) throws {
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
    try after.closeSound()
    #expect(throws: Never.self) { try vault.files.close() }
  }

  /// Runs a workload until the storage stops; gives the last number whose file was promised, and the one that was
  /// begun.
  private func work(_ files: FileSystem) -> (promised: Int, begun: Int) {
    var promised = 0
    var begun = 0
    do {
      for number in 1...30 {
        begun = number
        try files.make("f\(number)", with: pattern(20_000 + 977 * number, number))
        if number > 4 { try files.delete("f\(number - 4)") }
        if number % 3 == 0 {
          try files.synchronize()
          promised = number
        }
        if number % 10 == 0 {
          try files.cleaner.clean()
          try files.space.advanceEpoch()
        }
      }
    } catch {
      // The storage has stopped.
    }
    return (promised, begun)
  }

  @Test func everyStopLeavesAPrefix() throws {
    let whole = try TestVault { $0.commitInterval = 3600 }
    let first = whole.storage.operationCount
    #expect(work(whole.files).promised == 30)
    let last = whole.storage.operationCount
    try whole.files.close()
    #expect(last - first > 40)
    for stop in stride(from: first + 1, through: last, by: 2) {
      let vault = try TestVault { $0.commitInterval = 3600 }
      vault.storage.inject(.cut(at: stop))
      let (promised, begun) = work(vault.files)
      let after = try vault.afterPowerCut(seed: UInt64(stop))
      let names = try after.files.names(of: .root)
      let numbers = names.keys.compactMap { Int($0.dropFirst()) }.sorted()
      #expect((numbers.last ?? 0) >= promised && (numbers.last ?? 0) <= begun, "stopped at \(stop)")
      // File n goes after file n + 4 was made and written: the names without a gap, four or five of them.
      if let newest = numbers.last {
        let lowest = numbers[0]
        #expect(numbers == Array(lowest...newest), "stopped at \(stop)")
        #expect(lowest == max(1, newest - 3) || lowest == max(1, newest - 4), "stopped at \(stop)")
        for number in numbers.dropLast() {
          let content = try after.files.get(try after.files.find("f\(number)").inode)
          #expect(isSame(content, pattern(20_000 + 977 * number, number)), "stopped at \(stop)")
        }
      }
      // A mount that writes completes what the crash left, which is no damage afterwards either.
      if stop % 4 < 2 { try after.files.put([1], try after.files.make("later")) }
      try after.files.close()
      try after.expectSound("stopped at \(stop)")
      _ = try? vault.files.close()
    }
  }

  @Test func unlinkedOpenFilesAreDeletedAfterACrash() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    let open = try vault.files.create(.of("a"), in: .root, mode: 0o600, flags: [], caller: caller).inode
    try vault.files.put(pattern(2 << 20, 1), open)
    try vault.files.setAttribute("user.a", of: open, to: [1])
    try vault.files.synchronize()
    try vault.files.unlink(.of("a"), in: .root)
    try vault.files.synchronize()
    #expect(try vault.files.get(open) == pattern(2 << 20, 1))
    let after = try vault.afterPowerCut(seed: 3)
    try after.files.close()
    // The thread that deletes has its steps done at the latest after some more mounts.
    var report = CheckReport()
    for _ in 0..<50 {
      report = try after.check()
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
    let report = try vault.check()
    #expect(report.problems == [])
    #expect(report.files == 0 && report.directories == 1)
  }
}
