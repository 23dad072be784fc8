import Crypto
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport

@testable import Export

/// A space in memory.
final class MemorySpace: ExportSpace {
  /// Directories are those of the files' paths.
  var files: [String: [UInt8]] = [:]
  /// Paths with something else.
  var others: [String: FileStatus.Kind] = [:]
  /// What is wrong with a file.
  var faults: [String: MemoryFile.Fault] = [:]
  var attributes: [String: [(name: [UInt8], value: [UInt8])]] = [:]
  /// Lengths of files that are nothing but holes behind their bytes.
  var sizes: [String: Int64] = [:]

  static let time = FileTime(seconds: 1_500_000_000, nanoseconds: 123_456_789)

  func status(of path: [UInt8]) throws(Errno) -> FileStatus {
    let name = String(decoding: path, as: UTF8.self)
    if let bytes = files[name] { return Self.status(.file, size: sizes[name] ?? Int64(bytes.count)) }
    if let kind = others[name] { return Self.status(kind, size: 0) }
    guard path.isEmpty || (Array(files.keys) + others.keys).contains(where: { $0.hasPrefix(name + "/") }) else {
      throw .noSuchFileOrDirectory
    }
    return Self.status(.directory, size: 0)
  }

  static func status(_ kind: FileStatus.Kind, size: Int64) -> FileStatus {
    FileStatus(
      kind: kind, device: 1, inode: 1, size: size, permissions: 0o640, owner: 0, accessed: time, modified: time,
      changed: time)
  }

  func names(in path: [UInt8]) throws(Errno) -> [[UInt8]] {
    let start = path.isEmpty ? "" : String(decoding: path, as: UTF8.self) + "/"
    let inside = (Array(files.keys) + others.keys).filter { $0.hasPrefix(start) }
    return Set(inside.map { Array($0.dropFirst(start.count).prefix { $0 != "/" }.utf8) }).shuffled()
  }

  func open(_ path: [UInt8]) throws(Errno) -> any ExportedFile {
    let name = String(decoding: path, as: UTF8.self)
    guard let bytes = files[name] else { throw .noSuchFileOrDirectory }
    if faults[name] == .closed { throw .permissionDenied }
    return MemoryFile(
      bytes: bytes, status: try status(of: path), fault: faults[name], list: attributes[name] ?? [])
  }
}

/// A file in memory; behind its bytes there are zeros.
final class MemoryFile: ExportedFile {
  enum Fault: Equatable {
    case closed
    /// Reading fails at the end.
    case unreadable
    /// It ends before its length.
    case short
    /// The vault has something else.
    case storedDiffers
    /// Its status changes while it is read.
    case changes
    /// It gives other bytes the second time.
    case lies
  }

  let status: FileStatus
  private let bytes: [UInt8]
  private let fault: Fault?
  private let list: [(name: [UInt8], value: [UInt8])]
  private let reads = Counter()

  init(bytes: [UInt8], status: FileStatus, fault: Fault?, list: [(name: [UInt8], value: [UInt8])]) {
    self.bytes = bytes
    self.status = status
    self.fault = fault
    self.list = list
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let count = Int(min(Int64(buffer.count), max(0, size - offset)))
    let isLast = offset + Int64(count) == size
    if fault == .unreadable, isLast { throw .ioError }
    let known = offset < bytes.count ? bytes[Int(offset)..<min(bytes.count, Int(offset) + count)] : []
    unsafe buffer.copyBytes(from: known)
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[known.count..<count]).initializeMemory(
      as: UInt8.self, repeating: 0)
    if fault == .lies, isLast, reads.next() > 0 { unsafe buffer[count - 1] ^= 1 }
    return fault == .short && isLast ? count - 1 : count
  }

  func nextData(from offset: Int64) throws(Errno) -> Int64? { offset < bytes.count ? offset : nil }

  func currentStatus() throws(Errno) -> FileStatus {
    var now = status
    if fault == .changes { now.modified.nanoseconds += 1 }
    return now
  }

  func attributes() throws(Errno) -> [(name: [UInt8], value: [UInt8])] { list }

  func storedDigest() throws(Errno) -> FileDigest {
    var hasher = ContentHasher()
    let all = bytes + [UInt8](repeating: 0, count: Int(size) - bytes.count)
    unsafe all.withUnsafeBytes { unsafe hasher.update($0) }
    return FileDigest(size: size, hash: fault == .storedDiffers ? [UInt8](repeating: 0, count: 16) : hasher.finish())
  }
}

/// Exports all as it is.
final class NoChanges: ExportChanges {
  /// What is written beside files.
  var sidecars: [String: [UInt8]] = [:]
  var forms: [String: ExportForm] = [:]

  func form(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> ExportForm {
    forms[String(decoding: path, as: UTF8.self)] ?? .original
  }

  func sidecar(of path: [UInt8], _ file: any ExportedFile) throws(ExportFailure) -> [UInt8]? {
    sidecars[String(decoding: path, as: UTF8.self)]
  }
}

/// Notes what is told.
final class Observer: ExportObserver {
  var outcomes: [String: ExportOutcome] = [:]
  /// How many items are begun before it is cancelled.
  var most = Int.max
  private var begun = 0

  func finished(_ path: [UInt8], bytes: Int64, _ outcome: ExportOutcome) {
    outcomes[String(decoding: path, as: UTF8.self)] = outcome
  }

  var isCancelled: Bool {
    begun += 1
    return begun > most
  }
}

/// Runs an export of everything.
func export(
  _ space: MemorySpace, to writer: any ExportWriter, _ changes: NoChanges = NoChanges(),
  observer: Observer = Observer(), album: String = ""
) -> (summary: ExportSummary, outcomes: [String: ExportOutcome]) {
  var plan = ExportPlan(space, album: Array(album.utf8))
  plan.addAll()
  let summary = ExportRun(space, to: writer, changes, observer: observer).run(plan)
  return (summary, observer.outcomes)
}
