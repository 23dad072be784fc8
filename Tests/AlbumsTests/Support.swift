import Crypto
import FaultyStorage
import Glibc
import Index
import Logging
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A vault in memory with one space and its file system.
final class TestVault {
  static let segmentSize = VaultParameters.cheap.segmentSize
  let storage: FaultyStorage
  let vault: Vault
  let body: SlotBody
  var space: Space
  var files: FileSystem
  var options: FileSystemOptions
  /// How photos are looked at at the next mount.
  var library: LibraryOptions

  /// - Parameter ownFiles: the number of the space's files; 0 if it owns no cover.
  init(
    storage: FaultyStorage = FaultyStorage(), ownFiles: Int64 = 0, library: LibraryOptions = LibraryOptions(),
    _ adjust: (inout FileSystemOptions) -> Void = { _ in }
  ) throws {
    self.storage = storage
    vault = Vault(storage: storage, parameters: .cheap)
    (space, body) = try vault.createSpace(suite: .aes256gcm, ownFiles: ownFiles, copyWindow: 0)
    options = FileSystemOptions(logger: quietLogger)
    self.library = library
    adjust(&options)
    try FileSystem.create(in: space, owner: 1000, group: 1000)
    try space.cover.restoreFileCount()
    files = try FileSystem(space: space, options: options, changeSink: Library(library))
  }

  /// A vault whose thumbnails are made as soon as a file is written, or only when they are asked for.
  convenience init(
    storage: FaultyStorage = FaultyStorage(), thumbnails maker: any DerivativeMaker, lazy: Bool = false
  ) throws {
    var thumbnails = ThumbnailOptions(maker: maker)
    thumbnails.quietTime = 0
    thumbnails.isLazy = lazy
    var library = LibraryOptions()
    library.thumbnails = thumbnails
    try self.init(storage: storage, library: library)
  }

  /// A vault over the same bytes in another storage.
  init(_ other: TestVault, over storage: FaultyStorage) throws {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    library = other.library
    space = try vault.openSpace(body, acceptOlder: true, copyWindow: 0)
    files = try FileSystem(space: space, options: options, changeSink: Library(library))
  }

  /// A vault over the same bytes in another storage, which stays closed.
  init(sameAs other: TestVault, over storage: FaultyStorage) {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    library = other.library
    space = other.space
    files = other.files
  }

  /// Opens what was closed.
  func mount() throws {
    space = try vault.openSpace(body, copyWindow: 0)
    files = try FileSystem(space: space, options: options, changeSink: Library(library))
  }

  /// Closes everything and opens it again.
  func reopen() throws {
    try files.close()
    try mount()
  }

  /// What a check finds in the closed space.
  func check(readsData: Bool = true) throws -> CheckReport { try vault.check(body, readsData: readsData) }

  /// Expects that a check finds nothing wrong in the closed space.
  func expectSound(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws {
    try vault.expectSound(body, comment, at: location)
  }

  /// Closes everything, and expects that a check finds nothing wrong.
  func closeSound(at location: SourceLocation = #_sourceLocation) throws {
    try files.close()
    try expectSound(at: location)
  }

  /// What the machine finds after a power cut now. The old file system goes on in its own storage, and is of no use
  /// any more.
  func afterPowerCut(seed: UInt64) throws -> TestVault { try TestVault(self, over: storage.powerCut(seed: seed)) }
}

let quietLogger: Logger = {
  var logger = Logger(label: "albums-tests", factory: { _ in SwiftLogNoOpLogHandler() })
  logger.logLevel = .critical
  return logger
}()

let caller = Caller(user: 1000, group: 1000)

extension FileName {
  /// A name that is known to be one.
  static func of(_ text: String) -> FileName {
    guard let name = FileName(text) else { fatalError("not a name: \(text)") }
    return name
  }
}

extension FileSystem {
  func make(_ name: String, in parent: InodeNumber = .root, mode: UInt32 = 0o644) throws -> InodeNumber {
    try makeNode(.of(name), in: parent, mode: FileKind.regular | mode, device: 0, caller: caller).inode
  }

