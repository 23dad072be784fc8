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
    let content = randomBytes(300_000)
    try storage.put(other, content)
    #expect(throws: Errno.fileExists) { try storage.create(other) }
    #expect(throws: Errno.fileExists) { try storage.put(other, [3]) }
    #expect(try subject.opened().content(of: other) == content)
    // Nothing else is left.
    let found = try storage.listed().map(\.identifier)
    #expect(found.count == 2 && Set(found) == [name, other])
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

  @Test(arguments: StorageKind.lasting)
  func theListHasEveryFileOnce(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let storage = subject.storage
    #expect(try storage.listed().isEmpty)
    let before = Int64(time(nil))
    let names = (1...30).map(SegmentIdentifier.numbered)
    for (number, name) in names.enumerated() { try storage.put(name, randomBytes(number)) }
    let writing = SegmentIdentifier.numbered(99)
    let writer = try storage.create(writing)
    try writer.put([1, 2, 3], at: 0)
    let found = try subject.opened().listed()
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
    let finished = try storage.listed().first { $0.identifier == writing }
    #expect(finished?.modified == Int64(DirectoryStorage.completeTime))
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
