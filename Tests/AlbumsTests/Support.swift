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

  /// - Parameter ownFiles: the number of the space's files; 0 if it owns no cover.
  init(
    storage: FaultyStorage = FaultyStorage(), ownFiles: Int64 = 0,
    _ adjust: (inout FileSystemOptions) -> Void = { _ in }
  ) throws {
    self.storage = storage
    vault = Vault(storage: storage, parameters: .cheap)
    (space, body) = try vault.createSpace(suite: .aes256gcm, ownFiles: ownFiles, copyWindow: 0)
    options = FileSystemOptions(logger: quietLogger)
    adjust(&options)
    try FileSystem.create(in: space, owner: 1000, group: 1000)
    try space.cover.restoreFileCount()
    files = try FileSystem(space: space, options: options)
  }

  /// A vault over the same bytes in another storage.
  init(_ other: TestVault, over storage: FaultyStorage) throws {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    space = try vault.openSpace(body, acceptOlder: true, copyWindow: 0)
    files = try FileSystem(space: space, options: options)
  }

  /// A vault over the same bytes in another storage, which stays closed.
  init(sameAs other: TestVault, over storage: FaultyStorage) {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    space = other.space
    files = other.files
  }

  /// Closes everything and opens it again.
  func reopen() throws {
    try files.close()
    space = try vault.openSpace(body, copyWindow: 0)
    files = try FileSystem(space: space, options: options)
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

  func resize(_ inode: InodeNumber, _ size: Int64) throws {
    var changes = AttributeChanges(caller: caller)
    changes.size = size
    _ = try setAttributes(of: inode, changes)
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
    in vault: Vault, old: Password, new: Password, wipingAll: Bool = false, logger: Logger,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try KeyReplacement(in: vault, old: old, new: new).run(wipingAll: wipingAll, logger: logger, control)
  }
}
