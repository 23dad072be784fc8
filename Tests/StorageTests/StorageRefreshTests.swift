import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// A refresh writes everything anew and changes nothing.
@Suite struct StorageRefreshTests {
  private let subject: RefreshSubject

  init() throws { subject = try RefreshSubject() }

  @Test func everythingIsNewAndTheSame() throws {
    let segments = subject.path + "/segments"
    for (path, mode) in [("agonyfs.json", 0o640), ("segments/07", 0o750), ("segments/07/" + subject.name(7), 0o440)] {
      unsafe chmod(subject.path + "/" + path, mode_t(mode))
    }
    let missing = (0..<256).map { RefreshSubject.hexadecimal($0) }.filter {
      HostFile.names(in: segments + "/" + $0).isEmpty
    }
    for folder in missing { unsafe rmdir(segments + "/" + folder) }
    let before = subject.look()
    try subject.refresh()
    let after = subject.look()
    #expect(after.contents == before.contents)
    // What was changed for a part says which files came later; now all have what later ones get.
    for (name, mode) in after.modes where name != "" {
      #expect(mode & 0o7777 == (after.contents[name] == nil ? 0o700 : 0o640), "\(name)")
    }
    #expect(Set(after.modes.keys).subtracting(before.modes.keys) == Set(missing.map { "segments/" + $0 }))
    // Not even a number of a deleted file comes back, since the new file is there before the old one goes.
    for (path, inode) in after.inodes where path != "" { #expect(inode != before.inodes[path], "\(path)") }
    #expect(subject.conspicuous.isEmpty)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// They show otherwise when the vault was synced. A link is not followed, and stays.
  @Test func tokensAreWrittenAgain() throws {
    let path = subject.path + "/" + StorageNames.synced
    try HostFile.write([1, 2, 3], to: path)
    let before = HostFile.status(path)
    try subject.refresh()
    let after = HostFile.status(path)
    #expect(try HostFile.read(path) == [1, 2, 3])
    #expect(after.st_ino != before.st_ino && Int(after.st_mtim.tv_sec) == DirectoryStorage.completeTime)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments", StorageNames.synced])
    HostFile.remove(path)
    try HostFile.write([4], to: subject.path + "/letter")
    unsafe symlink("letter", path)
    try subject.refresh()
    #expect(HostFile.status(path).st_mode & S_IFMT == S_IFLNK)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "letter", "segments", StorageNames.synced])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, to give files away"))
  func whatBelongedToOthersBelongsToTheOwner() throws {
    let others = ["agonyfs.json", "segments/07", "segments/07/" + subject.name(7)]
    for name in others { unsafe chown(subject.path + "/" + name, 65534, 65534) }
    let owner = HostFile.status(subject.path + "/segments")
    let before = subject.look()
    try subject.refresh()
    let after = subject.look()
    #expect(after.contents == before.contents)
    for name in after.modes.keys where name != "" {
      let status = HostFile.status(subject.path + "/" + name)
      #expect(status.st_uid == owner.st_uid && status.st_gid == owner.st_gid, "\(name)")
    }
  }

  /// Somebody else may have moved a file there, to read the copy.
  @Test(arguments: ["", "/segments"]) func whereOthersMayWriteNoCopyIsMoreReadable(place: String) throws {
    unsafe chmod(subject.path + "/agonyfs.json", 0o640)
    unsafe chmod(subject.path + place, 0o770)
    let before = subject.look()
    #expect(throws: RefreshError.moreReadable) { try subject.refresh() }
    #expect(subject.look().inodes == before.inodes)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    for file in HostFile.segments(of: subject.path) { unsafe chmod(file, 0o640) }
    try subject.refresh()
    #expect(subject.look().contents == before.contents)
  }

  @Test func whatIsNotTheVaultsMovesAlong() throws {
    let folder = subject.path + "/segments/07/"
    try HostFile.write([1, 2], to: folder + "notes.txt")
    try HostFile.write([3], to: folder + "00" + String(repeating: "a", count: 30))
    _ = unsafe symlink("/etc/passwd", folder + subject.name(7, 1))
    _ = unsafe mkdir(folder + "album", 0o700)
    try HostFile.write([4], to: folder + "album/photo")
    let above = subject.path + "/segments/"
    try HostFile.write([5], to: above + "notes.txt")
    try HostFile.write([6], to: above + "remaining")
    let others = [
      "../notes.txt", "../remaining", "notes.txt", "00" + String(repeating: "a", count: 30), subject.name(7, 1),
      "album", "album/photo",
    ]
    let inodes = others.map { HostFile.status(folder + $0).st_ino }
    let before = subject.look()
    try subject.refresh()
    #expect(others.map { HostFile.status(folder + $0).st_ino } == inodes)
    #expect(subject.look().contents == before.contents)
    #expect(HostFile.status(folder).st_mtim.tv_sec == DirectoryStorage.completeTime)
  }

  /// What no lock keeps out, such as a program that synchronises folders.
  @Test func whatComesMeanwhileStays() throws {
    var come: [String] = []
    try subject.refresh(mayChange: { step in
      if step % 50 == 7 {
        let folder = step % 256
        let name = "\(subject.path)/segments/\(RefreshSubject.hexadecimal(folder))/\(subject.name(folder, step))"
        try? HostFile.write([9], to: name)
        come.append(name)
      }
      return true
    })
    #expect(come.count > 20)
    for name in come { #expect((try? HostFile.read(name)) == [9]) }
  }

  /// It may be one that a copy was cut off in, and then a refresh would hide that. Nothing is changed.
  @Test func shortFilesAreRefused() throws {
    for number in 1...2 {
      try HostFile.write([1, 2, 3], to: subject.path + "/segments/07/" + subject.name(7, number))
    }
    let before = subject.look()
    #expect(throws: RefreshError.shortFiles(2)) { try subject.refresh() }
    let after = subject.look()
    #expect(after.contents == before.contents && after.inodes == before.inodes)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// Killed right after the trees were exchanged, with a file in the old one that came while it was copied. The next
  /// refresh, or whoever writes first, brings it back.
  @Test(arguments: [false, true]) func whatCameBeforeAKillComesBack(byRefresh: Bool) throws {
    let before = subject.look()
    let come = subject.name(7, 77)
    let content = randomBytes(RefreshSubject.size, seed: 97)
    try subject.killAfterExchange(of: 7) { try? HostFile.write(content, to: $0 + "/" + come) }
    let inode = HostFile.status(subject.path + "/refreshing/07/" + come).st_ino
    #expect(HostFile.names(in: subject.path + "/refreshing/07").contains(come))
    if byRefresh {
      try subject.refresh()
      #expect(HostFile.status(subject.path + "/segments/07/" + come).st_ino != inode)
    } else {
      let storage = try DirectoryStorage(path: FilePath(subject.path))
      #expect(storage.hasInterruptedRefresh)
      storage.removeInterruptedRefresh()
      #expect(!storage.hasInterruptedRefresh)
    }
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    var contents = subject.look().contents
    #expect(contents.removeValue(forKey: "segments/07/" + come) == content)
    #expect(contents == before.contents)
  }

  /// What is longer in the old folder than under its name is the whole one.
  @Test func theLongerOneOfTwoStays() throws {
    let before = subject.look()
    try subject.killAfterExchange(of: 7)
    let place = subject.path + "/segments/07/" + subject.name(7)
    unsafe unlink(place)
    try HostFile.write([1], to: place)
    try DirectoryStorage(path: FilePath(subject.path)).removeInterruptedRefresh()
    #expect(subject.look().contents == before.contents)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// Killed right after the trees were exchanged, or when a copy has taken the place of a file and the old file is still
  /// there: what is wiped or deleted does not stay in the old folder, nor come back from it.
  @Test(arguments: [false, true]) func whatIsDeletedAfterAKillDoesNotComeBack(ofFileAlone: Bool) throws {
    let name = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    let (place, old) = (subject.path + "/segments/" + name.path, subject.path + "/refreshing/" + name.path)
    let inode = HostFile.status(place).st_ino
    if ofFileAlone {
      let mayChange = { (_: Int) in HostFile.status(old).st_ino != inode }
      #expect(throws: RefreshError.self) { try subject.refresh(mayChange: mayChange) }
    } else {
      try subject.killAfterExchange(of: 7)
    }
    let content = try HostFile.read(old)
    #expect(try HostFile.read(place) == content && HostFile.status(place).st_ino != inode)
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    try storage.wipe(name)
    #expect(try HostFile.read(old) != content && storage.content(of: name) != content)
    try storage.delete(name)
    #expect(!HostFile.names(in: subject.path + "/refreshing/07").contains(subject.name(7)))
    try subject.refresh()
    #expect(try !storage.exists(name))
  }

  /// At each of many points, and again on the way from there.
  @Test func aKillLeavesEveryFileWholeUnderItsName() throws {
    let before = subject.look()
    var steps = 0
    try subject.refresh(mayChange: { _ in
      steps += 1
      return true
    })
    #expect(steps > 1500)
    var generator = SeededGenerator(seed: 5)
    for point in stride(from: 0, to: steps, by: 53) {
      #expect(throws: RefreshError.self) { try subject.refresh(mayChange: { $0 < point }) }
      try subject.expectWhole(before, "killed at \(point)")
      let next = Int.random(in: 0..<max(1, steps - point - 20), using: &generator)
      #expect(throws: RefreshError.self) { try subject.refresh(mayChange: { $0 < next }) }
      try subject.expectWhole(before, "killed at \(point), then at \(next)")
      try subject.refresh()
      try subject.expectWhole(before, "after \(point)")
      #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
      #expect(subject.conspicuous.isEmpty)
    }
  }

  /// One that is asked to end leaves the vault as it was, and nothing beside it; the next one begins again.
  @Test func oneThatIsStoppedLeavesNothing() throws {
    let before = subject.look()
    var count = 0
    #expect(throws: RefreshError.interrupted) {
      try subject.refresh(progress: { _ in
        count += 1
        return count < 100
      })
    }
    let middle = subject.look()
    #expect(middle.contents == before.contents && middle.inodes != before.inodes)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    #expect(HostFile.segments(of: subject.path).allSatisfy { HostFile.status($0).st_nlink == 1 })
    #expect(subject.conspicuous.isEmpty)
    try subject.refresh()
    let after = subject.look()
    #expect(after.contents == before.contents)
    for (path, inode) in after.inodes where path != "" { #expect(inode != middle.inodes[path], "\(path)") }
  }

  /// Another program puts a file in the place of one that was just copied: that one stays.
  @Test func whatIsReplacedMeanwhileStays() throws {
    let place = subject.path + "/segments/07/" + subject.name(7)
    let copy = subject.path + "/refreshing/07/" + subject.name(7)
    let other = subject.folder.path("other")
    let content = randomBytes(RefreshSubject.size, seed: 99)
    var isReplaced = false
    #expect(throws: RefreshError.changedByOthers) {
      try subject.refresh(mayChange: { _ in
        if !isReplaced, HostFile.status(copy).st_size == RefreshSubject.size {
          try? HostFile.write(content, to: other)
          isReplaced = unsafe rename(other, place) == 0
        }
        return true
      })
    }
    #expect(isReplaced)
    #expect(try HostFile.read(place) == content)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    try subject.refresh()
    #expect(try HostFile.read(place) == content)
  }

  /// Another program puts a directory in the place of the new tree before that becomes `segments`.
  @Test func aDirectoryThatComesBeforeTheExchangeDoesNotBecomeTheVault() throws {
    let before = subject.look()
    let (refreshing, away) = (subject.path + "/refreshing", subject.folder.path("away"))
    var (isMarked, isReplaced) = (false, false)
    #expect(throws: RefreshError.changedByOthers) {
      try subject.refresh(mayChange: { _ in
        let hasMark = HostFile.names(in: refreshing).contains(".agonyfs-new")
        if isMarked, !hasMark, !isReplaced, unsafe rename(refreshing, away) == 0 {
          isReplaced = unsafe mkdir(refreshing, 0o700) == 0
          try? HostFile.write([1], to: refreshing + "/other")
        }
        isMarked = hasMark
        return true
      })
    }
    #expect(isReplaced)
    try subject.expectWhole(before, "with another directory")
    #expect(HostFile.names(in: refreshing) == ["other"])
    #expect(HostFile.names(in: away).isEmpty)
  }

  /// What another program does with files that were renewed already, before the trees are exchanged and after: what it
  /// puts there stays, what it deletes stays deleted.
  @Test(arguments: [false, true]) func whatOthersDoWithRenewedFilesCounts(afterExchange: Bool) throws {
    let segments = subject.path + "/segments"
    let (replaced, deleted, renamed) = (subject.name(7), subject.name(5, 1000), subject.name(6, 1000))
    let other = subject.name(6, 78)
    let content = randomBytes(RefreshSubject.size, seed: 98)
    let moved = try HostFile.read(segments + "/06/" + renamed)
    let inode = HostFile.status(segments).st_ino
    let stranger = segments + "/07/notes"
    try HostFile.write([1], to: stranger)
    try HostFile.write([2], to: stranger + ".old1")
    let start = subject.look().inodes
    var isDone = false
    try subject.refresh(mayChange: { _ in
      let isRenewed = [replaced, deleted, renamed].allSatisfy {
        let path = "segments/" + $0.prefix(2) + "/" + $0
        return HostFile.status(subject.path + "/" + path).st_ino != start[path]
          && (afterExchange || HostFile.status(subject.path + "/refreshing/" + path.dropFirst(9)).st_nlink == 2)
      }
      if !isDone, isRenewed, (HostFile.status(segments).st_ino != inode) == afterExchange {
        isDone = true
        try? HostFile.write(content, to: segments + "/07/new")
        _ = unsafe rename(segments + "/07/new", segments + "/07/" + replaced)
        _ = unsafe unlink(segments + "/05/" + deleted)
        _ = unsafe rename(segments + "/06/" + renamed, segments + "/06/" + other)
        if afterExchange { try? HostFile.write([3], to: stranger) }
      }
      return true
    })
    #expect(isDone)
    #expect(try HostFile.read(segments + "/07/" + replaced) == content)
    #expect(!HostFile.names(in: segments + "/05").contains(deleted))
    #expect(try HostFile.read(segments + "/06/" + other) == moved)
    #expect(!HostFile.names(in: segments + "/06").contains(renamed))
    let notes = try HostFile.names(in: segments + "/07").filter { $0.hasPrefix("notes") }.map {
      try HostFile.read(segments + "/07/" + $0)
    }
    let expected: Set<[UInt8]> = afterExchange ? [[1], [2], [3]] : [[1], [2]]
    #expect(Set(notes) == expected)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// A file that is deleted after a kill before the exchange does not come back from the new tree.
  @Test func whatIsDeletedByOthersAfterAKillStaysDeleted() throws {
    let name = subject.name(7)
    let (place, link) = (subject.path + "/segments/07/" + name, subject.path + "/refreshing/07/" + name)
    #expect(throws: RefreshError.self) { try subject.refresh(mayChange: { _ in HostFile.status(link).st_nlink != 2 }) }
    #expect(HostFile.status(place).st_ino == HostFile.status(link).st_ino)
    unsafe unlink(place)
    try DirectoryStorage(path: FilePath(subject.path)).removeInterruptedRefresh()
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    #expect(!HostFile.names(in: subject.path + "/segments/07").contains(name))
  }

  /// Who opened the vault before a refresh sees the new tree after it, also before there is a lease.
  @Test func whoOpenedTheVaultBeforeSeesTheNewTree() throws {
    let early = try DirectoryStorage(path: FilePath(subject.path))
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    try subject.refresh()
    let slot = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    #expect(try early.exists(slot))
    #expect(try early.content(of: slot).count == RefreshSubject.size)
    let absent = try #require(SegmentIdentifier(name: subject.name(7, 4711).utf8))
    #expect(try !early.exists(absent))
    let lease = try storage.lease(.vault, exclusive: false)
    let name = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    #expect(try storage.content(of: name).count == RefreshSubject.size)
    let other = try #require(SegmentIdentifier(name: subject.name(9, 5).utf8))
    try storage.put(other, [1, 2, 3])
    #expect(HostFile.names(in: subject.path + "/segments/09").contains(subject.name(9, 5)))
    withExtendedLifetime(lease) {}
  }

  /// Whoever owns the vault may put a link there; nothing is moved or deleted through it.
  @Test func aLinkInItsPlaceIsNotFollowed() throws {
    let other = subject.folder.path("other")
    unsafe mkdir(other, 0o700)
    for name in ["agonyfs.json", "photo"] { try HostFile.write([1], to: other + "/" + name) }
    _ = unsafe symlink(other, subject.path + "/refreshing")
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    storage.removeInterruptedRefresh()
    #expect(throws: RefreshError.self) { try subject.refresh() }
    #expect(HostFile.names(in: other) == ["agonyfs.json", "photo"])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, for a small file system"))
  func roomIsCheckedFirst() throws {
    let before = subject.look()
    let filler = subject.folder.path("filler")
    try subject.fill(filler, leaving: 3 << 20)
    let error = try #require(throws: RefreshError.self, performing: { try subject.refresh() })
    guard case .noRoom(let needed, let found) = error else { throw error }
    #expect(needed > 4 << 20 && found <= 3 << 20)
    #expect(
      subject.look().inodes.filter { $0.key.hasPrefix("segments/") }
        == before.inodes.filter { $0.key.hasPrefix("segments/") })
    unsafe unlink(filler)
    try subject.refresh()
    try subject.expectWhole(before, "with room")
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"))
  func aFolderOnAnotherFileSystemIsRefusedBeforeAnythingIsWritten() throws {
    let place = subject.path + "/segments/c4"
    try systemCall { unsafe mount("tmpfs", place, "tmpfs", 0, "") }
    defer { unsafe umount2(place, CInt(MNT_DETACH)) }
    let before = subject.look()
    #expect(throws: RefreshError.unsuitableHost) { try subject.refresh() }
    #expect(subject.look().inodes == before.inodes)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }
}
