import Albums
import Crypto
import FaultyStorage
import Glibc
import Library
import Logging
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Mount
@testable import Vault

/// A space in memory, mounted for real in this process. One at a time, because signals belong to the process; so all
/// tests that use it are in the serialized suite `LiveMountTests`.
final class LiveMount {
  let folder: TemporaryFolder
  let storage: FaultyStorage
  let fileSystem: FileSystem
  private var thread: SessionThread?
  private var limit: MountLimit?

  /// Mounts a new space. Throws, and so fails the test, where /dev/fuse cannot be used.
  init(_ options: [String] = [], library: LibraryOptions = LibraryOptions()) throws {
    folder = try TemporaryFolder()
    try folder.makeDirectory("mount")
    storage = FaultyStorage()
    let derivation = try #require(
      PasswordDerivation(operations: 1, memory: 8 << 20, salt: Array(repeating: 7, count: 16)))
    let vault = Vault(
      storage: storage,
      parameters: VaultParameters(
        identifier: Array(repeating: 1, count: 16), segmentSize: 1 << 20, derivations: [derivation]))
    let space = try vault.createSpace(suite: .aes256gcm, copyWindow: 0).space
    try FileSystem.create(in: space, owner: getuid(), group: getgid())
    fileSystem = try FileSystem(
      space: space, options: FileSystemOptions(logger: Self.logger), changeSink: Library(library))
    try mount(options)
  }

  deinit {
    do {
      if thread != nil { try end() }
    } catch {
      // A test that failed may have files open.
      limit?.cutOff()
      // Whoever hangs in the file system holds its locks.
      do { _ = try waitForEnd() } catch { return }
    }
    try? fileSystem.close()
  }

  static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// The mounted root directory.
  var root: String { folder.path("mount") }

  func path(_ name: String) -> String { root + "/" + name }

  /// Mounts once more, after `end()`. The thread of the session calls `whenReady` before it waits for the end.
  func mount(_ options: [String] = [], whenReady: @escaping @Sendable () -> Void = {}) throws {
    let options = try MountOptions(options)
    let point = try MountPoint.check(root, options: options)
    let thread = try SessionThread(fileSystem: fileSystem, point: point, options: options, whenReady: whenReady)
    self.thread = thread
    try thread.waitUntilReady()
    limit = try MountLimit(root)
  }

  /// Unmounts, and returns what the session ended with.
  @discardableResult
  func end() throws -> MountError? {
    try Unmount.unmount(root)
    return try waitForEnd()
  }

  /// Waits for the session to end by itself.
  func waitForEnd() throws -> MountError? {
    let ending = try thread?.join()
    thread = nil
    limit = nil
    return ending
  }
}

/// A thread that runs a session.
private final class SessionThread: @unchecked Sendable {
  private let progress: (readEnd: FileDescriptor, writeEnd: FileDescriptor)
  private let fileSystem: FileSystem
  private let point: MountPoint
  private let options: MountOptions
  private let whenReady: @Sendable () -> Void
  private var thread: TestThread?
  /// Written by the thread before it ends, read after joining it.
  private var outcome: MountError?

  init(
    fileSystem: FileSystem, point: MountPoint, options: MountOptions, whenReady: @escaping @Sendable () -> Void
  ) throws {
    self.fileSystem = fileSystem
    self.point = point
    self.options = options
    self.whenReady = whenReady
    progress = try FileDescriptor.pipe()
    thread = try TestThread { self.run() }
  }

  deinit { try? progress.readEnd.close() }

  private func run() {
    let writer = progress.writeEnd
    let session = MountSession(
      fileSystem: fileSystem, mountPoint: point, options: options, logger: LiveMount.logger
    ) {
      _ = try? writer.writeAll([1])
      self.whenReady()
    }
    do throws(MountError) {
      try session.run()
    } catch {
      outcome = error
    }
    try? writer.close()
  }

  func waitUntilReady() throws {
    try waitUntil("the mount answered") {
      var source = pollfd(fd: progress.readEnd.rawValue, events: Int16(POLLIN), revents: 0)
      return unsafe poll(&source, 1, 0) == 1
    }
    var letter: [UInt8] = [0]
    let count = try unsafe letter.withUnsafeMutableBytes { try unsafe progress.readEnd.read(into: $0) }
    if count == 0 { throw try join() ?? MountError.sessionFailed(reason: "it ended before it was ready") }
  }

  func join() throws -> MountError? {
    try thread?.join()
    return outcome
  }
}
