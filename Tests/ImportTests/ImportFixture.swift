import CPlatform
import Crypto
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport

@testable import Import

/// A source and a space in two directories. The space has no mount under it: what it has stored is what its files hold.
final class ImportFixture {
  let folder: TemporaryFolder
  let calls: FileCalls
  let target: ImportTarget

  var source: String { folder.path("source") }
  var space: String { folder.path("space") }
  var incoming: String { folder.path("incoming") }

  init(
    before: FileCalls.Hook? = nil, altering: FileCalls.Alteration? = nil, step: Int = 1 << 20,
    digester: FileCalls.Digester? = nil
  ) throws {
    folder = try TemporaryFolder()
    for name in ["source", "space", "incoming"] { try folder.makeDirectory(name) }
    calls = FileCalls(before: before, altering: altering, step: step, digester: digester ?? Self.digest)
    target = ImportTarget(
      root: try Descriptor.open(folder.path("space"), O_RDONLY | O_DIRECTORY),
      incoming: try Descriptor.open(folder.path("incoming"), O_RDONLY | O_DIRECTORY),
      // Both are on one device; that is looked at elsewhere.
      device: 0, files: ScannedFiles(root: folder.path("space")))
  }

  private init(_ other: ImportFixture) {
    folder = other.folder
    calls = FileCalls(digester: Self.digest)
    target = other.target
  }

  /// The same directories, with calls that do not fail.
  static func with(_ other: ImportFixture) -> ImportFixture { ImportFixture(other) }

  /// The hash of what a file holds.
  static let digest: FileCalls.Digester = { (file) throws(Errno) in
    var information = stat()
    try systemCall { unsafe fstat(file.number, &information) }
    let again = try Descriptor.open("/proc/self/fd/\(file.number)", O_RDONLY)
    return FileDigest(size: Int64(information.st_size), hash: hash(try again.readToEnd()))
  }

  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hasher = ContentHasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
    return hasher.finish()
  }

  /// Makes a file of the source, and the directories that it is in.
  func put(_ path: String, _ bytes: [UInt8]) throws {
    try Self.write(bytes, to: source + "/" + path)
    var times = [timespec](repeating: timespec(tv_sec: 1_500_000_000, tv_nsec: 123_456_789), count: 2)
    try systemCall { unsafe utimensat(AT_FDCWD, source + "/" + path, &times, 0) }
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    var parent = ""
    for part in path.split(separator: "/").dropLast() {
      parent += "/" + part
      unsafe mkdir(parent, 0o755)
    }
    try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644).writeAll(bytes)
  }

  static func read(_ path: String) throws -> [UInt8] { try WholeFile.read(path) }

  /// Imports the source.
  @discardableResult
  func run(
    _ sources: [String]? = nil, observer: Observer = Observer(), list: DeletionList? = nil, keepsName: Bool = false,
    _ adjust: (inout ImportOptions) -> Void = { _ in }
  ) -> (summary: ImportSummary, outcomes: [String: ImportOutcome]) {
    var options = ImportOptions()
    adjust(&options)
    let importer = Importer(calls, into: target, options: options)
    let run = ImportRun(importer, observer: observer, list: list, base: Array(source.utf8))
    let summary = run.run((sources ?? [source]).map { ImportSource(path: Array($0.utf8)) }, keepsName: keepsName)
    var outcomes: [String: ImportOutcome] = [:]
    for (path, outcome) in observer.outcomes {
      outcomes[path.hasPrefix(source + "/") ? String(path.dropFirst(source.utf8.count + 1)) : path] = outcome
    }
    return (summary, outcomes)
  }

  /// Everything in a directory, by path; directories are left out.
  static func files(in directory: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try Directory.names(in: directory) {
      let path = directory + "/" + String(decoding: name, as: UTF8.self)
      var information = stat()
      try systemCall { unsafe lstat(path, &information) }
      if information.st_mode & S_IFMT == S_IFDIR {
        for (inner, bytes) in try files(in: path) { found[String(decoding: name, as: UTF8.self) + "/" + inner] = bytes }
      } else if information.st_mode & S_IFMT == S_IFREG {
        found[String(decoding: name, as: UTF8.self)] = try WholeFile.read(path)
      }
    }
    return found
  }
}

/// Looks through a directory for files of some lengths.
struct ScannedFiles: StoredFiles {
  let root: String

  func paths(ofSizes sizes: Set<Int64>) throws(Errno) -> [Int64: [[UInt8]]] {
    var found: [Int64: [[UInt8]]] = [:]
    let all = (try? ImportFixture.files(in: root)) ?? [:]
    for (path, bytes) in all.sorted(by: { $0.key < $1.key }) where sizes.contains(Int64(bytes.count)) {
      found[Int64(bytes.count), default: []].append(Array(path.utf8))
    }
    return found
  }
}

/// Notes what is told.
final class Observer: ImportObserver {
  var outcomes: [(path: String, outcome: ImportOutcome)] = []
  var verified: Set<String> = []
  /// How many files are begun before the import is cancelled.
  var most = Int.max
  private var begun = 0

  func finished(
    _ path: [UInt8], _ status: FileStatus?, _ outcome: ImportOutcome, isVerified: Bool, isDescribed: Bool?
  ) {
    let path = String(decoding: path, as: UTF8.self)
    outcomes.append((path, outcome))
    if isVerified { verified.insert(path) }
  }

  /// What was lost of which files.
  var lost: [String: [[UInt8]]] = [:]
  /// Bytes that were read.
  var bytes = 0

  func lost(_ attributes: [[UInt8]], of path: [UInt8]) { lost[String(decoding: path, as: UTF8.self)] = attributes }

  func read(_ bytes: Int) { self.bytes += bytes }

  var isCancelled: Bool {
    begun += 1
    return begun > most
  }
}

/// Counts calls, and fails one of them, or all from one on.
final class FailingCalls: Sendable {
  enum Way: CaseIterable {
    /// One call fails.
    case error, noRoom
    /// The program is killed, and the power is cut.
    case end
  }

  private let state = Mutex((count: 0, kinds: [FileCall]()))
  private let isStopped = Mutex(false)
  let failing: Int
  let error: Errno
  /// Whether everything after it fails as well, as when the program was killed.
  let isEnd: Bool

  init(failing: Int = .max, _ error: Errno = .ioError, isEnd: Bool = false) {
    self.failing = failing
    self.error = error
    self.isEnd = isEnd
  }

  var hook: FileCalls.Hook {
    { (kind) throws(Errno) in
      let number = self.state.withLock { state in
        state.count += 1
        state.kinds.append(kind)
        return state.count
      }
      if number == self.failing || self.isEnd && number > self.failing && !self.isStopped.withLock({ $0 }) {
        throw self.error
      }
    }
  }

  /// From now on nothing fails.
  func stop() { isStopped.withLock { $0 = true } }

  var count: Int { state.withLock { $0.count } }
  var kinds: [FileCall] { state.withLock { $0.kinds } }
}
