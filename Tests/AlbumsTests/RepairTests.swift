import FaultyStorage
import Index
import SystemPackage
import Testing

@testable import Albums
@testable import Vault

@Suite struct RepairTests {
  /// A vault with some of everything, closed.
  private func filled() throws -> TestVault {
    let vault = try TestVault()
    let files = vault.files
    let folder = try files.folder("d")
    let inner = try files.folder("e", in: folder)
    for index in 0..<20 {
      let file = try files.make("f\(index)", in: inner)
      try files.put(pattern(60_000, index), file)
    }
    let first = try files.find("f0", in: inner).inode
    _ = try files.link(first, named: .of("again"), in: .root)
    _ = try files.copyRange(from: first, at: .zero, to: first, at: FileOffset(1 << 20), length: 50_000)
    _ = try files.makeSymbolicLink(target: [65], named: .of("s"), in: .root, caller: caller)
    try files.setExtendedAttribute(Array("user.a".utf8), of: folder, value: [1], flags: [], caller: caller)
    try files.close()
    return vault
  }

  /// Everything that is to be seen of every inode with a name, and its bytes; nil for bytes that cannot be read.
  private func contents(_ vault: TestVault) throws -> [String: (record: InodeRecord, bytes: [UInt8]?)] {
    let space = try vault.vault.openSpace(vault.body, readOnly: true, acceptOlder: true, copyWindow: 0)
    defer { try? space.close() }
    let index = try Index(space: space)
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = true
    let files = try FileSystem(space: space, options: options)
    var found: [String: (record: InodeRecord, bytes: [UInt8]?)] = [:]
    var waiting = [("", InodeNumber.root)]
    while let (path, inode) = waiting.popLast() {
      guard let record = try index.inode(inode) else { continue }
      let isFile = record.mode & FileKind.mask == FileKind.regular
      found[path] = (record, isFile ? try? files.get(inode) : nil)
      if record.mode & FileKind.mask == FileKind.directory {
        for (name, child) in try files.names(of: inode) where name != "." && name != ".." {
          waiting.append((path + "/" + name, child))
        }
      }
    }
    try files.close()
    return found
  }

  /// Changes the index behind the file system's back.
  private func change(_ vault: TestVault, _ change: (Index) throws(IndexError) -> Void) throws {
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    let index = try Index(space: space)
    try change(index)
    try index.commit()
    try space.close()
  }

  private func plan(_ vault: TestVault) throws -> Repair {
    Repair(of: try vault.vault.openSpace(vault.body, acceptOlder: true), in: vault.vault, body: vault.body, slot: nil)
  }

  /// Repairs, and makes sure that all is well then and that nothing but `touched` changed; gives the steps.
  private func repair(_ vault: TestVault, touching touched: Set<String>) throws -> [String] {
    let before = try contents(vault)
    let operations = vault.storage.operationCount
    var repair: Repair? = try plan(vault)
    let found = try #require(repair?.found)
    #expect(!found.isClean)
    #expect(vault.storage.operationCount == operations)
    let items = repair?.plan.items ?? []
    #expect(repair?.plan.unrepairable == [])
    let left = try #require(try repair?.carryOut())
    #expect(left.problems == [])
    repair = nil
    let after = try contents(vault)
    for (path, old) in before where !touched.contains(path) {
      let new = try #require(after[path], "\(path) is gone")
      #expect(new.record == old.record, "\(path)")
      #expect(old.bytes.map { isSame($0, new.bytes ?? []) } ?? (new.bytes == nil), "\(path)")
    }
    #expect(try plan(vault).found.problems == [])
    // The space works.
    vault.space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    vault.files = try FileSystem(space: vault.space, options: vault.options)
    let file = try vault.files.make("new")
    try vault.files.put(pattern(100, 1), file)
    try vault.files.close()
    return items.map { "\($0.path ?? "-"): \($0.text)" }
  }

  @Test func nothingIsDoneWhereNothingIsWrong() throws {
    let vault = try filled()
    let operations = vault.storage.operationCount
    let repair = try plan(vault)
    #expect(repair.found.problems == [] && repair.plan.isEmpty && repair.plan.unrepairable == [])
    #expect(repair.found.readBytes == 20 * 60_000 + 50_000)
    _ = try repair.carryOut()
    #expect(vault.storage.operationCount == operations)
  }

