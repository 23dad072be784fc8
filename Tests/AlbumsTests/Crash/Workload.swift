// What people and programs do with an album, step by step and by a seed: photos are imported, documents saved by
// renaming over the old one, a catalog changes pages with a journal beside it, things are moved, linked, cut and
// deleted; the cleaner runs, the space is closed and opened, its password changes, other spaces come and go, thumbnails
// are made.
//
// Invariants
// 1. Every call of the file system is one step. `trees` has the model's tree after it, `begun` the storage's operation
//    before it.
// 2. What a `synchronize` or `close` returned for is in `promises`, with the storage's operation at that time.
// 3. Nothing happens in the background, so that one seed gives one course.
// 4. A space that owns cover has `ownFiles` files at any time; beside it is another one that nobody uses.

import AlbumsSupport
import Crypto
import FaultyStorage
import Index
import Library
import Storage
import System
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

final class Workload {
  static let label = Array("user.label".utf8)
  static let passwords = (1...4).map { Password.of("password \($0)") }

  /// Something that was made durable.
  struct Promise {
    /// The storage's operations at that time.
    var operation: Int
    /// The step whose tree is there.
    var step: Int
  }

  let storage: FaultyStorage
  /// How long a copy may take, in seconds; 0 has segments deleted as early as can be.
  let copyWindow: Int64
  /// The number of the space's files; 0 if it owns no cover.
  let ownFiles: Int
  /// The files of the space beside one that owns cover.
  private(set) var bystander: [SegmentIdentifier: [UInt8]] = [:]
  let vault: Vault
  private(set) var body: SlotBody
  private(set) var files: FileSystem {
    didSet { mountedAt = storage.operationCount }
  }
  /// The storage's operation when the space was opened last.
  private(set) var mountedAt = 0
  let model = ModelFileSystem()
  private(set) var trees: [Tree]
  private(set) var begun: [Int]
  private(set) var promises: [Promise] = []
  /// Operations from which on a password opens the space, and from which on it may not do so any more.
  private(set) var opens: [(password: Int, from: Int, to: Int)] = []
  /// Operations in which another space is being made or is being removed, and the last of each.
  private(set) var otherSpace: [(making: ClosedRange<Int>, removing: ClosedRange<Int>)] = []
  /// The operation from which on another space was used last.
  private(set) var otherSpaceFrom = Int.max
  /// Whether another space was begun and not removed, since something failed.
  private(set) var isOtherSpaceLeft = false
  var generator: SeededGenerator
  /// The content of the photo that was imported last.
  var lastPhoto: [UInt8]?
  private var counter = 0
  private var password = 0

  /// The trees of which one is there after a crash now: what was promised last, and all since.
  var possibleTrees: ArraySlice<Tree> { trees[(promises.last?.step ?? 0)...] }

  init(
    storage: FaultyStorage, seed: UInt64, ownFiles: Int = 0, copyWindow: Int64 = 0,
    clock: @escaping @Sendable () -> Int64 = { timeOfDay().seconds }
  ) throws {
    self.copyWindow = copyWindow
    self.storage = storage
    generator = SeededGenerator(seed: seed)
    vault = Vault(storage: storage, parameters: .cheap, clock: clock)
    self.ownFiles = ownFiles
    if ownFiles > 0 {
      bystander = try Self.makeBystander(in: vault, storage)
      try vault.addSpace(Self.passwords[0], ownFiles: Int64(ownFiles))
    } else {
      try SpaceManager.addSpace(to: vault, password: Self.passwords[0])
    }
    body = try vault.openSlot(try vault.slotKeys(for: Self.passwords[0])).body
    files = try Self.mount(body, in: vault, copyWindow: copyWindow)
    trees = [model.tree]
    begun = [storage.operationCount]
    opens = [(0, storage.operationCount, .max)]
    promise()
  }

  static func options(readOnly: Bool = false) -> FileSystemOptions {
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = readOnly
    options.commitInterval = 1e6
    options.flushThreshold = .max
    options.dirtyLimit = 64 << 20
    options.cleans = false
    options.writers = 0
    return options
  }

  static func library(readOnly: Bool = false) -> Library {
    var options = LibraryOptions()
    if !readOnly {
      var thumbnails = ThumbnailOptions(maker: TestMaker())
      thumbnails.isLazy = true
      options.thumbnails = thumbnails
    }
    return Library(options)
  }

  static func mount(_ body: SlotBody, in vault: Vault, copyWindow: Int64 = 0) throws -> FileSystem {
    try mount(try vault.openSpace(body, copyWindow: copyWindow))
  }

  static func mount(_ space: Space, readOnly: Bool = false) throws(VaultError) -> FileSystem {
    try FileSystem(space: space, options: options(readOnly: readOnly), changeSink: library(readOnly: readOnly))
  }

  private func promise() { promises.append(Promise(operation: storage.operationCount, step: trees.count - 1)) }

  func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// One call of the file system, and the same on the model when it succeeded.
  func step(_ body: () throws -> Void, _ change: (ModelFileSystem) -> Void) throws {
    begun.append(storage.operationCount)
    do {
      try body()
    } catch {
      trees.append(model.tree)
      throw error
    }
    change(model)
    trees.append(model.tree)
  }

  private func split(_ path: String) throws -> (parent: InodeNumber, name: FileName) {
    let parts = path.split(separator: "/")
    let parent = try files.inode(at: parts.dropLast().map { "/" + $0 }.joined())
    return (parent, .of(String(parts.last ?? "")))
  }

  func pattern(_ count: Int) -> [UInt8] {
    counter += 1
    return AlbumsSupport.pattern(count, counter)
  }

