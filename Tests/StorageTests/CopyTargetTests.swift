import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// A directory that receives a copy, and what others do there before the lock on it is taken.
@Suite struct CopyTargetTests {
  private let folder: TemporaryFolder
  private let own: [UInt8] = [1, 1]
  private let foreign: [UInt8] = [2, 2]
  private let name = SegmentIdentifier.numbered(1)
  private var path: String { folder.path("copy") }

  init() throws { folder = try TemporaryFolder() }

  private func take(_ parameters: [UInt8], willLock: () -> Void = {}) throws -> DirectoryCopyTarget {
    try DirectoryCopyTarget(
      at: FilePath(path), parameters: parameters, accepts: { $0 == parameters }, willLock: willLock)
  }

  /// Another process begins to copy another vault, and is killed. The directory was empty before.
  @Test func twoVaultsAreNotMixed() throws {
    var isBegun = false
    #expect(throws: DirectoryCopyError.otherVault) {
      try take(own) {
        guard let other = try? take(foreign) else { return }
        isBegun = (try? other.put(name, [7], isComplete: false)) != nil
      }
    }
    #expect(isBegun)
    #expect(try HostFile.read(path + "/copying") == foreign)
    #expect(try HostFile.read(path + "/segments/" + name.path) == [7])
    try take(foreign).complete(parameters: foreign)
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
  }

  /// A user's file comes there: the copy leaves no file of its own.
  @Test func aDirectoryThatIsNoLongerEmptyIsLeftAsItIs() throws {
    #expect(throws: DirectoryCopyError.storage(.exists)) {
      try take(own) { _ = try? HostFile.write([1], to: path + "/letter") }
    }
    #expect(HostFile.names(in: path) == ["letter"])
  }
}
