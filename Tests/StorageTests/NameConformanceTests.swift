import FaultyStorage
import Glibc
import Storage
import SystemPackage
import Testing

/// What every storage promises of names.
@Suite struct NameConformanceTests {
  let name = SegmentIdentifier.numbered(1)

  @Test(arguments: StorageKind.allCases)
  func aNameIsTakenOnce(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let storage = subject.storage
    let writer = try storage.create(name)
    #expect(try storage.exists(name) && writer.size() == 0)
    #expect(throws: Errno.fileExists) { try storage.create(name) }
    #expect(throws: Errno.fileExists) { try storage.put(name, [1]) }
    #expect(try storage.content(of: name) == [])
    let other = SegmentIdentifier.numbered(2)
    try storage.put(other, [1, 2])
    #expect(throws: Errno.fileExists) { try storage.create(other) }
    #expect(throws: Errno.fileExists) { try storage.put(other, [3]) }
    #expect(try storage.content(of: other) == [1, 2])
  }

  @Test(arguments: StorageKind.allCases)
  func whatIsDeletedIsGoneAndItsNameFree(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let storage = subject.storage
    try storage.put(name, [1])
    try storage.delete(name)
    try storage.delete(name)
    try storage.flushNames(of: [name])
    #expect(try !storage.exists(name))
    #expect(throws: Errno.noSuchFileOrDirectory) { try storage.open(name) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try storage.openToFill(name) }
    try storage.put(name, [2])
    #expect(try storage.content(of: name) == [2])
  }

  @Test(arguments: StorageKind.allCases)
  func aWholeFileIsPutWithoutLeftovers(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let content = randomBytes(300_000)
    try subject.storage.put(name, content)
    #expect(try subject.opened().content(of: name) == content)
    #expect(throws: Errno.fileExists) { try subject.storage.put(name, [1]) }
    #expect(try listed(subject.storage).map(\.identifier) == [name])
  }

  @Test(arguments: StorageKind.lasting)
  func theListHasEveryFileOnce(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let storage = subject.storage
    #expect(try listed(storage).isEmpty)
    let before = Int64(time(nil))
    let names = (1...30).map(SegmentIdentifier.numbered)
    for (number, name) in names.enumerated() { try storage.put(name, randomBytes(number)) }
    let writing = SegmentIdentifier.numbered(99)
    let writer = try storage.create(writing)
    try writer.put([1, 2, 3], at: 0)
    let found = try listed(subject.opened())
    #expect(Set(found.map(\.identifier)) == Set(names + [writing]))
    #expect(found.count == 31)
    for listing in found {
      if listing.identifier == writing {
        #expect(listing.size == 3)
        // The clock of a file system may be a tick behind, and time(2) may be behind it.
        #expect((before - 1...Int64(time(nil)) + 1).contains(listing.modified))
      } else {
        #expect(listing.size == names.firstIndex(of: listing.identifier))
        #expect(listing.modified == Int64(DirectoryStorage.completeTime))
        #expect(try storage.open(listing.identifier).modified() == listing.modified)
      }
    }
    try writer.finish()
    #expect(
      try listed(storage).first { $0.identifier == writing }?.modified == Int64(DirectoryStorage.completeTime))
  }

  private func listed(
    _ storage: any Storage
  ) throws -> [(identifier: SegmentIdentifier, size: Int, modified: Int64)] {
    var found: [(identifier: SegmentIdentifier, size: Int, modified: Int64)] = []
    try storage.list { identifier, size, modified in found.append((identifier, size, modified)) }
    return found
  }

  @Test(arguments: StorageKind.lasting)
  func aFileThatACrashLeftShortIsGoneOnWith(_ kind: StorageKind) throws {
    let subject = try kind.make()
    try subject.storage.create(name).put([1, 2], at: 0)
    let writer = try subject.opened().openToFill(name)
    #expect(try writer.size() == 2)
    try writer.put([3], at: 2)
    #expect(try subject.storage.content(of: name) == [1, 2, 3])
  }
}
