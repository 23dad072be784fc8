import AlbumsSupport
import FaultyStorage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What the checks of several spaces leave unexplained.
@Suite struct JointCheckTests {
  private let storage = FaultyStorage()
  private let vault: Vault

  init() throws { vault = Vault(storage: storage, parameters: .cheap) }

  private func check(_ passwords: String...) throws -> JointCheckReport {
    try SpaceManager.check(in: vault, passwords: passwords.map { .of($0) }, readData: false)
  }

  /// Writes and deletes, so that there are live and dead segments, and closes the space.
  private func use(_ password: String, sessions: Int = 2) throws {
    for session in 0..<sessions {
      try vault.use(.of(password)) { files in
        for name in try files.names(of: .root).keys { try files.unlink(.of(name), in: .root) }
        try files.put(pattern(2_500_000, session), files.make("photo"))
      }
    }
  }

  @Test func everyFileOfASpaceIsExplained() throws {
    try SpaceManager.addSpace(to: vault, password: .of("first"))
    try use("first")
    let before = storage.names.count
    try SpaceManager.addSpace(to: vault, password: .of("second"), cover: 20_000_000)
    try use("second", sessions: 4)
    try use("first")
    let all = try vault.fileSizes().count
    let report = try check("first", "second")
    #expect(report.isClean && report.reports.allSatisfy { $0?.problems.isEmpty == true })
    // What is left is the random number that comes with cover.
    let owner = try #require(try SpaceManager.openSpace(in: vault, password: .of("second"), readOnly: true).owner)
    let first = try check("first", "first")
    #expect(report.explainedFiles + report.unexplainedFiles == all && report.unexplainedFiles >= 4)
    #expect(first.explainedFiles > before)
    #expect(report.explainedFiles == first.explainedFiles + Int(owner.fileCount))
    #expect(report.unexplainedBytes == Int64(report.unexplainedFiles * vault.parameters.segmentSize))
    #expect(try check("second", "first").unexplainedFiles == report.unexplainedFiles)
  }

  @Test func twoPasswordsOfOneSpaceAreOne() throws {
    try SpaceManager.addSpace(to: vault, password: .of("first"))
    try SpaceManager.addPassword(in: vault, existing: .of("first"), new: .of("again"))
    let report = try check("first", "again")
    #expect(report.isClean && report.reports.map { $0 == nil } == [false, true])
    #expect(report.unexplainedFiles == 0 && report.unexplainedBytes == 0)
    #expect(report.explainedFiles == (try vault.fileSizes()).count)
    #expect(throws: VaultError.noSpaceOpens) { try check("first", "wrong") }
  }

  /// Two ways in which the space was continued came together.
  @Test func filesThatTheOpenStateDoesNotKnowAreExplained() throws {
    let content = { storage.names.map { ($0, storage.content($0)) } }
    try SpaceManager.addSpace(to: vault, password: .of("first"))
    let old = content()
    try use("first")
    let one = content()
    for name in storage.names { try storage.delete(name) }
    for (name, bytes) in old { storage.place(bytes, as: name) }
    try use("first", sessions: 3)
    let other = storage.names
    for (name, bytes) in one where !other.contains(name) { storage.place(bytes, as: name) }
    #expect(storage.names.count > other.count)
    let report = try check("first", "first")
    #expect(report.reports[0]?.isClean == false)
    #expect(report.unexplainedFiles == 0)
  }

  @Test func aFileOfTwoSpacesIsAProblem() throws {
    try SpaceManager.addSpace(to: vault, password: .of("first"))
    try SpaceManager.addSpace(to: vault, password: .of("second"))
    let first = try SpaceManager.openSpace(in: vault, password: .of("first"))
    let stolen = first.segmentIdentifiers()[0]
    try first.close()
    #expect(try check("first", "second").isClean)
    let second = try SpaceManager.openSpace(in: vault, password: .of("second"))
    try second.changeOwner { $0.slots.append(stolen) }
    try second.close()
    let report = try check("first", "second")
    #expect(report.claimedTwice == 1 && !report.isClean)
    #expect(try check("second", "second").claimedTwice == 0)
  }
}
