import AlbumsSupport
import Index
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

@Suite struct BasicTests {
  let vault: TestVault
  var files: FileSystem { vault.files }
  init() throws { vault = try TestVault() }

  @Test func writesAndReadsAcrossWindows() throws {
    let file = try files.make("a")
    let bytes = pattern(3 << 20, 1)
    try files.put(bytes, file, at: 12345)
    #expect(try files.get(file, at: 12345) == bytes)
    #expect(try files.get(file, at: 0, count: 12345) == [UInt8](repeating: 0, count: 12345))
    try files.synchronize()
    #expect(try files.get(file, at: 12345) == bytes)
    try files.put([1, 2, 3], file, at: 1 << 20)
    try vault.reopen()
    var expected = [UInt8](repeating: 0, count: 12345) + bytes
    expected.replaceSubrange(1 << 20..<(1 << 20) + 3, with: [1, 2, 3])
    #expect(try files.get(file) == expected)
    #expect(try files.attributes(of: file).size == Int64(expected.count))
    #expect(try files.get(file, at: expected.count, count: 10) == [])
    #expect(try files.get(file, at: expected.count - 2, count: 10).count == 2)
    try files.close()
  }

  @Test func errorNumbers() throws {
    let folder = try files.folder("d")
    let file = try files.make("f", in: folder)
    expect(.noSuchFileOrDirectory) { _ = try files.find("x") }
    expect(.notDirectory) { _ = try files.find("x", in: file) }
    expect(.fileExists) { _ = try files.make("d") }
    expect(.fileExists) { _ = try files.folder("d") }
    expect(.directoryNotEmpty) { try files.removeDirectory(.of("d"), in: .root) }
    expect(.isDirectory) { try files.unlink(.of("d"), in: .root) }
    expect(.notDirectory) { try files.removeDirectory(.of("f"), in: folder) }
    expect(.notPermitted) { _ = try files.link(folder, named: .of("e"), in: .root) }
    expect(.fileExists) { _ = try files.link(file, named: .of("d"), in: .root) }
    expect(.isDirectory) { _ = try files.get(folder, count: 1) }
    expect(.isDirectory) { try files.put([1], folder) }
    expect(.isDirectory) { try files.resize(folder, 0) }
    expect(.invalidArgument) { try files.resize(file, -1) }
    expect(.fileTooLarge) { try files.resize(file, .max) }
    expect(.fileTooLarge) { try files.put([1, 2], file, at: .max - 1) }
    expect(.invalidArgument) { _ = try files.readLink(of: file) }
    expect(.staleNFSFileHandle) { _ = try files.attributes(of: InodeNumber(rawValue: 999)) }
    expect(.invalidArgument) {
      _ = try files.makeNode(.of("n"), in: .root, mode: 0o170644, device: 0, caller: caller)
    }
    expect(.fileNameTooLong) {
      _ = try files.makeSymbolicLink(target: pattern(4096, 1), named: .of("s"), in: .root, caller: caller)
    }
    expect(.fileExists) {
      _ = try files.create(.of("f"), in: folder, mode: 0o644, flags: .exclusive, caller: caller)
    }
    #expect(try files.unlink(.of("f"), in: folder) == file)
    #expect(try files.removeDirectory(.of("d"), in: .root) == folder)
    // A directory without a name takes no new entries.
    expect(.noSuchFileOrDirectory) { _ = try files.make("g", in: folder) }
    try files.close()
  }

