// Importing files: copied into `.agonyfs/incoming`, verified, then named.
//
// Invariants
// 1. A name that others see comes last, and replaces nothing: what it leads to is whole and, unless that was switched
//    off, verified: the hash of what was written, of what the storage has, and of the source read again are the same.
// 2. Every entry of a source has exactly one outcome.
// 3. What is kept between two files is bounded, however many there are.

internal import Glibc
package import HostFiles
internal import Synchronization
internal import System
package import SystemPackage

/// How files are imported.
package struct ImportOptions: Sendable {
  /// The album that everything goes into.
  package var album: [[UInt8]] = []
  /// Chooses albums in place of directories; nil keeps the directories.
  package var sorter: (any AlbumSorter)?
  /// What is known of a Google Takeout, if the sources are one.
  package var takeout: TakeoutPlan?
  /// Whether content that the space has is not stored again.
  package var skipsDuplicates = true
  /// Whether what was stored is verified.
  package var verifies = true
  /// Whether originals are to be deleted, so that also what is there already has to be verified.
  package var deletesOriginals = false
  /// Says of the path of a directory that something else is mounted at whether it is left out.
  package var leavesOut: (@Sendable ([UInt8]) -> SkipReason?)?
  /// Whether also what systems keep for themselves is imported.
  package var takesAllFiles = false
  /// Whether nothing is done, and only said what would be.
  package var isTrial = false
  /// Whether files are verified on one thread while the next ones are copied on another.
  package var overlaps = true
  /// What only this run is called.
  package let name: [UInt8]

  /// What the names of files that are not whole begin with, in this run.
  var partialPrefix: [UInt8] { Array(".partial-".utf8) + name + [0x2D] }

  /// The options of a run with a name of its own.
  package init() { name = Hexadecimal.digits(of: (0..<8).map { _ in UInt8.random(in: .min ... .max) }) }
}

/// Decides of files, one after the other, whether they are imported, and under which names.
package final class Importer {
  let calls: FileCalls
  let target: ImportTarget
  let options: ImportOptions
  private(set) var reading: SourceReading
  private var albums: AlbumOpener
  private var number = 0
  /// Paths of files by their lengths: those of the space for a batch, and those that were imported since.
  private(set) var stored: [Int64: [[UInt8]]] = [:]
  /// What files of the space begin with, by their paths: cameras write many that are as long as each other.
  var beginnings: [[UInt8]: UInt64] = [:]
  private static let mostBeginnings = 32_768
  /// Names that files of this run are going to get.
  var reservations = NameReservations()
  /// Files that were imported since `stored` was asked for.
  private var storedCount = 0
  private static let mostStored = 1 << 18

  /// An outcome, and whether the content of the space and of the source were both read again and were the same.
  package typealias Result = (outcome: ImportOutcome, digest: FileDigest?, isVerified: Bool)

  /// Imports into a space.
  package init(_ calls: FileCalls, into target: ImportTarget, options: ImportOptions) {
    self.calls = calls
    self.target = target
    self.options = options
    reading = SourceReading(calls)
    albums = AlbumOpener(calls, in: target.root, makes: !options.isTrial)
  }

  /// Asks the space for files that entries may be duplicates of.
  package func prepare(_ entries: [SourceEntry]) throws(Errno) {
    try prepare(sizes: Set(entries.filter { $0.status.kind == .file && $0.status.size > 0 }.map(\.status.size)))
  }

  /// Asks the space for files that files of some lengths may be duplicates of.
  func prepare(sizes: Set<Int64>) throws(Errno) {
    storedCount = 0
    if options.skipsDuplicates { stored = try target.files.paths(ofSizes: sizes) }
  }

  /// How far an entry is.
  enum Step {
    case ended(Result)
    /// It is to be copied, then verified and named.
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

  /// Calls `progress` with numbers of bytes that were read, from now on.
  func follow(_ progress: @escaping (Int) -> Void) { reading.progress = progress }

  /// Notes where a file is now, for those that come.
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

  /// Opens an album; nil if there is none and this is a trial.
  func album(_ parts: [[UInt8]]) throws(ImportFailure) -> Album? {
    // What lies there is no album, and goes after a week.
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

  /// Creates a file that is not whole yet.
  func createPartial() throws(ImportFailure) -> (name: [UInt8], file: Descriptor) {
    let name = nextPartial()
    let file = try ImportFailure.ofSpace { () throws(Errno) in
      try calls.create(name, in: target.incoming)
    }
    return (name, file)
  }

  /// The name of the next file that is not whole yet.
  private func nextPartial() -> [UInt8] {
    number += 1
    return options.partialPrefix + Array(String(number).utf8)
  }

  private func job(_ entry: SourceEntry, to goal: CopiedFile.Goal) -> CopyJob {
    // What waits for its name is compared with what has it then.
    var isHashed = options.verifies
    if case .beside = goal { isHashed = true }
    return CopyJob(
      finisher: finisher, incoming: target.incoming, entry: entry, goal: goal, partial: nextPartial(),
      isHashed: isHashed)
  }

  /// Copies a file on the calling thread.
  func copy(_ job: CopyJob) -> Swift.Result<CopiedFile, ImportFailure> { job.outcome(reading) }

  /// Tells that a file was read on another thread.
  func noteRead(_ bytes: Int64) { reading.progress?(Int(bytes)) }
}

extension SkipReason {
  /// Why something that is no regular file is left out; nil for files.
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
