import AlbumsSupport
import FaultyStorage
import Index
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Random operations on a file system and on a model of it, compared all along and after opening again.
@Suite struct ModelTests {
  @Test(arguments: TestLength.seedArguments(8))
  func agreesWithTheModel(seed: UInt64) throws {
    let vault = try TestVault { options in
      // Little memory, so that inodes leave it and data is written all the time.
      options.cachedInodes = 4
      options.dirtyLimit = 3 << 20
      options.commitInterval = 0.05
    }
    var run = ModelRun(vault: vault, seed: seed)
    for step in 0..<1200 {
      try run.step()
      if step % 300 == 299 {
        try run.compareAll()
        try vault.reopen()
        try run.compareAll()
      }
    }
    try vault.closeSound()
  }
}

struct ModelRun {
  typealias Node = ModelFileSystem.Node
  let vault: TestVault
  let model = ModelFileSystem()
  var generator: SeededGenerator
  var counter = 0
  var files: FileSystem { vault.files }

  init(vault: TestVault, seed: UInt64) {
    self.vault = vault
    generator = SeededGenerator(seed: seed)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &generator) }

  private mutating func randomName() -> FileName {
    // Few names, so that many are taken.
    let length = number(0...20) == 0 ? 255 : 1
    return .of(String(repeating: "abcdefghijkl".randomElement(using: &generator) ?? "z", count: length))
  }

  private mutating func directory() -> Node { pick(model.directories) ?? model.root }

  private mutating func file() -> Node? { pick(model.all.filter(\.isRegular)) }

  /// Offsets that like the ends of blocks and windows.
  private mutating func offset() -> Int {
    let base = [0, 4096, 65536, 1 << 20, 2 << 20][number(0...4)]
    return max(0, base + number(-5000...5000) * number(0...1) + number(-3...3))
  }

  mutating func step() throws {
    counter += 1
    switch number(0...99) {
    case 0..<10: try makeFile()
    case 10..<15: try makeDirectory()
    case 15..<18: try makeLinkTo()
    case 18..<22: try linkFile()
    case 22..<30: try removeName()
    case 30..<42: try renameName()
    case 42..<66: try writeFile()
    case 66..<72: try truncateFile()
    case 72..<77: try cutFile()
    case 77..<82: try copyFile()
    case 82..<86: try changeAttributes()
    case 86..<90: try seekInFile()
    case 90..<96: try readFile()
    case 96..<98: try files.synchronize()
    default: try useWithoutName()
    }
  }

  private mutating func makeFile() throws {
    let (parent, name, mode) = (directory(), randomName(), UInt32(number(0...0o777)))
    if let existing = parent.children[name] {
      expect(.fileExists) {
        _ = try files.makeNode(name, in: parent.number, mode: 0o100644, device: 0, caller: caller)
      }
      guard existing.isRegular else { return }
      _ = try files.create(name, in: parent.number, mode: mode, flags: .truncate, caller: caller)
      files.release(existing.number)
      existing.content = []
      return
    }
    let made = try files.create(name, in: parent.number, mode: mode, flags: [], caller: caller)
    files.release(made.inode)
    model.add(Node(made.inode, kind: 0o100000, permissions: mode), name, to: parent)
  }

  private mutating func makeDirectory() throws {
    let (parent, name) = (directory(), randomName())
    guard parent.children[name] == nil else { return }
    let made = try files.makeDirectory(name, in: parent.number, mode: 0o751, caller: caller)
    model.add(Node(made.inode, kind: 0o040000, permissions: 0o751), name, to: parent)
  }

  private mutating func makeLinkTo() throws {
    let (parent, name, target) = (directory(), randomName(), pattern(number(1...4095), counter))
    guard parent.children[name] == nil else { return }
    let made = try files.makeSymbolicLink(target: target, named: name, in: parent.number, caller: caller)
    let node = Node(made.inode, kind: 0o120000, permissions: 0o777)
    node.target = target
    model.add(node, name, to: parent)
  }

  private mutating func linkFile() throws {
    let (parent, name) = (directory(), randomName())
    guard let node = file(), parent.children[name] == nil else { return }
    let attributes = try files.link(node.number, named: name, in: parent.number)
    model.add(node, name, to: parent)
    #expect(attributes.links == UInt32(node.links))
  }

  private mutating func removeName() throws {
    let parent = directory()
    guard let name = pick(parent.children.keys.sorted { $0.description < $1.description }),
      let node = parent.children[name]
    else { return }
    if node.isDirectory {
      if node.children.isEmpty {
        try files.removeDirectory(name, in: parent.number)
        files.forget(node.number)
        model.remove(name, from: parent)
      } else {
        expect(.directoryNotEmpty) { try files.removeDirectory(name, in: parent.number) }
      }
      return
    }
    #expect(try files.unlink(name, in: parent.number) == node.number)
    model.remove(name, from: parent)
    if node.links == 0 { files.forget(node.number) }
  }

  private mutating func renameName() throws {
    let (source, target, newName) = (directory(), directory(), randomName())
    guard let name = pick(source.children.keys.sorted { $0.description < $1.description }),
      let node = source.children[name]
    else { return }
    let existing = target.children[newName]
    let flags: RenameFlags = [[], .noReplace, .exchange][number(0...2)]
    let rename = { [files] in
      try files.rename(name, in: source.number, to: newName, in: target.number, flags: flags)
    }
    if existing != nil && flags == .noReplace { return expect(.fileExists) { try rename() } }
    if existing == nil && flags == .exchange { return expect(.noSuchFileOrDirectory) { try rename() } }
    if node.isDirectory && model.isInside(target, node) { return expect(.invalidArgument) { try rename() } }
    if flags == .exchange, let existing, existing.isDirectory, model.isInside(source, existing) {
      return expect(.invalidArgument) { try rename() }
    }
    if let existing, existing !== node, flags != .exchange {
      if node.isDirectory && !existing.isDirectory { return expect(.notDirectory) { try rename() } }
      if !node.isDirectory && existing.isDirectory { return expect(.isDirectory) { try rename() } }
      if !existing.children.isEmpty { return expect(.directoryNotEmpty) { try rename() } }
    }
    try rename()
    if existing === node { return }
    if flags == .exchange, let existing {
      model.remove(name, from: source)
      model.remove(newName, from: target)
      model.add(node, newName, to: target)
      model.add(existing, name, to: source)
      return
    }
    if let existing {
      model.remove(newName, from: target)
      if existing.isDirectory || existing.links == 0 { files.forget(existing.number) }
    }
    model.remove(name, from: source)
    model.add(node, newName, to: target)
  }

  private mutating func writeFile() throws {
    guard let node = file() else { return }
    let length = [1, 100, 4096, 10_000, 70_000, 300_000][number(0...5)]
    let bytes = pattern(number(1...length), counter)
    let place = number(0...2) == 0 ? node.content.count : offset()
    try files.put(bytes, node.number, at: place)
    node.write(bytes, at: place)
  }

  private mutating func truncateFile() throws {
    guard let node = file() else { return }
    let size = offset()
    try files.resize(node.number, Int64(size))
    node.resize(to: size)
  }

  private mutating func cutFile() throws {
    guard let node = file() else { return }
    let (start, length) = (offset(), number(1...100_000))
    let keepsSize = Bool.random(using: &generator)
    var mode: AllocationMode = [.zeroRange, [], keepsSize ? .punchHole : .zeroRange][number(0...2)]
    let onlyAllocates = mode.isEmpty
    if keepsSize { mode.insert(.keepSize) }
    try files.allocate(node.number, mode: mode, offset: FileOffset(start), length: Int64(length))
    if !mode.contains(.punchHole) {
      #expect(try files.attributes(of: node.number).blocks512 * 512 >= UInt64(length))
    }
    if !keepsSize { node.resize(to: max(node.content.count, start + length)) }
    if onlyAllocates { return }
    let end = min(start + length, node.content.count)
    if start < end { node.content.replaceSubrange(start..<end, with: [UInt8](repeating: 0, count: end - start)) }
  }

  private mutating func copyFile() throws {
    guard let source = file(), let target = file() else { return }
    let (from, to, length) = (offset(), offset(), number(1...400_000))
    if source === target, abs(from - to) < length {
      return expect(.invalidArgument) { _ = try copy(source, from, target, to, length) }
    }
    let count = try copy(source, from, target, to, length)
    #expect(count == max(0, min(length, source.content.count - from)))
    if count == 0 { return }
    target.write(Array(source.content[from..<from + count]), at: to)
  }

  private func copy(_ source: Node, _ from: Int, _ target: Node, _ to: Int, _ length: Int) throws -> Int {
    try files.copyRange(
      from: source.number, at: FileOffset(from), to: target.number, at: FileOffset(to), length: Int64(length))
  }

  private mutating func changeAttributes() throws {
    guard let node = pick(model.all.filter { $0.kind != 0o120000 }) else { return }
    let name = Array("user.\(number(0...3))".utf8)
    switch number(0...2) {
    case 0:
      node.permissions = UInt32(number(0...0o7777))
      try files.change(node.number) { $0.mode = node.permissions }
      // A set-group-ID directory would pass the bit on, which the model does not know.
      if node.isDirectory {
        node.permissions = 0o755
        try files.change(node.number) { $0.mode = node.permissions }
      }
    case 1:
      let value = pattern(number(0...3000), counter)
      try files.setExtendedAttribute(name, of: node.number, value: value, flags: [], caller: caller)
      node.attributes[name] = value
    default:
      if node.attributes.removeValue(forKey: name) == nil {
        expect(.noData) { try files.removeExtendedAttribute(name, of: node.number) }
      } else {
        try files.removeExtendedAttribute(name, of: node.number)
      }
    }
  }

  private mutating func seekInFile() throws {
    guard let node = file(), !node.content.isEmpty else { return }
    let start = number(0...node.content.count - 1)
    // Everything that is not zero must be data; what is told to be a hole must be zeros.
    let data = try? files.seek(node.number, from: FileOffset(start), to: .data).rawValue
    let end = min(data.map { Int($0) } ?? node.content.count, node.content.count)
    #expect(isZero(node.content[start..<end]))
    let hole = Int(try files.seek(node.number, from: FileOffset(start), to: .hole).rawValue)
    #expect((start...node.content.count).contains(hole))
    if hole < node.content.count { #expect(node.content[hole] == 0) }
  }

  private mutating func readFile() throws {
    guard let node = file() else { return }
    let (start, count) = (offset(), number(0...300_000))
    let found = try files.get(node.number, at: start, count: count)
    let expected = start < node.content.count ? Array(node.content[start..<min(start + count, node.content.count)]) : []
    #expect(isSame(found, expected))
  }

  /// Opens a file, takes its last name, and goes on using it.
  private mutating func useWithoutName() throws {
    let parent = directory()
    let name = randomName()
    guard parent.children[name] == nil else { return }
    let made = try files.create(name, in: parent.number, mode: 0o600, flags: .exclusive, caller: caller)
    try files.unlink(name, in: parent.number)
    files.forget(made.inode)
    let bytes = pattern(number(1...200_000), counter)
    try files.put(bytes, made.inode, at: 10)
    try files.synchronize()
    #expect(try files.get(made.inode, at: 10) == bytes)
    #expect(try files.attributes(of: made.inode).links == 0)
    files.release(made.inode)
    files.forget(made.inode)
  }

  mutating func compareAll() throws {
    for node in model.all {
      let attributes = try files.attributes(of: node.number)
      #expect(attributes.mode == node.kind | node.permissions)
      #expect(attributes.links == UInt32(node.links))
      switch node.kind {
      case 0o100000:
        #expect(attributes.size == Int64(node.content.count))
        #expect(isSame(try files.get(node.number), node.content))
      case 0o120000: #expect(try files.readLink(of: node.number) == node.target)
      default: try compareDirectory(node)
      }
      let names = try files.listExtendedAttributes(of: node.number).split(separator: 0).map { Array($0) }
      #expect(Set(names) == Set(node.attributes.keys))
      for (name, value) in node.attributes { #expect(try files.extendedAttribute(name, of: node.number) == value) }
    }
  }

  private func compareDirectory(_ node: Node) throws {
    var found: [FileName: InodeNumber] = [:]
    try files.list(node.number, after: 2) { name, inode, kind, _ in
      found[copy name] = inode
      #expect(node.children[copy name]?.kind == UInt32(kind) << 12)
      return true
    }
    #expect(found == node.children.mapValues(\.number))
    var withAttributes: [FileName: UInt64] = [:]
    try files.listWithAttributes(node.number, after: 2) { name, attributes, _ in
      withAttributes[copy name] = UInt64(attributes.links)
      return true
    }
    #expect(withAttributes == node.children.mapValues { UInt64($0.links) })
    for (name, child) in node.children { #expect(try files.lookup(name, in: node.number).inode == child.number) }
  }
}