  @Test func whatIsNotAgreedToIsNotDone() throws {
    let vault = try filled()
    try change(vault) { (index) throws(IndexError) in try index.deleteDentry(parent: .root, name: .of("s")) }
    let operations = vault.storage.operationCount
    do {
      let repair = try plan(vault)
      #expect(!repair.plan.isEmpty)
    }
    #expect(vault.storage.operationCount == operations)
    #expect(try !plan(vault).found.isClean)
  }

  @Test func countsAreMadeAnew() throws {
    let vault = try filled()
    try change(vault) { (index) throws(IndexError) in
      guard let entry = try index.dentry(parent: .root, name: .of("again")), var record = try index.inode(entry.inode),
        var root = try index.inode(.root), let life = try index.segmentLives(after: nil, limit: 1).first
      else { throw .damaged }
      record.links = 7
      record.allocated = 1
      root.links = 9
      try index.update(record)
      try index.update(root)
      try index.setLiveBytes(in: life.segment, to: life.liveBytes + 5)
      try index.setTotals(inodes: 3, liveBytes: 4)
    }
    let steps = try repair(vault, touching: ["", "/again", "/d/e/f0"])
    #expect(steps.count == 5)
    #expect(steps.contains("/: its link count becomes 3"))
    #expect(steps.contains("/d/e/f0: its link count becomes 2") || steps.contains("/again: its link count becomes 2"))
  }

  @Test func whatHasNoNameComesToLostAndFound() throws {
    let vault = try filled()
    var lost = InodeNumber.root
    var target = InodeNumber.root
    try change(vault) { (index) throws(IndexError) in
      guard let outer = try index.dentry(parent: .root, name: .of("d")),
        let inner = try index.dentry(parent: outer.inode, name: .of("e")),
        let file = try index.dentry(parent: inner.inode, name: .of("f3"))
      else { throw .damaged }
      lost = file.inode
      target = outer.inode
      try index.deleteDentry(parent: inner.inode, name: .of("f3"))
      try index.deleteDentry(parent: .root, name: .of("d"))
    }
    let gone = Set(["", "/d", "/d/e"] + (0..<20).map { "/d/e/f\($0)" })
    let steps = try repair(vault, touching: gone)
    #expect(steps.contains("-: inode \(lost.rawValue) has no name and gets one in lost+found"))
    let after = try contents(vault)
    #expect(isSame(try #require(after["/lost+found/#\(lost.rawValue)"]?.bytes), pattern(60_000, 3)))
    #expect(isSame(try #require(after["/lost+found/#\(target.rawValue)/e/f7"]?.bytes), pattern(60_000, 7)))
  }

  @Test func namesThatLeadNowhereGo() throws {
    let vault = try filled()
    try change(vault) { (index) throws(IndexError) in
      guard let entry = try index.dentry(parent: .root, name: .of("s")) else { throw .damaged }
      try index.deleteInode(entry.inode)
      try index.setMedia(MediaRecord(inode: InodeNumber(rawValue: 999), state: .pending))
    }
    let steps = try repair(vault, touching: ["", "/s"])
    #expect(steps.contains("/s: the name leads nowhere and is removed"))
    #expect(try contents(vault)["/s"] == nil)
  }

  @Test func directoriesThatHoldEachOtherAreFound() throws {
    let vault = try filled()
    var inner = InodeNumber.root
    try change(vault) { (index) throws(IndexError) in
      guard let outer = try index.dentry(parent: .root, name: .of("d")),
        let found = try index.dentry(parent: outer.inode, name: .of("e")), var record = try index.inode(outer.inode)
      else { throw .damaged }
      inner = found.inode
      try index.deleteDentry(parent: .root, name: .of("d"))
      try index.insertDentry(
        parent: inner, DentryRecord(name: .of("d"), inode: outer.inode, kind: 4, cookie: index.nextCookie()))
      record.parent = inner
      try index.update(record)
    }
    _ = try repair(vault, touching: [""])
    let after = try contents(vault)
    #expect(after.keys.contains { $0.hasPrefix("/lost+found/") && $0.hasSuffix("e/f19") || $0.hasSuffix("/f19") })
  }

