// Listing the sources before anything is imported.
//
// Invariants
// 1. Nothing is unpacked to a file, and only the contents of JSONs are read.
// 2. Memory is bounded, except for the names of a Google Takeout and of an archive that is sorted by day.

package import HostFiles
package import Media
internal import System
internal import SystemPackage

/// A source of an import.
package struct ImportSource: Hashable, Sendable {
  /// Its absolute path.
  package var path: [UInt8]
  /// Whether it is an archive that is unpacked.
  package var isArchive: Bool
  /// Whether the contents of a directory are imported without it, so that its own name does not become an album.
  package var isContent: Bool

  /// A file, a directory or an archive.
  package init(path: [UInt8], isArchive: Bool = false, isContent: Bool = false) {
    self.path = path
    self.isArchive = isArchive
    self.isContent = isContent
  }

  /// Whether the name has the ending of a supported archive format.
  package static func isArchive(_ name: [UInt8]) -> Bool {
    let endings = [".zip", ".tar", ".tgz", ".tar.gz", ".tbz2", ".tar.bz2", ".txz", ".tar.xz"]
    let end = name.suffix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return endings.contains { end.count > $0.utf8.count && end.suffix($0.utf8.count).elementsEqual($0.utf8) }
  }
}

/// Unpacks archives and reads JSONs, in a confined process.
package struct ArchiveTools: Sendable {
  let decoder: Decoder
  let describe: @Sendable ([UInt8]) -> TakeoutDescription?

  /// `describe` reads a JSON of a Google Takeout. It must not use the same decoder.
  package init(_ decoder: Decoder, describe: @escaping @Sendable ([UInt8]) -> TakeoutDescription?) {
    self.decoder = decoder
    self.describe = describe
  }
}