  /// Makes a file with some bytes.
  @discardableResult
  func make(_ name: String, in parent: InodeNumber = .root, with bytes: [UInt8]) throws -> InodeNumber {
    let inode = try make(name, in: parent)
    try put(bytes, inode)
    return inode
  }

  func folder(_ name: String, in parent: InodeNumber = .root) throws -> InodeNumber {
    try makeDirectory(.of(name), in: parent, mode: 0o755, caller: caller).inode
  }

  func find(_ name: String, in parent: InodeNumber = .root) throws -> Attributes {
    try lookup(.of(name), in: parent)
  }

  func put(_ bytes: [UInt8], _ inode: InodeNumber, at offset: Int = 0) throws {
    var result: Result<Int, Errno> = .success(0)
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(Errno) {
        result = .success(try unsafe write(inode, at: FileOffset(offset), from: buffer))
      } catch {
        result = .failure(error)
      }
    }
    #expect(try result.get() == bytes.count)
  }

  func get(_ inode: InodeNumber, at offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    let count = try count ?? max(0, Int(attributes(of: inode).size) - offset)
    // Not zeros: what is not filled in must show.
    var bytes = [UInt8](repeating: 0xEE, count: count)
    var result: Result<Int, Errno> = .success(0)
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(Errno) {
        result = .success(try unsafe read(inode, at: FileOffset(offset), into: buffer))
      } catch {
        result = .failure(error)
      }
    }
    return Array(bytes[..<(try result.get())])
  }

  func names(of directory: InodeNumber) throws -> [String: InodeNumber] {
    var found: [String: InodeNumber] = [:]
    try list(directory, after: 2) { name, inode, _, _ in
      found[name.description] = inode
      return true
    }
    return found
  }

  /// Waits until thumbnails were tried of all files but some.
  func waitUntilNothingIsPending(but count: Int = 0) throws {
    try waitUntil("all thumbnails were tried") { try thumbnailer.mediaCounts().pending <= count }
  }

  /// Changes attributes of a file, as its owner does.
  @discardableResult
  func change(
    _ inode: InodeNumber, as user: Caller = caller, _ set: (inout AttributeChanges) -> Void
  ) throws -> Attributes {
    var changes = AttributeChanges(caller: user)
    set(&changes)
    return try setAttributes(of: inode, changes)
  }

  func resize(_ inode: InodeNumber, _ size: Int64) throws { try change(inode) { $0.size = size } }

  /// Sets an extended attribute, as the owner of a file does.
  func setAttribute(_ name: String, of inode: InodeNumber, to value: [UInt8]) throws {
    try setExtendedAttribute(Array(name.utf8), of: inode, value: value, flags: [], caller: caller)
  }

  /// Takes a file's name away, and forgets the file, as the kernel does with one that nobody has open.
  func delete(_ name: String, in parent: InodeNumber = .root) throws {
    forget(try unlink(.of(name), in: parent))
  }

  /// Writes and syncs files of so many bytes, with numbers behind a prefix, until there is no room; gives how many. What
  /// was begun then is deleted.
  func fill(_ prefix: String, size: Int) throws -> Int {
    var count = 0
    var rounds = Rounds(until: "there is no room")
    while true {
      try rounds.begin()
      let name = "\(prefix)\(count)"
      do {
        try put(pattern(size, count), make(name))
        try synchronize()
      } catch Errno.noSpace {
        if try names(of: .root)[name] != nil { try delete(name) }
        return count
      }
      count += 1
    }
  }
}

extension FaultyStorage {
  /// A storage that holds so many bytes at most.
  convenience init(limit: Int) {
    self.init()
    setLimit(limit)
  }

  /// Flips a bit of a file, if it is that long.
  func flip(_ name: SegmentIdentifier, at offset: Int) {
    tamper(name) { content in
      var content = content
      if offset < content.count { content[offset] ^= 1 }
      return content
    }
  }
}

