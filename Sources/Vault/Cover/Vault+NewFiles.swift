// Invariants
// 1. Files get their names in the order of the list, one at a time, so births and inode numbers show only that order.
//    Several threads write their bytes.
// 2. When `writeFiles` returns, every file is complete and durable. If it throws, some may be there, perhaps short.

internal import Crypto
package import Storage
internal import System
internal import SystemPackage

/// The name and bytes of a complete file that does not exist yet.
@safe package struct NewFile: Sendable {
  /// Its name.
  package let identifier: SegmentIdentifier
  /// Fills `buffer` with the bytes of the file from `offset` on. Called for one piece after the other.
  package let fill: @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Void

  /// A file with a name and bytes.
  package init(
    _ identifier: SegmentIdentifier,
    fill: @escaping @Sendable (_ buffer: UnsafeMutableRawBufferPointer, _ offset: Int) -> Void
  ) {
    self.identifier = identifier
    unsafe self.fill = fill
  }

  /// A file with known bytes.
  package init(_ identifier: SegmentIdentifier, content: [UInt8]) {
    unsafe self.init(identifier) { buffer, offset in
      unsafe buffer.copyBytes(from: content[offset..<offset + buffer.count])
    }
  }

  /// A file of a space's own cover.
  init(cover name: SegmentIdentifier, keys: SpaceKeys) {
    unsafe self.init(name) { buffer, offset in
      unsafe keys.fillCover(name, part: offset / CoverFile.partSize, buffer)
    }
  }

  /// A file with a random name and random bytes, which no key opens.
  package static func random() -> NewFile {
    unsafe NewFile(SegmentIdentifier(bytes: Sodium.randomBytes(SegmentIdentifier.size))) { buffer, _ in
      unsafe Sodium.fillPadding(buffer)
    }
  }
}

/// Progress and cancellation of a long operation. Both functions may be called in any thread, one call at a time.
package struct OperationControl: Sendable {
  /// Gets the finished bytes and the total, in bytes.
  package var progress: @Sendable (_ done: Int64, _ all: Int64) -> Void
  /// Whether the operation should stop.
  package var isCancelled: @Sendable () -> Bool

  /// Without arguments, reports nothing and never cancels.
  package init(
    progress: @escaping @Sendable (_ done: Int64, _ all: Int64) -> Void = { _, _ in },
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.progress, self.isCancelled) = (progress, isCancelled)
  }
}

extension Vault {
  /// Creates complete files, in the order of the list. Durable on return.
  ///
  /// - Throws: `.cancelled`, `.noSpace`, `.system`; then some files may exist.
  package func writeFiles(_ files: [NewFile], _ control: OperationControl = OperationControl()) throws(VaultError) {
    try storage.write(files, size: parameters.segmentSize, control)
  }

  /// Creates complete files in a random order, those in `last` after all others are durable. Durable on return. If it
  /// throws, the files that it created are deleted again, as far as the storage allows; files of other programs stay.
  ///
  /// - Throws: `.passwordInUse` when a name is taken; `.noSpace`, before anything is written if they do not fit;
  ///   `.cancelled`; `.system`.
  package func addFiles(
    _ files: [NewFile], last: [NewFile], _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try storage.add(files, last: last, size: parameters.segmentSize, control)
  }
}

extension Storage {
  /// Creates complete files of `size` bytes in the way of `Vault.addFiles`, and throws the same errors.
  func add(
    _ files: [NewFile], last: [NewFile], size: Int, _ control: OperationControl
  ) throws(VaultError) {
    let bytes = Int64(files.count + last.count) * Int64(size)
    let room = capacity()
    // Some network file systems do not know their room.
    guard room.total == 0 || room.free > bytes + bytes / 64 else { throw .noSpace }
    var created: [SegmentIdentifier] = []
    do throws(VaultError) {
      try write(files.shuffled(), size: size, control, created: &created)
      try write(last.shuffled(), size: size, created: &created)
    } catch {
      for name in created { try? delete(name) }
      try? flushNames(of: created)
      if case .system(.fileExists, _) = error { throw .passwordInUse }
      throw error
    }
  }

