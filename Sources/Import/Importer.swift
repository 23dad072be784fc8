// Importing files: each is copied into `.agonyfs/incoming`, verified, then named.
//
// Invariants
// 1. A file gets its visible name last, and the name replaces nothing. The file is then complete and, unless
//    verification was switched off, verified: the hashes of the written bytes, of the stored bytes and of the source
//    read again are the same.
// 2. Every entry of a source has exactly one outcome.
// 3. The state kept from one file to the next is bounded, however many files there are.

internal import Glibc
package import HostFiles
internal import Synchronization
internal import System
package import SystemPackage

/// How files are imported.
package struct ImportOptions: Sendable {
  /// The album that everything goes into, as names from the root of the space.
  package var album: [[UInt8]] = []
  /// Chooses albums instead of the directories of the sources; nil keeps the directories.
  package var sorter: (any AlbumSorter)?
  /// The plan of a Google Takeout, if the sources are one.
  package var takeout: TakeoutPlan?
  /// Whether content that the space has is linked instead of being stored again.
  package var skipsDuplicates = true
  /// Whether stored files are verified.
  package var verifies = true
  /// Whether originals will be deleted. Files that the space has already must then be verified as well.
  package var deletesOriginals = false
  /// Given the path of a directory that is a mount point, returns why it is left out; nil if it is not.
  package var leavesOut: (@Sendable ([UInt8]) -> SkipReason?)?
  /// Whether files that operating systems create for themselves are imported as well.
  package var takesAllFiles = false
  /// Whether this is a dry run, which reports outcomes and changes nothing.
  package var isTrial = false
  /// Whether one thread verifies files while another copies the next ones.
  package var overlaps = true
  /// The unique name of this run.
  package let name: [UInt8]

  /// The prefix of the names of this run's partial files.
  var partialPrefix: [UInt8] { Array(".partial-".utf8) + name + [0x2D] }

  /// The default options, with a random name.
  package init() { name = Hexadecimal.digits(of: (0..<8).map { _ in UInt8.random(in: .min ... .max) }) }
}

/// Decides for one file after the other whether it is imported, and under which name.
package final class Importer {
  let calls: FileCalls
  let target: ImportTarget
  let options: ImportOptions
  private(set) var reading: SourceReading
  private var albums: AlbumOpener
  private var number = 0
  /// Paths of files by their lengths: the space's answer for a batch, and files imported since.
  private(set) var stored: [Int64: [[UInt8]]] = [:]
  /// Hashes of the first bytes of files of the space, by path. They are cached because cameras write many files of the
  /// same length.
  var beginnings: [[UInt8]: UInt64] = [:]
  private static let mostBeginnings = 32_768
  /// Names reserved for files of this run.
  var reservations = NameReservations()
  /// The number of files imported since `stored` was queried.
  private var storedCount = 0
  private static let mostStored = 1 << 18

  /// An outcome, and whether the stored content and the source were both read again and were the same.
  package typealias Result = (outcome: ImportOutcome, digest: FileDigest?, isVerified: Bool)

  /// An importer into a space.
  package init(_ calls: FileCalls, into target: ImportTarget, options: ImportOptions) {
    self.calls = calls
    self.target = target
    self.options = options
    reading = SourceReading(calls)
    albums = AlbumOpener(calls, in: target.root, makes: !options.isTrial)
  }

  /// Asks the space for the files that entries may be duplicates of.
  package func prepare(_ entries: [SourceEntry]) throws(Errno) {
    try prepare(sizes: Set(entries.filter { $0.status.kind == .file && $0.status.size > 0 }.map(\.status.size)))
  }

  /// Asks the space for files of the given lengths in bytes.
  func prepare(sizes: Set<Int64>) throws(Errno) {
    storedCount = 0
    if options.skipsDuplicates { stored = try target.files.paths(ofSizes: sizes) }
  }

  /// What is done next with an entry.
  enum Step {
    case ended(Result)
    /// It has to be copied, then verified and named.
    case copying(CopyJob)
  }

  func begin(_ entry: SourceEntry, as placement: Placement) -> Step {
    if let reason = SkipReason(entry.status.kind) ?? placement.reason { return .ended((.skipped(reason), nil, false)) }
    if entry.status.device == target.device { return .ended((.skipped(.insideSpace), nil, false)) }
    do throws(ImportFailure) {
      if let leader = placement.leader, !options.isTrial { return .copying(job(entry, to: .beside(leader))) }
      return try begin(entry, named: placement.name, in: options.album + placement.album)
    } catch {
      return .ended((.failed(error), nil, false))
    }
  }

  /// From now on, calls `progress` with the number of bytes of each read.
  func follow(_ progress: @escaping (Int) -> Void) { reading.progress = progress }

  /// Records the path of an imported file, so that later files can be found to be duplicates of it.
  func noteStored(_ path: [UInt8], size: Int64, beginning: UInt64) {
    guard options.skipsDuplicates, size > 0 else { return }
    if storedCount >= Self.mostStored { return }
    storedCount += 1
    stored[size, default: []].append(path)
    note(beginning, of: path)
  }

  func note(_ beginning: UInt64, of path: [UInt8]) {
    if beginnings.count >= Self.mostBeginnings { beginnings = [:] }
    beginnings[path] = beginning
  }

  /// Opens an album; nil in a dry run if it does not exist.
  func album(_ parts: [[UInt8]]) throws(ImportFailure) -> Album? {
    // The directory is not an album, and its files are removed after a week.
    if parts.first == Array(".agonyfs".utf8) { throw .badName }
    return try ImportFailure.ofSpace { () throws(Errno) in try albums.open(parts) }
  }

  private func begin(_ entry: SourceEntry, named name: WantedName, in parts: [[UInt8]]) throws(ImportFailure) -> Step {
    let album = try album(parts)
    if let album {
      if let known = try known(entry, named: name, in: album) { return .ended(known) }
    }
    if let duplicate = try duplicate(entry, named: name, in: album) { return .ended(duplicate) }
    guard let album, !options.isTrial else { return .ended(try planned(name, in: album, parts)) }
    return .copying(job(entry, to: .name(name, album)))
  }

  /// Creates a partial file.
  func createPartial() throws(ImportFailure) -> (name: [UInt8], file: Descriptor) {
    let name = nextPartial()
    let file = try ImportFailure.ofSpace { () throws(Errno) in
      try calls.create(name, in: target.incoming)
    }
    return (name, file)
  }

  /// The name of the next partial file.
  private func nextPartial() -> [UInt8] {
    number += 1
    return options.partialPrefix + Array(String(number).utf8)
  }

  private func job(_ entry: SourceEntry, to goal: CopiedFile.Goal) -> CopyJob {
    // A file that waits for its name is compared with the file that has the name by then.
    var isHashed = options.verifies
    if case .beside = goal { isHashed = true }
    return CopyJob(
      finisher: finisher, incoming: target.incoming, entry: entry, goal: goal, partial: nextPartial(),
      isHashed: isHashed)
  }

  /// Copies a file on the calling thread.
  func copy(_ job: CopyJob) -> Swift.Result<CopiedFile, ImportFailure> { job.outcome(reading) }

  /// Reports progress for a file that was read on another thread.
  func noteRead(_ bytes: Int64) { reading.progress?(Int(bytes)) }
}

extension SkipReason {
  /// Why an entry that is not a regular file is left out; nil for files and directories.
  init?(_ kind: FileStatus.Kind) {
    switch kind {
    case .file, .directory: return nil
    case .symbolicLink: self = .symbolicLink
    case .fifo: self = .fifo
    case .socket: self = .socket
    case .device: self = .device
    }
  }
}