/// `count` bytes that depend on `seed`, none of them zero.
func pattern(_ count: Int, _ seed: Int) -> [UInt8] {
  var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed))
  return unsafe [UInt8](unsafeUninitializedCapacity: (count + 7) & ~7) { buffer, filled in
    let words = UnsafeMutableRawBufferPointer(buffer)
    // A loop over a range takes ten times as long in a debug build.
    var place = 0
    while place < count {
      unsafe words.storeBytes(of: generator.next() | 0x0101_0101_0101_0101, toByteOffset: place, as: UInt64.self)
      place += 8
    }
    filled = count
  }
}

/// Whether the bytes are the same; quick in a debug build, too.
func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  unsafe one.count == other.count && memcmp(one, other, one.count) == 0
}

/// Whether all bytes are zero; quick in a debug build, too.
func isZero(_ bytes: ArraySlice<UInt8>) -> Bool { isSame(Array(bytes), [UInt8](repeating: 0, count: bytes.count)) }

/// Expects an error number.
func expect(_ errno: Errno, _ body: () throws -> Void, at location: SourceLocation = #_sourceLocation) {
  #expect(throws: errno, sourceLocation: location) { try body() }
}

extension SpaceManager {
  /// Gives the space that `old` opens a new key, which `new` opens alone.
  static func replaceKey(
    in vault: Vault, old: Password, new: Password, wipingAll: Bool = false,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try KeyReplacement(in: vault, old: old, new: new).run(
      wipingAll: wipingAll, changeSink: Library.idle, logger: quietLogger, control)
  }
}

extension VaultCreationOptions {
  /// Files of 1 MiB, and passwords that cost as little to try as a vault in a directory may have.
  static func small(cover: Int64) -> VaultCreationOptions {
    var options = VaultCreationOptions()
    options.cover = cover
    options.segmentSize = 1 << 20
    (options.derivation.operations, options.derivation.memory) = (1, 8 << 20)
    return options
  }
}

extension Vault {
  /// Mounts the space that a password opens.
  func mount(
    _ password: Password, readOnly: Bool = false, copyWindow: Int64 = Space.defaultCopyWindow,
    library: Library = Library(), _ adjust: (inout FileSystemOptions) -> Void = { _ in }
  ) throws(VaultError) -> FileSystem {
    let space = try SpaceManager.openSpace(in: self, password: password, readOnly: readOnly, copyWindow: copyWindow)
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = readOnly
    adjust(&options)
    return try FileSystem(space: space, options: options, changeSink: library)
  }

  /// Calls `body` with the mounted file system of a password, and closes it.
  func use(_ password: Password, readOnly: Bool = false, _ body: (FileSystem) throws -> Void) throws {
    let files = try mount(password, readOnly: readOnly)
    try body(files)
    try files.close()
  }

  /// What a check finds in a closed space.
  func check(_ body: SlotBody, readsData: Bool = true) throws -> CheckReport {
    let space = try openSpace(body, readOnly: true, copyWindow: 0)
    let report = Checker.check(space, readData: readsData)
    try space.close()
    return report
  }

  /// Expects that a check finds nothing wrong in a closed space.
  func expectSound(
    _ body: SlotBody, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let problems = try check(body).problems
    #expect(problems == [], comment, sourceLocation: location)
  }

  /// Makes a space that owns so many files and that a password opens, step by step; gives it open.
  func makeSpace(
    _ password: Password, ownFiles: Int64, copyWindow: Int64 = Space.defaultCopyWindow
  ) throws(VaultError) -> (space: Space, body: SlotBody) {
    let slot = try strongest(of: slotKeys(for: password))
    let made = try createSpace(suite: .aes256gcm, ownFiles: ownFiles, copyWindow: copyWindow)
    try made.space.changeOwner { $0.slots = slot.identifiers }
    try FileSystem.create(in: made.space, owner: 0, group: 0)
    try putSlot(slot, made.body)
    try made.space.cover.restoreFileCount()
    return made
  }

  /// Makes a space that owns so many files and that a password opens, all of its files at once.
  func addSpace(_ password: Password, ownFiles: Int64) throws(VaultError) {
    let made = try SpaceManager.draftSpace(of: self, password: password, ownFiles: ownFiles)
    try addFiles(made.files, last: made.slots)
  }
}
