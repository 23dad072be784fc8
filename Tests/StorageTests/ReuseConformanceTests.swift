import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

/// Files that are written in the place of others.
@Suite struct ReuseConformanceTests {
  let old = SegmentIdentifier.numbered(1)
  let new = SegmentIdentifier.numbered(2)

  @Test(arguments: StorageKind.lasting)
  func aFileIsOverwrittenUnderItsNewName(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let (before, after) = (randomBytes(100_000), randomBytes(100_000, seed: 2))
    try subject.storage.put(old, before)
    let birth = try subject.storage.open(old).birth()
    let inode = subject.inode(of: old)
    let writer = try subject.storage.reuse(old, as: new, size: 100_000)
    #expect(try !subject.opened().exists(old) && subject.opened().exists(new))
    #expect(try writer.size() < before.count)
    try writer.hold(upTo: before.count)
    try writer.put(Array(after[..<60_000]), at: 0)
    try writer.flush()
    #expect(try subject.opened().open(new).bytes(at: 0, count: 60_000) == Array(after[..<60_000]))
    #expect(try writer.size() < before.count)
    try writer.put(Array(after[60_000...]), at: 60_000)
    try writer.finish()
    try writer.flush()
    try subject.storage.flushNames(of: [old, new])
    #expect(try subject.opened().content(of: new) == after)
    #expect(try subject.opened().open(new).birth() == birth)
    #expect(subject.inode(of: new) == inode)
  }

  @Test(arguments: StorageKind.lasting)
  func aFileMayKeepItsNameForAWhile(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let content = randomBytes(50_000, seed: 3)
    try subject.storage.put(old, randomBytes(50_000))
    let writer = try subject.storage.reuse(old, as: nil, size: 50_000)
    try writer.put(content, at: 0)
    try writer.flush()
    #expect(try subject.opened().content(of: old) == content)
    try writer.rename(to: new)
    try writer.flush()
    #expect(try subject.opened().content(of: new) == content && !subject.opened().exists(old))
    try writer.put([1, 2], at: 50_000)
    try writer.flush()
    #expect(try subject.opened().content(of: new) == content + [1, 2])
  }

  @Test(arguments: StorageKind.lasting)
  func noNameIsTakenTwice(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let (first, second) = (randomBytes(5000), randomBytes(5000, seed: 2))
    #expect(throws: Errno.noSuchFileOrDirectory) { try subject.storage.reuse(old, as: new, size: 100_000) }
    try subject.storage.put(old, first)
    try subject.storage.put(new, second)
    #expect(throws: Errno.fileExists) { try subject.storage.reuse(old, as: new, size: 100_000) }
    #expect(try subject.opened().content(of: old) == first && subject.opened().content(of: new) == second)
    let writer = try subject.storage.reuse(old, as: nil, size: 100_000)
    #expect(throws: Errno.fileExists) { try writer.rename(to: new) }
    #expect(try subject.opened().content(of: new) == second)
  }

  /// Another program that changes the size, or puts another file there, is noticed as in a new file.
  @Test(arguments: StorageKind.lasting)
  func othersAreNoticed(_ kind: StorageKind) throws {
    for replaces in [false, true] {
      let subject = try kind.make()
      try subject.storage.put(old, randomBytes(5000))
      let writer = try subject.storage.reuse(old, as: new, size: 100_000)
      try writer.put(randomBytes(100), at: 0)
      if replaces {
        try subject.replace(new, by: randomBytes(4999, seed: 7))
        #expect(throws: Errno.changedByOthers) { try writer.flush() }
      } else {
        try subject.overwrite(new, with: randomBytes(300, seed: 7))
        #expect(throws: Errno.changedByOthers) { try writer.put([1], at: 100) }
      }
    }
  }

  /// A file that is too long gets its right size.
  @Test(arguments: StorageKind.lasting)
  func whatIsTooLongIsCut(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let content = randomBytes(3000, seed: 5)
    try subject.storage.put(old, randomBytes(5000))
    let writer = try subject.storage.reuse(old, as: new, size: 3000)
    #expect(try writer.size() < 3000)
    try writer.put(content, at: 0)
    try writer.finish()
    try writer.flush()
    #expect(try subject.opened().content(of: new) == content)
  }

  /// As `cp -al` and rsync with `--link-dest` make them.
  @Test func aFileWithAnotherNameIsLeftAlone() throws {
    let folder = try TemporaryFolder()
    let storage = try DirectoryStorage.make(at: folder.path("vault"))
    let content = randomBytes(5000)
    try storage.put(old, content)
    let path = folder.path("vault/segments/" + old.path)
    #expect(unsafe link(path, folder.path("other")) == 0)
    #expect(throws: Errno.notSupported) { try storage.reuse(old, as: new, size: 100_000) }
    #expect(throws: Errno.notSupported) { try storage.reuse(old, as: nil, size: 100_000) }
    #expect(try storage.content(of: old) == content)
    #expect(unsafe unlink(folder.path("other")) == 0)
    _ = try storage.reuse(old, as: new, size: 100_000)
  }

  /// What a killed refresh left of a file that is displaced must not come back.
  @Test func nothingIsLeftOfItInARefresh() throws {
    let folder = try TemporaryFolder()
    let storage = try DirectoryStorage.make(at: folder.path("vault"))
    try storage.put(old, randomBytes(5000))
    let left = folder.path("vault/refreshing/" + old.path.prefix(2))
    #expect(unsafe mkdir(folder.path("vault/refreshing"), 0o700) == 0 && mkdir(left, 0o700) == 0)
    try HostFile.write([1, 2, 3], to: folder.path("vault/refreshing/" + old.path))
    _ = try storage.reuse(old, as: new, size: 5000)
    #expect(HostFile.names(in: left) == [])
  }

  @Test func aFolderThatIsMissingIsMade() throws {
    let folder = try TemporaryFolder()
    let storage = try DirectoryStorage.make(at: folder.path("vault"))
    try storage.put(old, randomBytes(5000))
    let other = SegmentIdentifier(bytes: [UInt8](repeating: 0xEE, count: SegmentIdentifier.size))
    #expect(unsafe rmdir(folder.path("vault/segments/ee")) == 0)
    try storage.reuse(old, as: other, size: 100_000).flush()
    #expect(try storage.exists(other))
    for name in ["segments/ee", "segments", "segments/" + old.path.prefix(2)] {
      #expect(HostFile.status(folder.path("vault/" + name)).st_mtim.tv_sec == DirectoryStorage.completeTime)
    }
  }
}
