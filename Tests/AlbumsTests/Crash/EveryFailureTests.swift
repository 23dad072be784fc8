import AlbumsSupport
import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// The disk fails, or is full, from every operation of the storage on.
@Suite struct EveryFailureTests {
  static let ballast = (0..<3).map { "/ballast \($0)" }
  static let ballastContent = pattern(1 << 20, 1)
  static let ownFiles = 56
  static let seeds = 4
  /// Operations in a sample.
  static let few = 5

  /// A workload with some files that can be deleted later, on a disk of bounded size.
  func begin(_ seed: UInt64) throws -> Workload {
    let storage = FaultyStorage()
    let ownFiles = Workload.ownFiles(Self.ownFiles, seed: seed)
    storage.setLimit((64 + ownFiles) << 20)
    let work = try Workload(storage: storage, seed: seed, ownFiles: ownFiles)
    for path in Self.ballast {
      try work.makeFile(path)
      try work.write(Self.ballastContent, to: path)
    }
    try work.synchronize()
    return work
  }

  func goOn(_ work: Workload, _ seed: UInt64) throws {
    try work.run(10)
    if seed % 2 == 0 { try work.changePassword() } else { try work.useOtherSpace() }
    try work.importAlbum()
    try work.writeLongFile()
    try work.synchronize()
  }

  /// Operations of the workload after its beginning, counted from 1: each fourth, another fourth for each of four
  /// seeds, unless there is time.
  func operations(_ seed: UInt64, function: String = #function) throws -> [Int] {
    let work = try begin(seed)
    let start = work.storage.operationCount
    try goOn(work, seed)
    work.abandon()
    if work.ownFiles > 0 { #expect(work.storage.deletionCount > 6) }
    let count = work.storage.operationCount - start
    let all =
      TestLength.isLong
      ? stride(from: 1, through: count, by: 1) : stride(from: 1 + Int(seed) % 4, through: count, by: 4)
    return TestLength.sample(Array(all), Self.few, name: "\(seed)", function: function)
  }

  func checkWhatACrashLeaves(_ work: Workload, _ label: String) throws {
    let comment = Comment(rawValue: label)
    for cut in [PowerCut.losesAll, .mixed(seed: 1)] {
      let left = work.storage.after(cut)
      let vault = Vault(storage: left, parameters: work.vault.parameters)
      let space = try vault.openSpace(work.body, readOnly: true, copyWindow: 0)
      #expect(space.origin.warning == nil, comment)
      let files = try Workload.mount(space, readOnly: true)
      let tree = try Tree(of: files)
      let isPossible = work.possibleTrees.contains(tree)
      #expect(isPossible, "\(label): \(tree.difference(from: work.possibleTrees))")
      #expect(Checker.check(space, readData: true).problems == [], comment)
      try files.close()
      try work.expectOwnFiles(in: left, alone: !work.isOtherSpaceLeft, comment)
    }
  }

  // MARK: a disk that fails

  /// How it fails.
  private enum Failing: CaseIterable {
    case once
    case fromThenOn
    /// What it reports as failed was carried out.
    case withoutReply

    func fault(at operation: Int) -> Fault {
      switch self {
      case .once: .error(.ioError, at: operation)
      case .fromThenOn: .errors(.ioError, from: operation)
      case .withoutReply: .lostReply(.ioError, at: operation)
      }
    }
  }

  @Test func aDiskThatFailsAnywhereIsToldAndReadable() throws {
    var cases = CaseCount("failing disks")
    var refusals = 0
    for seed in TestLength.seeds(Self.seeds, few: 1) {
      for operation in try operations(seed) {
        for failing in Failing.allCases {
          let work = try begin(seed)
          work.storage.inject(failing.fault(at: work.storage.operationCount + operation))
          var failure: (any Error)?
          do {
            try goOn(work, seed)
          } catch {
            failure = error
          }
          try checkFailedDisk(work, failure, "seed \(seed), operation \(operation), \(failing)")
          cases.add()
          if failure != nil { refusals += 1 }
        }
      }
    }
    #expect(TestLength.isWhole ? cases.count > 180 : cases.count == 3 * Self.few)
    // A disk that fails from the first operation on is one of them.
    #expect(refusals > (TestLength.isWhole ? cases.count / 2 : 0))
  }

  private func checkFailedDisk(_ work: Workload, _ failure: (any Error)?, _ label: String) throws {
    let comment = Comment(rawValue: label)
    let files = work.files
    guard let failure else {
      // What failed was a deletion, or nothing.
      #expect(files.space.gate.reason == nil, comment)
      work.storage.inject(nil)
      try work.synchronize()
      let tree = try Tree(of: files)
      let isLast = tree == work.trees.last
      #expect(isLast, comment)
      try files.close()
      return
    }
    if !files.locked({ $0.life.isClosed }), failure is VaultError {
      // It was another space.
      work.storage.inject(nil)
      try work.synchronize()
      let isLast = try Tree(of: files) == work.trees.last
      #expect(isLast, comment)
      files.stopThreads()
    } else if !files.locked({ $0.life.isClosed }) {
      #expect(failure as? Errno == .ioError, "\(label): \(failure)")
      #expect(files.isReadOnly, comment)
      #expect(files.space.gate.reason?.contains("failed") == true, comment)
      expect(.readOnlyFileSystem) { _ = try files.make("refused") }
      expect(.readOnlyFileSystem) { try files.synchronize() }
      let tree = try Tree(of: files)
      let isPossible = work.possibleTrees.contains(tree)
      #expect(isPossible, "\(label): \(tree.difference(from: work.possibleTrees))")
      files.stopThreads()
    }
    work.storage.inject(nil)
    try checkWhatACrashLeaves(work, label)
  }
}
