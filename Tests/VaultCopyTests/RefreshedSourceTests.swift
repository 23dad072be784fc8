import SystemPackage
import TestSupport
import Testing

@testable import Storage
@testable import VaultCopy

/// Copies of a vault that is refreshed where the host cannot exchange names: for a moment it has no `segments`.
@Suite struct RefreshedSourceTests {
  private let subject: CopySubject
  private let path: FilePath

  init() throws {
    subject = try CopySubject()
    path = FilePath(subject.folder.path("copy"))
  }

  /// The program that refreshes has the lease. When it is killed there, the copy lacks nothing.
  @Test func noCopyLacksFolders() throws {
    let before = try subject.content
    let vault = "\(subject.path)"
    var refusals: [CopyError] = []
    do {
      let storage = try DirectoryStorage(path: subject.path)
      storage.abilities.note(.exchange, false)
      let lease = try storage.lease(.vault, exclusive: true)
      // No file is short then.
      let refresh = DirectoryRefresh(storage, segmentSize: 100)
      refresh.mayChange = {
        if HostFile.names(in: vault).contains("segments") { return true }
        do throws(CopyError) {
          if refusals.isEmpty { try CopyRun(from: subject.end, to: DirectoryEnd(path)).run() }
        } catch {
          refusals.append(error)
        }
        return false
      }
      #expect(throws: RefreshError.self) { try refresh.run() }
      withExtendedLifetime(lease) {}
    }
    #expect(refusals == [.inUse(vault)])
    #expect(HostFile.names(in: vault) == ["agonyfs.json", "refreshing"])
    let summary = try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    #expect(summary.copied == subject.names.count)
    #expect(try CopySubject.content(of: path) == before)
  }
}