  @Test func renaming() throws {
    let (a, b) = (try files.folder("a"), try files.folder("b"))
    let inner = try files.folder("inner", in: a)
    let file = try files.make("f")
    let rename = { (name: String, parent: InodeNumber, new: String, newParent: InodeNumber, flags: RenameFlags) in
      try vault.files.rename(.of(name), in: parent, to: .of(new), in: newParent, flags: flags)
    }
    expect(.invalidArgument) { try rename("a", .root, "x", inner, []) }
    expect(.invalidArgument) { try rename("a", .root, "x", a, []) }
    expect(.directoryNotEmpty) { try rename("b", .root, "a", .root, []) }
    expect(.isDirectory) { try rename("f", .root, "b", .root, []) }
    expect(.notDirectory) { try rename("b", .root, "f", .root, []) }
    expect(.fileExists) { try rename("b", .root, "f", .root, .noReplace) }
    expect(.noSuchFileOrDirectory) { try rename("b", .root, "none", .root, .exchange) }
    expect(.noSuchFileOrDirectory) { try rename("none", .root, "b", .root, []) }
    expect(.invalidArgument) { try rename("b", .root, "c", .root, RenameFlags(rawValue: 4)) }
    expect(.invalidArgument) { try rename("a", .root, "inner", a, .exchange) }
    expect(.invalidArgument) { try rename("inner", a, "a", .root, .exchange) }
    #expect(try files.attributes(of: a).links == 3)

    try rename("inner", a, "moved", b, [])
    #expect(try files.attributes(of: a).links == 2)
    #expect(try files.attributes(of: b).links == 3)
    try rename("moved", b, "f", .root, .exchange)
    #expect(try files.find("f").inode == inner)
    #expect(try files.find("moved", in: b).inode == file)
    #expect(try files.attributes(of: b).links == 2)
    #expect(try files.attributes(of: .root).links == 5)
    try rename("f", .root, "a", .root, [])
    #expect(try files.find("a").inode == inner)
    #expect(try files.attributes(of: .root).links == 4)
    #expect(try files.attributes(of: a).links == 0)

    // Two names of one file: nothing happens.
    _ = try files.link(file, named: .of("again"), in: .root)
    try rename("again", .root, "moved", b, [])
    #expect(try files.find("again").inode == file)
    #expect(try files.attributes(of: file).links == 2)
    try vault.reopen()
    #expect(try files.attributes(of: .root).links == 4)
    #expect(try files.names(of: b).keys.sorted() == ["moved"])
    try files.close()
  }

  @Test func timesFollowTheOperations() throws {
    func changed(_ before: Attributes, _ after: Attributes) -> (modified: Bool, changed: Bool) {
      (after.modified > before.modified, after.changed > before.changed)
    }
    func expectTimes(
      _ inode: InodeNumber, modified: Bool, changed isChanged: Bool, _ body: () throws -> Void,
      at location: SourceLocation = #_sourceLocation
    ) throws {
      let before = try files.attributes(of: inode)
      try body()
      let after = try files.attributes(of: inode)
      #expect(changed(before, after) == (modified, isChanged), sourceLocation: location)
      #expect(after.accessed == before.accessed, sourceLocation: location)
      #expect(after.born == before.born, sourceLocation: location)
    }
    let folder = try files.folder("d")
    let file = try files.make("f", in: folder)
    try expectTimes(folder, modified: true, changed: true) { _ = try files.make("g", in: folder) }
    try expectTimes(folder, modified: true, changed: true) { try files.unlink(.of("g"), in: folder) }
    try expectTimes(file, modified: false, changed: true) { _ = try files.link(file, named: .of("h"), in: folder) }
    try expectTimes(file, modified: false, changed: true) { try files.unlink(.of("h"), in: folder) }
    try expectTimes(file, modified: true, changed: true) { try files.put([1], file) }
    try expectTimes(file, modified: true, changed: true) { try files.resize(file, 10) }
    try expectTimes(file, modified: false, changed: false) { _ = try files.get(file) }
    try expectTimes(file, modified: false, changed: true) { try files.change(file) { $0.owner = 5 } }
    try expectTimes(file, modified: false, changed: true) { try files.setAttribute("user.a", of: file, to: [1]) }
    try expectTimes(file, modified: false, changed: true) {
      try files.rename(.of("f"), in: folder, to: .of("z"), in: folder, flags: [])
    }
    let accessed = Timestamp(seconds: -5, nanoseconds: 999_999_999)
    let modified = Timestamp(seconds: 1 << 33, nanoseconds: 1)
    let set = try files.change(file) {
      $0.accessed = .at(accessed)
      $0.modified = .at(modified)
    }
    #expect(set.accessed == accessed)
    try vault.reopen()
    #expect(try files.attributes(of: file).modified == modified)
    #expect(try files.attributes(of: file).accessed == accessed)
    try files.close()
  }

