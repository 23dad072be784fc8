import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// Messages of errors, and reasons why a space is read-only: they go to the system log, which others may read. So none
/// names a file of the space.
@Suite struct MessageTests {
  /// Whether a text has as many hexadecimal digits in a row as a name.
  private func hasName(_ text: String) -> Bool {
    text.split { !$0.isHexDigit }.contains { $0.count >= 2 * SegmentIdentifier.size }
  }

  @Test func aNameIsToldFromOtherWords() {
    let name = SegmentIdentifier(bytes: randomBytes(16))
    #expect(hasName("segment \(name) is missing") && !hasName("a segment is missing"))
  }

  /// What a space says while it is written and read, `earlier` pieces among what is read.
  private func messages(of space: Space, reading earlier: [ExtentPiece] = []) -> Set<String> {
    var texts: Set<String> = []
    func note(_ body: () throws -> Void) {
      do { try body() } catch { texts.insert("\(error)") }
    }
    var pieces = earlier
    note { pieces += try space.append(randomBytes(900_000)) }
    note { try space.commit([1: page(1, version: 2), 2: page(2, version: 2)], pageCount: 2) }
    note { pieces += try space.append(randomBytes(900_000)) }
    note { try space.sync() }
    note { try space.advanceEpoch() }
    for piece in pieces { note { _ = try space.bytes(piece) } }
    note { _ = try space.pageBytes(1) }
    note { try space.close() }
    if let reason = space.gate.reason { texts.insert(reason) }
    return texts
  }

  /// In a space that owns cover files are renamed, too.
  private static let failures: [(Errno, Int)] =
    [.ioError, .fileExists, .changedByOthers, .permissionDenied].flatMap { [($0, 0), ($0, 16)] }

  @Test(arguments: TestLength.sample(failures, 4, kind: { $0.0 }))
  func noFailureOfTheStorageNamesASegment(_ error: Errno, ownFiles: Int) throws {
    let made = { () throws in
      let test = try TestSpace.owningCover(ownFiles)
      try test.space.commit([1: page(1, version: 1)], pageCount: 1)
      try test.reopenAfterKill()
      return test
    }
    let whole = try made()
    let start = whole.storage.operationCount
    var found = messages(of: whole.space)
    let withoutFailure = found
    let count = whole.storage.operationCount - start
    #expect(count > 9)
    for operation in TestLength.sample(1...count, 12, name: "\(error.rawValue) \(ownFiles)") {
      let test = try made()
      test.storage.inject(.error(error, at: test.storage.operationCount + operation))
      found.formUnion(messages(of: test.space))
    }
    // Some errors are no failures for some operations.
    #expect(found != withoutFailure || !TestLength.isWhole && error != .ioError)
    for text in found { #expect(!hasName(text), "\(text)") }
  }

  /// Every file is lost, cut, emptied, or exchanged for another.
  @Test(arguments: 0..<5, [0, 16])
  func noDamageNamesASegment(_ damage: Int, ownFiles: Int) throws {
    let test = try TestSpace.owningCover(ownFiles)
    let pieces = try (0..<3).flatMap { try test.space.append(randomBytes(900_000, seed: $0)) }
    try test.space.commitAndClose(version: 1)
    let whole = test.storage.after(.keepsAll)
    var found: Set<String> = []
    for (name, next) in zip(whole.names, whole.names.dropFirst() + whole.names.prefix(1)) {
      let storage = whole.after(.keepsAll)
      storage.tamper(name) { content in
        switch damage {
        case 0: nil
        case 1: []
        case 2: Array(content.prefix(content.count / 2))
        case 3: whole.content(next)
        default: randomBytes(content.count)
        }
      }
      do {
        let space = try test.vault(over: storage).openSpace(test.body)
        found.formUnion(messages(of: space, reading: pieces))
      } catch {
        found.insert("\(error)")
      }
    }
    #expect(!found.isEmpty)
    for text in found { #expect(!hasName(text), "\(text)") }
  }
}