  @Test func attributesAndLinksFitAgain() throws {
    let vault = try filled()
    try change(vault) { (index) throws(IndexError) in
      guard let folder = try index.dentry(parent: .root, name: .of("d")),
        let link = try index.dentry(parent: .root, name: .of("s")), var record = try index.inode(link.inode),
        let entry = try index.dentry(parent: .root, name: .of("again")), var file = try index.inode(entry.inode)
      else { throw .damaged }
      try index.removeAllAttributes(of: folder.inode)
      record.size = 5
      try index.update(record)
      file.size = 100
      try index.update(file)
      try index.addOrphan(entry.inode)
      try index.setAttribute(named: [97], of: InodeNumber(rawValue: 888), to: [1])
    }
    let steps = try repair(vault, touching: ["/d", "/s", "/again", "/d/e/f0"])
    #expect(steps.contains("/d: its extended attributes are lost"))
    // What authenticates is not thrown away.
    #expect(try contents(vault)["/again"]?.bytes?.count == 1 << 20 + 50_000)
  }

  @Test func whatCannotBeReadBecomesAHole() throws {
    let vault = try filled()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let index = try Index(space: space)
    let outer = try #require(try index.dentry(parent: .root, name: .of("d")))
    let inner = try #require(try index.dentry(parent: outer.inode, name: .of("e")))
    let entry = try #require(try index.dentry(parent: inner.inode, name: .of("f5")))
    let extent = try #require(
      try index.extents(of: entry.inode, overlapping: .zero..<FileOffset(1), limit: 1).first)
    try space.close()
    // The second sealed part of the file's only record.
    let place = extent.position.offset + 48 + 16_400 + 100
    for identifier in vault.storage.names {
      vault.storage.tamper(identifier) { content in
        var content = content
        if content.count == TestVault.segmentSize { content[place] ^= 1 }
        return content
      }
    }
    let repairing = try plan(vault)
    try #require(repairing.plan.unrepairable == [], "the same byte of another file hit the index")
    let losses = repairing.plan.items.filter(\.isLoss)
    let own = try #require(losses.first { $0.path == "/d/e/f5" })
    #expect(own.lostBytes == 16_384..<32_768)
    let left = try repairing.carryOut()
    #expect(left.problems == [])
    let after = try contents(vault)
    let bytes = try #require(after["/d/e/f5"]?.bytes)
    var expected = pattern(60_000, 5)
    expected.replaceSubrange(16_384..<32_768, with: [UInt8](repeating: 0, count: 16_384))
    #expect(isSame(bytes, expected))
    let hurt = Set(losses.compactMap(\.path))
    for file in 0..<20 where !hurt.contains("/d/e/f\(file)") && file != 0 {
      #expect(isSame(try #require(after["/d/e/f\(file)"]?.bytes), pattern(60_000, file)))
    }
  }

  /// A segment file that holds data is gone, cut short, or has a record that does not authenticate in the middle.
  @Test(arguments: 0..<3)
  func whatIsInOtherFilesOfTheVaultStays(_ kind: Int) throws {
    let vault = try TestVault()
    for index in 0..<8 {
      let file = try vault.files.make("f\(index)")
      try vault.files.put(pattern(700_000, index), file)
    }
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let victim = try #require(
      space.segments().first {
        $0.databasePages == 0 && $0.number.index > 0 && (try? !isEmpty($0.number, space)) == true
      })
    try space.close()
    let identifier = try #require(
      vault.storage.names.first { name in
        guard let file = try? vault.storage.open(name),
          let opened = try? SegmentHandle.open(
            file, keys: SpaceKeys(spaceKey: vault.body.spaceKey, suite: vault.body.suite))
        else { return false }
        return opened.header.number == victim.number
      })
    vault.storage.tamper(identifier) { content in
      var content = content
      switch kind {
      case 0: return nil
      case 1: return Array(content.prefix(300_000))
      default:
        // The header of the first record.
        content[SegmentFormat.recordsStart + 5] ^= 1
        content[500_000] ^= 1
        return content
      }
    }
    let before = try contents(vault)
    let repairing = try plan(vault)
    #expect(repairing.plan.hasLosses)
    let left = try repairing.carryOut()
    #expect(left.problems == [])
    let after = try contents(vault)
    for (path, old) in before {
      guard let bytes = old.bytes else { continue }
      #expect(isSame(bytes, after[path]?.bytes ?? []), "\(path)")
    }
    // Every file reads again: with what it had, or zeros where something is lost.
    for index in 0..<8 {
      var expected = pattern(700_000, index)
      for item in repairing.plan.items where item.path == "/f\(index)" {
        guard let lost = item.lostBytes else { continue }
        expected.replaceSubrange(
          Int(lost.lowerBound)..<Int(lost.upperBound), with: [UInt8](repeating: 0, count: lost.count))
      }
      #expect(isSame(after["/f\(index)"]?.bytes ?? [], expected), "f\(index)")
    }
  }

  /// The search for the newest head misses it when one that leads there is gone; the headers of the files tell.
  @Test func aLostHeadOnTheWayToTheNewestIsNoLoss() throws {
    let vault = try filled()
    let keys = SpaceKeys(spaceKey: vault.body.spaceKey, suite: vault.body.suite)
    var newest = UInt32(0)
    // On to a state that has an older head on the way to it.
    repeat {
      try change(vault) { (index) throws(IndexError) in try index.requireCommit() }
      let space = try vault.vault.openSpace(vault.body, readOnly: true)
      newest = space.heads.last?.epoch.rawValue ?? 0
      try space.close()
    } while newest & (newest - 1) == 0
    let before = try contents(vault)
    let lost = UInt32(1) << (31 - UInt32(newest.leadingZeroBitCount))
    vault.storage.tamper(keys.headIdentifier(EpochNumber(rawValue: lost))) { _ in nil }
    let space = try vault.vault.openSpace(vault.body, acceptOlder: true, scanning: true)
    #expect(space.isMissedBySearch)
    let repair = Repair(of: space, in: vault.vault, body: vault.body, slot: nil)
    #expect(!repair.plan.hasLosses && !repair.plan.isEmpty)
    #expect(try repair.carryOut().problems == [])
    let after = try contents(vault)
    #expect(before.keys.sorted() == after.keys.sorted())
    for (path, old) in before where old.bytes != nil {
      #expect(after[path]?.record == old.record)
      #expect(isSame(after[path]?.bytes ?? [], old.bytes ?? []))
    }
  }

  /// Two machines went on from one state, and a program that synchronises brought their files together.
  @Test(arguments: [false, true])
  func aForkIsSaidAndNeitherSideIsTouched(otherIsLonger: Bool) throws {
    let vault = try filled()
    let other = try TestVault(vault, over: vault.storage.powerCut(seed: 1))
    try vault.reopen()
    for (side, rounds) in [(vault, otherIsLonger ? 1 : 3), (other, otherIsLonger ? 3 : 1)] {
      for round in 0..<rounds {
        let file = try side.files.make("after\(round)")
        try side.files.put(pattern(3_000_000, round), file)
        try side.files.synchronize()
        try side.space.advanceEpoch()
      }
      try side.files.close()
    }
    for name in other.storage.names where !vault.storage.names.contains(name) {
      vault.storage.place(other.storage.content(name), as: name)
    }
    let all = vault.storage.names
    let space = try vault.vault.openSpace(vault.body, readOnly: true, scanning: true)
    let report = Checker.check(space, readData: false)
    let foreign = vault.storage.names.filter { name in
      guard let file = try? vault.storage.open(name),
        let header = try? SegmentHandle.open(file, keys: space.keys)?.header
      else { return false }
      return header.branch != space.branch(of: header.number.epoch)
    }
    #expect(!foreign.isEmpty)
    try space.close()
    #expect(report.problems.contains { $0.text.contains("was continued in two places") }, "\(report.problems)")
    do {
      let repairing = Repair(
        of: try vault.vault.openSpace(vault.body, acceptOlder: true, scanning: true, copyWindow: 0), in: vault.vault,
        body: vault.body, slot: nil)
      #expect(repairing.plan.unrepairable.contains { $0.contains("left alone") })
      _ = try repairing.carryOut()
    }
    #expect(Set(all).isSubset(of: vault.storage.names))
    // Going on from the state that was found deletes what is dead in it, but nothing of the other.
    vault.space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    vault.files = try FileSystem(space: vault.space, options: vault.options)
    for name in try vault.files.names(of: .root).keys where name.hasPrefix("after") {
      try vault.files.unlink(.of(name), in: .root)
    }
    for _ in 0..<6 {
      try vault.files.synchronize()
      _ = try vault.files.make("round\(vault.storage.operationCount)")
      vault.space.retire(
        vault.space.segments().filter { segment in
          !segment.isOpen && segment.databasePages == 0 && (try? isEmpty(segment.number, vault.space)) == true
        }.map(\.number))
      try vault.files.synchronize()
      try vault.space.advanceEpoch()
    }
    try vault.files.close()
    let left = vault.storage.names
    #expect(foreign.allSatisfy(left.contains), "a file of the other state is gone")
    #expect(left.count < all.count + 20)
  }

  /// Every page of the index in turn cannot be read. What it held of names comes to lost+found, what it held of data is a hole that is called
  /// lost; everything else is as before.
  @Test func anIndexOfWhichAPageIsLostIsMadeAnew() throws {
    let vault = try filled()
    try vault.reopen()
    let many = try vault.files.folder("many")
    for number in 0..<150 {
      let file = try vault.files.make("a rather long name of a photo \(number)", in: many)
      try vault.files.put(pattern(100 + number, number), file)
      if number.isMultiple(of: 20) {
        // Longer than a page.
        try vault.files.setExtendedAttribute(
          Array("user.long".utf8), of: file, value: pattern(9000, number), flags: [], caller: caller)
      }
    }
    try vault.files.close()
    let before = try contents(vault)
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let pages = (1...space.databasePageCount).map { PageNumber(rawValue: $0) }
    let places = pages.compactMap { page in
      space.map.position(of: page).map { position in
        (
          space.keys.identifier(position.segment, branch: space.branch(of: position.segment.epoch) ?? []),
          position.offset
        )
      }
    }
    try space.close()
    #expect(places.count > 20)
    var whole = 0
    for (page, place) in zip(pages, places) {
      let damaged = TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1))
      damaged.storage.tamper(place.0) { content in
        var content = content
        content[place.1 + 1000] ^= 1
        return content
      }
      let repairing = try plan(damaged)
      #expect(repairing.plan.unrepairable == [] && !repairing.found.isClean, "page \(page.rawValue)")
      let left = try repairing.carryOut()
      #expect(left.problems == [], "page \(page.rawValue)")
      var lossy = Set(repairing.plan.items.filter(\.isLoss).compactMap(\.path))
      if lossy.contains("/") { lossy.insert("") }
      // Two names of one file.
      if lossy.contains("/again") { lossy.insert("/d/e/f0") }
      let after = try contents(damaged)
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

  /// Pages that authenticate and contradict each other: each leaf of an index or of a table without row numbers in turn is emptied.
  @Test func anIndexThatContradictsItselfIsMadeAnew() throws {
    let vault = try filled()
    let before = try contents(vault)
    var emptied = 0
    for number in 1...60 {
      let other = TestVault(sameAs: vault, over: vault.storage.powerCut(seed: 1))
      let space = try other.vault.openSpace(other.body, copyWindow: 0)
      defer { try? space.close() }
      guard number <= space.databasePageCount else { break }
      let page = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.databasePageSize, alignment: 16)
      defer { unsafe page.deallocate() }
      let name = PageNumber(rawValue: UInt32(number))
      try unsafe space.readPage(name, into: page)
      guard unsafe page[0] == 0x0A, unsafe page[3] > 0 || page[4] > 0 else { continue }
      unsafe page[3] = 0
      unsafe page[4] = 0
      try unsafe space.commit(pages: [(name, UnsafeRawBufferPointer(page))], pageCount: space.databasePageCount)
      try space.close()
      let repairing = try plan(other)
      #expect(!repairing.found.isClean && repairing.plan.unrepairable == [], "page \(number)")
      #expect(try repairing.carryOut().problems == [], "page \(number)")
      let after = Set(try contents(other).values.compactMap(\.bytes))
      let isData = repairing.plan.hasLosses
      #expect(isData || before.values.allSatisfy { $0.bytes.map(after.contains) ?? true }, "page \(number)")
      emptied += 1
    }
    #expect(emptied >= 5)
  }

  private func isEmpty(_ segment: SegmentNumber, _ space: Space) throws -> Bool {
    try Index(space: space).extents(in: segment, limit: 1).isEmpty
  }
}
