import Glibc
import HostFiles
import Logging
import Media
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// Archives that Python makes, and the decoder that unpacks them.
final class ArchiveFixture {
  let fixture: ImportFixture
  private let unpacking: Decoder
  private let folder: TemporaryFolder

  init(before: FileCalls.Hook? = nil, step: Int = 1 << 20) throws {
    fixture = try ImportFixture(before: before, step: step)
    folder = try TemporaryFolder()
    unpacking = Decoder(
      program: builtProgram("agonyfs-decoder"), sandbox: .required,
      logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
  }

  /// Has Python make archives in the source directory. `zipped` and `tarred` take names and contents.
  func make(_ script: String) throws {
    let head = """
      import io, os, struct, sys, tarfile, zipfile
      os.chdir(sys.argv[1])
      def data(seed, count): return bytes((n * 31 >> 3 & 255) ^ seed for n in range(count))
      def zipped(name, entries, method=zipfile.ZIP_STORED):
          with zipfile.ZipFile(name, "w", method) as archive:
              for path, content in entries:
                  info = zipfile.ZipInfo(path, (2024, 8, 15, 13, 14, 16)); info.external_attr = 0o100644 << 16
                  info.create_system = 3; info.compress_type = method; archive.writestr(info, content)
      def tarred(name, entries, mode="w:gz"):
          with tarfile.open(name, mode) as archive:
              for path, content in entries:
                  info = tarfile.TarInfo(path); info.mtime = 1700000000
                  if isinstance(content, tuple): info.type, info.linkname = content; content = b""
                  info.size = len(content); archive.addfile(info, io.BytesIO(content))
      """
    try folder.write("\(head)\n\(script)\n", to: "make.py")
    let outcome = try Outcome(
      "/usr/bin/env", arguments: ["python3", folder.path("make.py"), fixture.source], limit: 60)
    #expect(outcome.status == 0, "\(outcome)")
  }

  /// The same bytes as `data` in the scripts.
  static func data(_ seed: UInt8, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) ^ seed }
  }

  /// Tools that read of a JSON `title=…` only.
  var tools: ArchiveTools {
    ArchiveTools(unpacking) { content in
      let text = String(decoding: content, as: UTF8.self)
      guard text.hasPrefix("title=") else { return nil }
      let title = text.dropFirst(6)
      return TakeoutDescription(title: Array(title.utf8), taken: Array("says \(title)".utf8))
    }
  }

  struct Result {
    var summary: ImportSummary
    var outcomes: [String: ImportOutcome] = [:]
    var deleted: [OriginalDeletion.Outcome] = []
  }

  /// Lists, imports, and deletes if asked, as the command does.
  func run(
    _ names: [String], deletes: Bool = false, isTrial: Bool = false, includesTrash: Bool = false,
    takesAllFiles: Bool = false, sorter: (any AlbumSorter)? = nil, observer: Observer = Observer()
  ) throws -> Result {
    let sources = names.map {
      ImportSource(path: Array((fixture.source + "/" + $0).utf8), isArchive: ImportSource.isArchive(Array($0.utf8)))
    }
    let tools = tools
    let listing = SourceListing(
      sources, fixture.calls, spaceDevice: fixture.target.device, tools: tools, takeout: .found,
      includesTrash: includesTrash, groupsArchives: sorter != nil, takesAllFiles: takesAllFiles, isCancelled: { false })
    var options = ImportOptions()
    options.takeout = listing.takeout
    options.deletesOriginals = deletes
    options.isTrial = isTrial
    options.takesAllFiles = takesAllFiles
    options.sorter = sorter
    options.overlaps = false
    let list = deletes ? DeletionList(fixture.calls, in: fixture.target.incoming, named: options.name) : nil
    let importer = Importer(fixture.calls, into: fixture.target, options: options)
    let run = ImportRun(importer, observer: observer, list: list, base: [], tools: tools)
    var result = Result(summary: run.run(sources, listing: listing, keepsName: false))
    for (path, outcome) in observer.outcomes {
      result.outcomes[String(path.dropFirst(fixture.source.utf8.count + 1))] = outcome
    }
    if let list, result.summary.end == nil, !result.summary.isInterrupted {
      try? OriginalDeletion(fixture.calls).deleteAll(of: list, isCancelled: { false }) { result.deleted.append($1) }
    }
    return result
  }

  /// Does what a run before was interrupted in, as the command does.
  func finishInterrupted() throws {
    for name in try incoming where name.starts(with: DeletionList.prefix) {
      var found: DeletionList?
      // A process that another test starts just now has it open until it runs its program.
      for _ in 0..<1000 where found == nil {
        found = try? DeletionList(fixture.calls, in: fixture.target.incoming, existing: name)
        if found == nil { usleep(10_000) }
      }
      guard let list = found else { throw Errno.resourceBusy }
      try OriginalDeletion(fixture.calls).deleteAll(of: list, isCancelled: { false }) { _, _ in }
    }
  }

  /// What the space has, by path.
  var space: [String: [UInt8]] { get throws { try ImportFixture.files(in: fixture.space) } }
  /// What the source has.
  var source: [String] { get throws { try ImportFixture.files(in: fixture.source).keys.sorted() } }
  /// Files that have no name yet.
  var incoming: [[UInt8]] { get throws { try Directory.names(in: fixture.incoming) } }
}
