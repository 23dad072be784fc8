package import Albums
internal import Crypto
package import FaultyStorage
package import Library
package import Logging
package import Testing
package import Vault

/// A vault in memory with one space and its file system.
package final class TestVault {
  /// Bytes of a segment.
  package static let segmentSize = VaultParameters.cheap.segmentSize
  /// Where the vault is.
  package let storage: FaultyStorage
  /// The vault.
  package let vault: Vault
  /// What opens the space.
  package let body: SlotBody
  /// The space, as it was opened last.
  package var space: Space
  /// Its file system, likewise.
  package var files: FileSystem
  /// How the file system is run from the next mount on.
  package var options: FileSystemOptions
  /// The same for its library.
  package var library: LibraryOptions

  /// A vault whose space was just made, and is mounted.
  ///
  /// - Parameter ownFiles: the number of the space's files; 0 if it owns no cover.
  package init(
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
  package convenience init(
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
  package init(_ other: TestVault, over storage: FaultyStorage) throws {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    library = other.library
    space = try vault.openSpace(body, acceptOlder: true, copyWindow: 0)
    files = try FileSystem(space: space, options: options, changeSink: Library(library))
  }

  /// A vault over the same bytes in another storage, which stays closed.
  package init(sameAs other: TestVault, over storage: FaultyStorage) {
    self.storage = storage
    vault = Vault(storage: storage, parameters: other.vault.parameters)
    body = other.body
    options = other.options
    library = other.library
    space = other.space
    files = other.files
  }

  /// Opens what was closed.
  package func mount() throws {
    space = try vault.openSpace(body, copyWindow: 0)
    files = try FileSystem(space: space, options: options, changeSink: Library(library))
  }

  /// Closes everything and opens it again.
  package func reopen() throws {
    try files.close()
    try mount()
  }

  /// What a check finds in the closed space.
  package func check(readsData: Bool = true) throws -> CheckReport { try vault.check(body, readsData: readsData) }

  /// Expects that a check finds nothing wrong in the closed space.
  package func expectSound(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws {
    try vault.expectSound(body, comment, at: location)
  }

  /// Closes everything, and expects that a check finds nothing wrong.
  package func closeSound(at location: SourceLocation = #_sourceLocation) throws {
    try files.close()
    try expectSound(at: location)
  }

  /// What the machine finds after a power cut now. The old file system goes on in its own storage, and is of no use
  /// any more.
  package func afterPowerCut(seed: UInt64) throws -> TestVault {
    try TestVault(self, over: storage.powerCut(seed: seed))
  }
}

extension Vault {
  /// What a check finds in a closed space.
  package func check(_ body: SlotBody, readsData: Bool = true) throws -> CheckReport {
    let space = try openSpace(body, readOnly: true, copyWindow: 0)
    let report = Checker.check(space, readData: readsData)
    try space.close()
    return report
  }

  /// Expects that a check finds nothing wrong in a closed space.
  package func expectSound(
    _ body: SlotBody, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation
  ) throws {
    let problems = try check(body).problems
    #expect(problems == [], comment, sourceLocation: location)
  }
}

/// Says nothing.
package let quietLogger: Logger = {
  var logger = Logger(label: "albums-tests", factory: { _ in SwiftLogNoOpLogHandler() })
  logger.logLevel = .critical
  return logger
}()