  @Test func setGroupDirectoriesPassTheirGroupOn() throws {
    let folder = try files.folder("d")
    try files.change(folder) { ($0.mode, $0.group) = (0o2775, 77) }
    let file = try files.attributes(of: files.make("f", in: folder))
    #expect(file.group == 77 && file.mode & FileKind.setGroup == 0)
    let inner = try files.attributes(of: try files.folder("e", in: folder))
    #expect(inner.group == 77 && inner.mode & FileKind.setGroup != 0)
    try files.close()
  }

  @Test func extendedAttributes() throws {
    let file = try files.make("f")
    let set = { (name: String, value: [UInt8], flags: AttributeFlags) in
      try vault.files.setExtendedAttribute(Array(name.utf8), of: file, value: value, flags: flags, caller: caller)
    }
    let get = { (name: String) in try vault.files.extendedAttribute(Array(name.utf8), of: file) }
    expect(.noData) { _ = try get("security.capability") }
    expect(.notSupported) { _ = try get("other.a") }
    expect(.notSupported) { try set("other.a", [], []) }
    expect(.invalidArgument) { try set("user.", [], []) }
    expect(.outOfRange) { try set("user." + String(repeating: "x", count: 251), [], []) }
    expect(.argListTooLong) { try set("user.a", pattern(65537, 1), []) }
    expect(.noData) { try set("user.a", [1], .replace) }
    try set("user.a", [1], .create)
    expect(.fileExists) { try set("user.a", [2], .create) }
    try set("user.a", [3], .replace)
    try set("trusted.b", pattern(65536, 2), [])
    try set("user." + String(repeating: "x", count: 250), [], [])
    #expect(try get("user.a") == [3])
    try vault.reopen()
    #expect(try get("trusted.b") == pattern(65536, 2))
    let names = try files.listExtendedAttributes(of: file).split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
    #expect(names == ["trusted.b", "user.a", "user." + String(repeating: "x", count: 250)])
    expect(.noData) { try files.removeExtendedAttribute(Array("user.none".utf8), of: file) }
    for name in names { try files.removeExtendedAttribute(Array(name.utf8), of: file) }
    #expect(try files.listExtendedAttributes(of: file) == [])
    expect(.noData) { try files.removeExtendedAttribute(Array("user.a".utf8), of: file) }
    try files.close()
  }

  @Test func listingGoesOnWhereItStopped() throws {
    let folder = try files.folder("d")
    for index in 0..<50 { _ = try files.make("f\(index)", in: folder) }
    var seen: [String] = []
    var cookie: UInt64 = 0
    var removed = 0
    var rounds = Rounds(until: "the listing ended")
    while true {
      try rounds.begin()
      var step: [(String, UInt64)] = []
      try files.listWithAttributes(folder, after: cookie) { name, attributes, place in
        if step.count == 7 { return false }
        step.append((name.description, place))
        return true
      }
      guard let last = step.last else { break }
      cookie = last.1
      seen += step.map(\.0)
      // What was seen may go, and what is new may come, without anything being left out or told twice.
      for (name, _) in step where name.hasPrefix("f") && removed < 20 {
        try files.unlink(.of(name), in: folder)
        removed += 1
      }
      _ = try files.make("new\(cookie)", in: folder)
      if seen.count > 80 { break }
    }
    #expect(seen[0] == "." && seen[1] == "..")
    #expect(Set(seen).count == seen.count)
    #expect(Set(seen).isSuperset(of: (0..<50).map { "f\($0)" }))
    try files.close()
  }

  @Test func nothingIsOpenedOrMadeReadOnly() throws {
    let file = try files.make("f", with: [1, 2, 3])
    vault.options.isReadOnly = true
    try vault.reopen()
    #expect(files.isReadOnly)
    #expect(try files.get(file) == [1, 2, 3])
    expect(.readOnlyFileSystem) { _ = try files.make("g") }
    expect(.readOnlyFileSystem) { try files.put([1], file) }
    expect(.readOnlyFileSystem) { try files.open(file, flags: .write) }
    try files.open(file, flags: [])
    try files.synchronize()
    files.release(file)
    try files.close()
  }
}