/// The contents of the sources.
package struct SourceListing {
  /// How Google Takeouts are handled.
  package enum TakeoutChoice: Sendable {
    /// The sources are treated as a Takeout if they look like one.
    case found
    /// The sources are treated as a Takeout in any case.
    case demanded
    /// The sources are imported as they are.
    case none
  }

  /// The contents of an archive.
  struct Archive {
    /// The number of its entries without directories.
    var files = 0
    /// The lengths of its files in bytes, to ask the space for duplicates.
    var sizes: Set<Int64> = []
    /// The number of files of each group, by its key.
    var groups: [[UInt8]: Int] = [:]
    /// Why nothing of it can be imported; nil if it can.
    var failure: ImportFailure?
  }

  /// The number of files and their size in bytes, as far as they could be listed.
  package private(set) var files = 0
  package private(set) var bytes: Int64 = 0
  private(set) var archives: [Int: Archive] = [:]
  /// Whether everything could be listed.
  private(set) var isWhole = true
  /// The plan of the Google Takeout, if the sources are one.
  package private(set) var takeout: TakeoutPlan?

  private let calls: FileCalls
  private let tools: ArchiveTools
  private let groupsArchives: Bool
  private let isDemanded: Bool
  private let takesAllFiles: Bool
  private var builder: TakeoutPlan.Builder?

  /// Most files of a Takeout have a JSON. The names of this many files are kept in any case; further ones only if at
  /// least one file in `leastDescribed` is a JSON, or if the directories are those of a Takeout.
  private static let mostFiles = 200_000
  private static let leastDescribed = 20
  /// The most lengths of an archive's files that the space is asked for.
  private static let mostSizes = 1 << 17

  /// Lists the sources. `groupsArchives`: whether to count the groups of archives, which sorting by day needs.
  package init(
    _ sources: [ImportSource], _ calls: FileCalls, spaceDevice: UInt64, tools: ArchiveTools,
    takeout choice: TakeoutChoice, includesTrash: Bool, groupsArchives: Bool, takesAllFiles: Bool = false,
    isCancelled: () -> Bool
  ) {
    self.takesAllFiles = takesAllFiles
    self.calls = calls
    self.tools = tools
    self.groupsArchives = groupsArchives
    isDemanded = choice == .demanded
    builder = choice == .none ? nil : TakeoutPlan.Builder()
    var walk = SourceWalk(calls, spaceDevice: spaceDevice)
    walk.takesAllFiles = takesAllFiles
    for (part, source) in sources.enumerated() {
      if source.isArchive {
        let archive = list(archive: source.path, part: part, isCancelled)
        if archive.failure != nil { isWhole = false }
        archives[part] = archive
      } else {
        _ = walk.walk(source.path) { visit in
          switch visit {
          case .entries(let entries): add(entries, source.path, part: part)
          case .failure: isWhole = false
          case .leftOut(_, let reason): if reason == .systemFile { files += 1 }
          }
          return !isCancelled()
        }
      }
      if isCancelled() { return }
    }
    if let builder, builder.count > 0 {
      takeout = builder.plan(includesTrash: includesTrash, isForced: choice == .demanded)
    }
    builder = nil
  }

  private mutating func add(_ entries: [SourceEntry], _ source: [UInt8], part: Int) {
    files += entries.count
    for entry in entries where entry.status.kind == .file {
      bytes = Self.sum(bytes, entry.status.size)
      guard builder != nil else { continue }
      var description: TakeoutDescription?
      if TakeoutPlan.Builder.isDescription(entry.name), entry.status.size <= Int64(Decoder.mostSidecarBytes),
        let file = try? calls.openFile(entry.name, in: entry.directory.descriptor),
        let content = try? calls.bytes(of: file, at: 0, count: Int(entry.status.size))
      {
        description = described(content)
      }
      // A single file that the user named is imported in any case, even from a directory such as the trash.
      addToTakeout(entry.path(below: source), below: entry.path == source ? [] : source, part, description)
    }
  }

  private func described(_ content: [UInt8]) -> TakeoutDescription? {
    var description = tools.describe(content)
    description?.content = TakeoutDescription.mark(of: content)
    return description
  }

  private mutating func addToTakeout(
    _ path: [UInt8], below above: [UInt8], _ part: Int, _ description: TakeoutDescription?
  ) {
    builder?.add(path, below: above, part: part, description)
    guard let builder, !isDemanded, !builder.isKnown, builder.count > Self.mostFiles else { return }
    if builder.descriptions < builder.count / Self.leastDescribed { self.builder = nil }
  }

  /// Adds without overflow, because an archive may state any size.
  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    return overflows ? .max : sum
  }

  private mutating func list(archive path: [UInt8], part: Int, _ isCancelled: () -> Bool) -> Archive {
    var archive = Archive()
    let archiveName = Array(path[(path.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0)...])
    do throws(ImportFailure) {
      let file = try ArchiveFile.opened(calls, path, compares: false)
      var member: [UInt8]?
      var content: [UInt8] = []
      let verdict = try file.unpack(with: tools.decoder) { event in
        if isCancelled() { return .stop }
        switch event {
        case .entry(let entry):
          if entry.kind != .directory {
            files += 1
            archive.files += 1
          }
          guard entry.kind != .directory, case .success(let path) = entry.path else { return .skip }
          if groupsArchives { archive.groups[ArchiveFile.groupKey(path.parts), default: 0] += 1 }
          guard entry.kind == .file else { return .skip }
          let name = Array(path.parts.joined(separator: [0x2F]))
          if let size = entry.size {
            bytes = Self.sum(bytes, size)
            if size > 0, archive.sizes.count < Self.mostSizes { archive.sizes.insert(size) }
          }
          if !takesAllFiles, SystemFiles.contains(path.parts) { return .skip }
          guard builder != nil, TakeoutPlan.Builder.isDescription(name),
            entry.size ?? 0 <= Int64(Decoder.mostSidecarBytes)
          else {
            addToTakeout(name, below: archiveName, part, nil)
            return .skip
          }
          (member, content) = (name, [])
          return .proceed
        case .piece(let bytes):
          content += bytes
          if content.count <= Decoder.mostSidecarBytes { return .proceed }
          content = []
          return .skip
        case .end(let verdict):
          if let path = member {
            addToTakeout(path, below: archiveName, part, verdict == .whole ? described(content) : nil)
          }
          member = nil
          return .proceed
        }
      }
      if isCancelled() { return archive }
      guard verdict == .whole else { throw .archive(verdict) }
    } catch {
      archive.failure = error
    }
    return archive
  }
}

extension SourceEntry {
  /// Its path below a source, or its name if it is the source.
  func path(below source: [UInt8]) -> [UInt8] {
    let path = path
    guard path.count > source.count, path.starts(with: source) else { return name }
    return Array(path[source.count...].drop { $0 == 0x2F })
  }
}