  // MARK: calls

  func makeFolder(_ path: String) throws {
    let (parent, name) = try split(path)
    var inode = InodeNumber.root
    try step {
      inode = try files.makeDirectory(name, in: parent, mode: 0o755, caller: caller).inode
    } _: {
      $0.add(ModelFileSystem.Node(inode, kind: FileKind.directory, permissions: 0o755), at: path)
    }
  }

  func makeFile(_ path: String, mode: UInt32 = 0o644) throws {
    let (parent, name) = try split(path)
    var inode = InodeNumber.root
    try step {
      inode = try files.create(name, in: parent, mode: mode, flags: .exclusive, caller: caller).inode
      files.release(inode)
    } _: {
      $0.add(ModelFileSystem.Node(inode, kind: FileKind.regular, permissions: mode), at: path)
    }
  }

  func write(_ bytes: [UInt8], to path: String, at offset: Int = 0) throws {
    let inode = try files.inode(at: path)
    try step {
      try files.put(bytes, inode, at: offset)
    } _: {
      $0.node(at: path)?.write(bytes, at: offset)
    }
  }

  func truncate(_ path: String, to size: Int) throws {
    let inode = try files.inode(at: path)
    try step {
      try files.resize(inode, Int64(size))
    } _: {
      $0.node(at: path)?.resize(to: size)
    }
  }

  /// Has room held for the beginning of a file, without making it longer. Where none can be held nothing happens.
  func allocate(_ path: String, _ length: Int) throws {
    let inode = try files.inode(at: path)
    try step {
      do throws(Errno) {
        try files.allocate(inode, mode: .keepSize, offset: .zero, length: Int64(length))
      } catch {
        guard error == .notSupported, storage.lacks(.allocation) || storage.lacks(.unnamedFiles) else { throw error }
      }
    } _: { _ in
    }
  }

  func setLabel(_ path: String) throws {
    let (inode, value) = (try files.inode(at: path), pattern(9))
    try step {
      try files.setExtendedAttribute(Self.label, of: inode, value: value, flags: [], caller: caller)
    } _: {
      $0.node(at: path)?.attributes[Self.label] = value
    }
  }

  func rename(_ path: String, to new: String) throws {
    let (from, to) = (try split(path), try split(new))
    let old = model.node(at: new)
    let inode = old == nil ? nil : try files.inode(at: new)
    try step {
      try files.rename(from.name, in: from.parent, to: to.name, in: to.parent, flags: [])
    } _: {
      $0.move(path, to: new)
    }
    if let inode, old?.links == 0 { files.forget(inode) }
  }

  func link(_ path: String, as new: String) throws {
    let (inode, to) = (try files.inode(at: path), try split(new))
    try step {
      _ = try files.link(inode, named: to.name, in: to.parent)
    } _: {
      if let node = $0.node(at: path) { $0.add(node, at: new) }
    }
  }

  func remove(_ path: String) throws {
    let (from, inode) = (try split(path), try files.inode(at: path))
    let node = model.node(at: path)
    try step {
      if node?.isDirectory == true {
        try files.removeDirectory(from.name, in: from.parent)
      } else {
        _ = try files.unlink(from.name, in: from.parent)
      }
    } _: {
      $0.remove(path)
    }
    if node?.isDirectory == true || node?.links == 0 { files.forget(inode) }
  }

  func synchronize() throws {
    try step {
      try files.synchronize()
    } _: { _ in
    }
    promise()
  }

  /// Commits without making anything durable, as the file system does each second.
  func commit() throws {
    try step {
      try files.locked { files throws(Errno) in try files.committer.commit() }
    } _: { _ in
    }
  }

  func clean() throws {
    try step {
      try files.cleaner.clean()
      try files.cleaner.beginEpochs(1)
    } _: { _ in
    }
  }

  /// Closes the space, does something else with the vault, and opens it again.
  func remount(_ between: () throws -> Void = {}) throws {
    try step {
      try files.close()
    } _: { _ in
    }
    promise()
    try between()
    files = try Self.mount(body, in: vault, copyWindow: copyWindow)
  }

  func changePassword() throws {
    try remount {
      let new = 1 - password
      let from = storage.operationCount
      try SpaceManager.changePassword(in: vault, old: Self.passwords[password], new: Self.passwords[new])
      opens[opens.count - 1].to = from + 1
      opens.append((new, storage.operationCount, .max))
      password = new
    }
  }

  /// Makes another space with a file in it, and removes it.
  func useOtherSpace() throws {
    let start = storage.operationCount + 1
    otherSpaceFrom = start
    isOtherSpaceLeft = true
    try SpaceManager.addSpace(to: vault, password: Self.passwords[2])
    let made = storage.operationCount
    do {
      let other = try vault.mount(Self.passwords[2], copyWindow: 0, library: Self.library()) { $0 = Self.options() }
      try other.put(pattern(50_000), try other.make("other"))
      try other.close()
    } catch let error as Errno {
      // The space that is worked in has nothing to do with it.
      throw error == .noSpace ? VaultError.noSpace : VaultError.system(error, "using another space")
    }
    let removal = storage.operationCount + 1
    try SpaceManager.removeSpace(from: vault, password: Self.passwords[2])
    isOtherSpaceLeft = false
    otherSpace.append((start...made, removal...storage.operationCount))
  }

  /// Opens the space again after it could not be closed.
  func mountAgain() throws { files = try Self.mount(body, in: vault, copyWindow: copyWindow) }

  /// Ends without closing.
  func abandon() { files.stopThreads() }
}
