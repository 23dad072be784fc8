// A VFS that turns SQLite's file calls into calls of a `PageFile`.
//
// It deliberately lacks journals, WAL, temporary files and shared memory. They are refused and counted: journal_mode
// and temp_store keep them in memory. It also lacks locks: a space is leased as a whole and has one connection that
// writes, and each read-only connection has a separate state, which does not change.
//
// An unreadable page is reported as SQLITE_NOTADB, not as SQLITE_IOERR. After SQLITE_IOERR, SQLite would roll back the
// whole transaction, for one page of one directory. After SQLITE_NOTADB, only the statement fails and its savepoint is
// rolled back.

internal import CSQLite
internal import Glibc
internal import Synchronization
internal import System
internal import Vault

/// A VFS with one file in it.
@safe final class PageFileSystem {
  private static let registered = Atomic<Int>(0)

  private let table: UnsafeMutablePointer<sqlite3_vfs>
  private let name: UnsafeMutablePointer<CChar>
  /// Retained for SQLite, which only knows its address.
  private let file: PageFile

  init(_ file: PageFile) {
    self.file = file
    let number = Self.registered.wrappingAdd(1, ordering: .relaxed).newValue
    unsafe name = strdup("agonyfs-\(number)")
    var vfs = unsafe sqlite3_vfs()
    unsafe vfs.iVersion = 1
    unsafe vfs.szOsFile = Int32(MemoryLayout<OpenPageFile>.stride)
    unsafe vfs.mxPathname = 512
    unsafe vfs.zName = UnsafePointer(name)
    unsafe vfs.pAppData = Unmanaged.passUnretained(file).toOpaque()
    unsafe vfs.xOpen = { vfs, _, opened, flags, resultFlags in
      guard let data = unsafe vfs?.pointee.pAppData, let opened = unsafe opened else { return SQLITE_MISUSE }
      unsafe opened.pointee.pMethods = nil
      let file = unsafe Unmanaged<PageFile>.fromOpaque(data)
      guard flags & SQLITE_OPEN_MAIN_DB != 0 else {
        unsafe file.takeUnretainedValue().counters.refusedOpens += 1
        return SQLITE_CANTOPEN
      }
      unsafe UnsafeMutableRawPointer(opened).initializeMemory(
        as: OpenPageFile.self, to: OpenPageFile(base: sqlite3_file(pMethods: methods), file: file))
      unsafe resultFlags?.pointee = flags
      return SQLITE_OK
    }
    unsafe vfs.xDelete = { _, _, _ in ResultCode.nothingToDelete }
    unsafe vfs.xAccess = { _, _, _, result in
      unsafe result?.pointee = 0
      return SQLITE_OK
    }
    unsafe vfs.xFullPathname = { _, name, capacity, result in
      guard let name = unsafe name, let result = unsafe result, unsafe strlen(name) < Int(capacity) else {
        return SQLITE_CANTOPEN
      }
      unsafe strcpy(result, name)
      return SQLITE_OK
    }
    unsafe vfs.xRandomness = { _, count, buffer in
      guard let buffer = unsafe buffer, count > 0 else { return 0 }
      for index in 0..<Int(count) { unsafe buffer[index] = CChar(truncatingIfNeeded: UInt8.random(in: 0...255)) }
      return count
    }
    unsafe vfs.xSleep = { _, microseconds in microseconds }
    unsafe vfs.xCurrentTime = { _, days in
      unsafe days?.pointee = 2_440_587.5 + Double(timeOfDay().seconds) / 86_400
      return SQLITE_OK
    }
    unsafe vfs.xGetLastError = { _, _, _ in 0 }
    unsafe table = .allocate(capacity: 1)
    unsafe table.initialize(to: vfs)
  }

  deinit {
    unsafe table.deallocate()
    unsafe free(name)
  }

  /// Runs `body` while this VFS is registered under the name that `body` gets. Open connections do not need the name.
  func whileRegistered(_ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
    let code = unsafe sqlite3_vfs_register(table, 0)
    guard code == SQLITE_OK else { return code }
    defer { unsafe sqlite3_vfs_unregister(table) }
    return unsafe body(UnsafePointer(name))
  }
}

/// The struct that SQLite allocates for the open file.
@unsafe private struct OpenPageFile {
  var base: sqlite3_file
  var file: Unmanaged<PageFile>
}

private func pageFile(_ opened: UnsafeMutablePointer<sqlite3_file>?) -> PageFile? {
  guard let opened = unsafe opened else { return nil }
  return unsafe UnsafeRawPointer(opened).assumingMemoryBound(to: OpenPageFile.self).pointee.file.takeUnretainedValue()
}

// Written once, before the first file is opened. Read-only afterwards.
nonisolated(unsafe) private let methods: UnsafePointer<sqlite3_io_methods> = {
  var methods = sqlite3_io_methods()
  methods.iVersion = 1
  unsafe methods.xClose = { _ in SQLITE_OK }
  unsafe methods.xRead = { opened, buffer, count, offset in
    guard let file = unsafe pageFile(opened) else { return SQLITE_MISUSE }
    switch unsafe file.read(at: offset, into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))) {
    case .whole: return SQLITE_OK
    case .beyondEnd: return ResultCode.shortRead
    case .failed: return SQLITE_NOTADB
    }
  }
  unsafe methods.xWrite = { opened, buffer, count, offset in
    guard let file = unsafe pageFile(opened) else { return SQLITE_MISUSE }
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: Int(count))
    return unsafe file.write(bytes, at: offset) ? SQLITE_OK : ResultCode.writeFailed
  }
  unsafe methods.xTruncate = { opened, size in
    unsafe pageFile(opened)?.truncate(to: size)
    return SQLITE_OK
  }
  unsafe methods.xSync = { _, _ in SQLITE_OK }
  unsafe methods.xFileSize = { opened, size in
    unsafe size?.pointee = pageFile(opened)?.size ?? 0
    return SQLITE_OK
  }
  unsafe methods.xLock = { _, _ in SQLITE_OK }
  unsafe methods.xUnlock = { _, _ in SQLITE_OK }
  unsafe methods.xCheckReservedLock = { _, result in
    unsafe result?.pointee = 0
    return SQLITE_OK
  }
  unsafe methods.xFileControl = { opened, operation, _ in
    switch operation {
    case SQLITE_FCNTL_SYNC:
      guard let file = unsafe pageFile(opened) else { return SQLITE_MISUSE }
      file.gather()
      return SQLITE_OK
    case SQLITE_FCNTL_COMMIT_PHASETWO, SQLITE_FCNTL_SIZE_HINT: return SQLITE_OK
    default: return SQLITE_NOTFOUND
    }
  }
  // With a larger sector size, SQLite would write all pages of a sector together.
  unsafe methods.xSectorSize = { _ in Int32(PageFile.pageSize) }
  unsafe methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  unsafe table.initialize(to: methods)
  return unsafe UnsafePointer(table)
}()