  /// Creates complete files of `size` bytes, in the order of the list. Durable on return.
  ///
  /// - Throws: `.cancelled`, `.noSpace`, `.system`; then some files may exist.
  func write(_ files: [NewFile], size: Int, _ control: OperationControl = OperationControl()) throws(VaultError) {
    var created: [SegmentIdentifier] = []
    try write(files, size: size, control, created: &created)
  }

  /// Creates files like `write(_:size:_:)`. Appends those that it created to `created`, also when it throws.
  fileprivate func write(
    _ files: [NewFile], size: Int, _ control: OperationControl = OperationControl(),
    created: inout [SegmentIdentifier]
  ) throws(VaultError) {
    let writer = FilesWriter(files, storage: self, size: size, control: control)
    // The stream cipher of one core is slower than a good disk. When cover is replaced, a few files at a time, one
    // thread is enough.
    let threads = files.count < NewFile.replacingStep ? 1 : FilesWriter.threadCount
    let helpers = (1..<threads).compactMap { _ in try? Thread { writer.run() } }
    writer.run()
    for helper in helpers { helper.join() }
    created += writer.created
    if let error = writer.error { throw error }
    try attempt("writing the first files") { () throws(Errno) in try flushAll() }
    writer.evictRest()
  }
}

/// Writes a list of files, with each thread that calls `run()`.
private final class FilesWriter: @unchecked Sendable {
  static let threadCount = min(4, Parallel.usual.threads)
  /// Bytes that are filled and written at once. They fit into the processor's cache.
  private static let pieceSize = CoverFile.partSize
  /// The most bytes on their way to the medium, not counting one file for each thread. More would take memory from
  /// other programs and gain less than it costs: a page that was used a moment ago is cheaper than a new one.
  private static let bytesInFlight = 128 << 20

  private let files: [NewFile]
  private let storage: any Storage
  private let size: Int
  private let control: OperationControl

  /// Guards the following properties.
  private let lock = Lock()
  private var next = 0
  private var done: Int64 = 0
  private(set) var error: VaultError?
  private(set) var created: [SegmentIdentifier] = []
  /// Complete files that the host's memory may still hold.
  private var inMemory: [SegmentIdentifier] = []

  init(_ files: [NewFile], storage: any Storage, size: Int, control: OperationControl) {
    (self.files, self.storage, self.size, self.control) = (files, storage, size, control)
  }

  func run() {
    let buffer = SealingBuffers.pool.take(Self.pieceSize)
    defer { SealingBuffers.pool.give(buffer) }
    do {
      while let (file, writer) = try begin() {
        try attempt("writing the first files") { () throws(Errno) in
          for offset in stride(from: 0, to: size, by: Self.pieceSize) {
            let piece = unsafe buffer.bytes(min(Self.pieceSize, size - offset))
            unsafe file.fill(piece, offset)
            try unsafe writer.write(UnsafeRawBufferPointer(piece), at: offset)
          }
          try writer.finish()
          writer.startFlush(from: 0, count: size)
        }
        let oldest = lock.withLock {
          done += Int64(size)
          control.progress(done, Int64(files.count) * Int64(size))
          inMemory.append(file.identifier)
          return inMemory.count * size > Self.bytesInFlight ? inMemory.removeFirst() : nil
        }
        if let oldest { storage.evict([oldest]) }
      }
    } catch {
      lock.withLock { self.error = self.error ?? error }
    }
  }

  /// Asks the host to keep nothing of the files in memory: cover is not read, and is deleted when other files are
  /// created.
  func evictRest() { storage.evict(inMemory) }

  /// Creates the next file; nil if there is none, or another thread has failed.
  private func begin() throws(VaultError) -> (NewFile, any SegmentWriter)? {
    try lock.withLock { () throws(VaultError) in
      if error != nil || next == files.count { return nil }
      if control.isCancelled() { throw .cancelled }
      let file = files[next]
      next += 1
      let writer = try attempt("writing the first files") { () throws(Errno) in try create(file.identifier) }
      created.append(file.identifier)
      return (file, writer)
    }
  }

  /// Creates a file. Deletes the empty file again that is left if the host carried out a creation and reported it as
  /// failed.
  private func create(_ name: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    do throws(Errno) {
      return try storage.create(name)
    } catch {
      if error != .fileExists, (try? storage.open(name).size()) == 0 { try? storage.delete(name) }
      throw error
    }
  }
}
