import AlbumsSupport
import FaultyStorage
import Testing

@testable import Albums
@testable import Index
@testable import Vault

/// Repairing an index that cannot be read, or contradicts itself.
@Suite struct DamagedIndexTests {
  /// Every page of the index in turn cannot be read. What it held of names comes to lost+found, what it held of data is
  /// a hole that is called lost; everything else is as before.
  @Test func anIndexOfWhichAPageIsLostIsMadeAnew() throws {
    let vault = try TestVault.filled()
    try vault.reopen()
    let many = try vault.files.folder("many")
    for number in 0..<150 {
      let name = "a rather long name of a photo \(number)"
      let file = try vault.files.make(name, in: many, with: pattern(100 + number, number))
      // Longer than a page.
      if number.isMultiple(of: 20) { try vault.files.setAttribute("user.long", of: file, to: pattern(9000, number)) }
    }
    try vault.files.close()
    let before = try vault.contents()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let pages = (1...space.databasePageCount).map { PageNumber(rawValue: $0) }
    let places = try pages.compactMap { page in
      let position = space.log.locked { $0.database.map.position(of: page) }
      return try position.map { (name: try space.name(of: $0.segment), offset: $0.offset) }
    }
    try space.close()
    #expect(places.count > 20)
    var whole = 0
    for (page, place) in zip(pages, places) {
      let damaged = TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1))
      damaged.storage.flip(place.name, at: place.offset + 1000)
      let repairing = try damaged.plannedRepair()
      #expect(repairing.plan.unrepairable == [] && !repairing.found.isClean, "page \(page.rawValue)")
      #expect(try repairing.carryOut().problems == [], "page \(page.rawValue)")
      var lossy = Set(repairing.plan.items.filter(\.isLoss).compactMap(\.path))
      if lossy.contains("/") { lossy.insert("") }
      // Two names of one file.
      if lossy.contains("/again") { lossy.insert("/d/e/f0") }
      let after = try damaged.contents()
      let found = Set(after.compactMap { $0.key.hasPrefix("/lost+found/") ? $0.value.bytes : nil })
      for (path, old) in before where !lossy.contains(path) {
        if let new = after[path] {
          #expect(new.record.size == old.record.size && new.record.modified == old.record.modified, "\(path)")
          #expect(new.bytes == old.bytes, "\(path), page \(page.rawValue)")
          whole += 1
        } else if let bytes = old.bytes, !bytes.isEmpty {
          let isFound = found.contains(bytes) || lossy.contains { $0.hasPrefix("/lost+found/") }
          #expect(isFound, "\(path), page \(page.rawValue)")
        }
      }
    }
    #expect(whole > pages.count * before.count / 2)
  }

  /// Pages that authenticate and contradict each other: each leaf of an index or of a table without row numbers in turn
  /// is emptied.
  @Test func anIndexThatContradictsItselfIsMadeAnew() throws {
    let vault = try TestVault.filled()
    let before = try vault.contents()
    var emptied = 0
    for number in 1...60 {
      let other = TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1))
      let space = try other.vault.openSpace(other.body, copyWindow: 0)
      defer { try? space.close() }
      guard number <= space.databasePageCount else { break }
      var page = try readPage(number, of: space)
      guard page[0] == 0x0A, page[3] > 0 || page[4] > 0 else { continue }
      page[3...4] = [0, 0]
      try commit(page, number, to: space)
      try space.close()
      let repairing = try other.plannedRepair()
      #expect(!repairing.found.isClean && repairing.plan.unrepairable == [], "page \(number)")
      #expect(try repairing.carryOut().problems == [], "page \(number)")
      let after = Set(try other.contents().values.compactMap(\.bytes))
      let isData = repairing.plan.hasLosses
      #expect(isData || before.values.allSatisfy { $0.bytes.map(after.contains) ?? true }, "page \(number)")
      emptied += 1
    }
    #expect(emptied >= 5)
  }

  private func readPage(_ number: Int, of space: Space) throws -> [UInt8] {
    let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
    defer { unsafe page.deallocate() }
    try unsafe space.readPage(PageNumber(rawValue: UInt32(number)), into: page)
    return unsafe Array(page)
  }

  private func commit(_ page: [UInt8], _ number: Int, to space: Space) throws {
    let pages = [PageNumber(rawValue: UInt32(number)): PageImage(page)]
    try space.commit(LogTransaction(PageChanges(pages: pages, pageCount: space.databasePageCount)))
  }

  /// Changes the index of a closed vault by statements of SQL.
  private func execute(_ statements: String, in vault: TestVault) throws {
    try vault.changeIndex { (index) throws(IndexError) in
      try index.withSavepoint { () throws(IndexError) in try index.connection.execute(statements) }
    }
  }

  /// Expects that a repair finds something, and that nothing is wrong after it.
  private func expectRepair(_ vault: TestVault) throws {
    let repairing = try vault.plannedRepair()
    #expect(repairing.plan.unrepairable == [] && !repairing.found.isClean)
    #expect(try repairing.carryOut().problems == [])
  }

  /// The last two rows of each leaf of a table in turn change places, so that SQL finds the rows after the last again.
  @Test func aCheckEndsWhereRowsAreOutOfOrder() throws {
    let vault = try TestVault.filled()
    var swapped = 0
    for number in 2...60 {
      let other = TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1))
      let space = try other.vault.openSpace(other.body, copyWindow: 0)
      defer { try? space.close() }
      guard number <= space.databasePageCount else { break }
      var page = try readPage(number, of: space)
      let cells = Int(page[3]) << 8 | Int(page[4])
      guard page[0] == 0x0D, cells > 1 else { continue }
      let end = 8 + 2 * cells
      page[end - 4..<end] = page[end - 2..<end] + page[end - 4..<end - 2]
      try commit(page, number, to: space)
      try space.close()
      #expect(try !other.check(readsData: false).isClean, "page \(number)")
      swapped += 1
    }
    #expect(swapped >= 2)
  }

  /// An offset that is no number: as the cursor of the next query it is 0, and all rows of the inode come again.
  @Test(arguments: [1, 4096]) func aCheckEndsWhereAKeyIsText(rows: Int) throws {
    let vault = try TestVault.filled()
    try execute(
      """
      DELETE FROM extent;
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < \(rows))
      INSERT INTO extent SELECT 5, iif(n < \(rows), n, 'end'), 1, (SELECT max(number) << 26 FROM segment), 1, 0
      FROM number;
      """, in: vault)
    let problems = try vault.check(readsData: false).problems.map(\.text)
    #expect(!problems.isEmpty)
    #expect(rows == 1 || problems.contains { $0.hasPrefix("the index cannot be read completely") })
  }

  /// Extents of an inode that does not exist go, whatever their offsets are.
  @Test func extentsOfNothingGoWithTheirTextOffsets() throws {
    let vault = try TestVault.filled()
    try execute("INSERT INTO extent SELECT 1000, 'text', 1, (SELECT max(number) << 26 FROM segment), 1, 0", in: vault)
    try expectRepair(vault)
  }

  /// Rows that overlap are left to a check: the cleaner moves them as they are, and goes on.
  @Test func overlappingExtentsDoNotEndCleaning() throws {
    let vault = try TestVault {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    var kept: [String: [UInt8]] = [:]
    for number in 0..<120 {
      try vault.files.put(pattern(150_000, number), try vault.files.make("f\(number)"))
      // The others that stay get rows that overlap, so reading them gives errors.
      if number % 12 == 6 { kept["f\(number)"] = pattern(150_000, number) }
      if number % 10 == 9 { try vault.files.synchronize() }
    }
    for number in 0..<120 where number % 6 != 0 { try vault.files.delete("f\(number)") }
    let spoilt = try stride(from: 0, to: 120, by: 12).map { try vault.files.find("f\($0)").inode }
    try vault.files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      for file in spoilt {
        let whole = try index.firstExtent(of: file)
        guard let extent = whole.clamped(to: whole.offset + 100..<whole.offset + 200) else { throw .damaged }
        try index.withSavepoint { () throws(IndexError) in
          try index.extents.write(extent, of: file, by: index.statements.extents.insert)
        }
        let segment = extent.position.segment
        try index.setLiveBytes(in: segment, to: try index.liveBytes(in: segment) + 100)
      }
      // And each segment ends with a row that the cursor never passes.
      try index.withSavepoint { () throws(IndexError) in
        try index.connection.execute(
          """
          INSERT INTO extent SELECT 1000, 't' || position, 1, max(position), record, 0 FROM extent
          GROUP BY position >> 26
          """)
      }
    }
    let before = vault.storage.names.count
    try vault.mount()
    for _ in 0..<6 {
      try vault.files.cleaner.clean()
      try vault.space.advanceEpoch()
    }
    #expect(2 * (vault.storage.names.count - 2) <= before)
    for (name, bytes) in kept { #expect(try vault.files.get(try vault.files.find(name).inode) == bytes) }
    try vault.files.close()
  }

  /// Rows that nobody wrote so, which only a fault of the program or of memory makes: one file gives errors, the others
  /// are as they were.
  @Test(arguments: [
    "UPDATE extent SET length = length + 10, record = record + 10 WHERE inode = ?",
    "UPDATE extent SET length = 9223372036854775807, record = 9223372036854775807 WHERE inode = ? AND offset = 0",
    "UPDATE extent SET length = 9223372036854775807, record = 9223372036854775807 WHERE inode = ? AND offset BETWEEN 4000 AND 6000",
    "UPDATE extent SET offset = 9223372036854775800 WHERE inode = ? AND offset BETWEEN 4000 AND 6000",
  ])
  func extentsThatCannotBeSpoilOneFileOnly(change: String) throws {
    let vault = try TestVault()
    let (file, other) = (try vault.files.make("file"), try vault.files.make("other"))
    for number in 0..<4 {
      try vault.files.put(pattern(5000, number), file, at: 10_000 * number)
      try vault.files.synchronize(intoIndex: true)
    }
    for place in [5000, 15_000, 25_000] {
      try vault.files.put(pattern(5000, place), file, at: place)
      try vault.files.synchronize(intoIndex: true)
    }
    try vault.files.put(pattern(5000, 9), other)
    try vault.files.close()
    try execute(change.replacing("?", with: "\(file.rawValue)"), in: vault)
    try vault.mount()
    let files = vault.files
    // Often enough that the extents are listed in memory.
    for place in 0..<40 { _ = try? files.get(file, at: place * 1000, count: 35_000 - place * 500) }
    _ = try? files.seek(file, from: .zero, to: .hole)
    _ = try? files.seek(file, from: .zero, to: .data)
    #expect(try files.get(other) == pattern(5000, 9))
    try? files.put(pattern(20_000, 11), file, at: 7000)
    try? files.synchronize(intoIndex: true)
    #expect(try files.get(other) == pattern(5000, 9))
    try? files.close()
    try expectRepair(TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1)))
  }

  /// Link counts that contradict the names: removing and moving these gives errors at most, and the mount goes on.
  @Test(arguments: [0, Int(UInt32.max)]) func linkCountsThatCannotBeEndNoMount(links: Int) throws {
    let vault = try TestVault()
    let (file, folder) = (try vault.files.make("file"), try vault.files.folder("folder"))
    for name in ["a", "b", "c"] { _ = try vault.files.folder(name, in: folder) }
    let other = try vault.files.make("other", with: pattern(5000, 9))
    try vault.files.close()
    try execute("UPDATE inode SET links = \(links) WHERE number IN (\(file.rawValue), \(folder.rawValue))", in: vault)
    try vault.mount()
    let files = vault.files
    _ = try? files.removeDirectory(.of("a"), in: folder)
    try? files.rename(.of("b"), in: folder, to: .of("b"), in: .root, flags: [])
    try? files.rename(.of("b"), in: .root, to: .of("d"), in: folder, flags: [])
    _ = try? files.unlink(.of("file"), in: .root)
    try? files.synchronize(intoIndex: true)
    #expect(try files.get(other) == pattern(5000, 9))
    try files.close()
  }
}
