import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

/// What every storage promises of a vault's parameters.
@Suite struct ParametersConformanceTests {
  @Test(arguments: StorageKind.lasting)
  func theLastParametersAreRead(_ kind: StorageKind) throws {
    let subject = try kind.make()
    for content in [randomBytes(5000), [1, 2, 3], []] {
      try subject.storage.replaceParameters(with: content)
      #expect(try subject.storage.readParameters(limit: 10_000) == content)
      #expect(try subject.opened().readParameters(limit: 2) == Array(content.prefix(2)))
    }
    #expect(try subject.storage.listed().isEmpty, "parameters are no segment")
  }

  @Test func aNewStorageHasNone() throws {
    let folder = try TemporaryFolder()
    for storage: any Storage in [FaultyStorage(), try DirectoryStorage.make(at: folder.path)] {
      #expect(throws: Errno.noSuchFileOrDirectory) { try storage.readParameters(limit: 10) }
    }
  }

  @Test func theySurviveAPowerCut() throws {
    let storage = FaultyStorage()
    try storage.replaceParameters(with: [1])
    #expect(try storage.after(.losesAll).readParameters(limit: 10) == [1])
    var found = Set<[UInt8]>()
    for count in 2..<20 as Range<UInt8> {
      let storage = FaultyStorage()
      for number in 1..<count { try storage.replaceParameters(with: [0, number]) }
      storage.inject(.cut(at: Int(count)))
      #expect(throws: Errno.ioError) { try storage.replaceParameters(with: [1]) }
      let after = try storage.after(.losesAll).readParameters(limit: 10)
      #expect(after == [1] || after == [0, count - 1])
      found.insert(Array(after.prefix(1)))
    }
    #expect(found == [[0], [1]])
  }
}
