import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// Names are put in a random order, and nothing else changes.
@Suite struct StorageNameOrderTests {
  private let subject: NameOrderSubject

  init() throws { subject = try NameOrderSubject(.memory(MemoryFolder())) }

  private static func listing(_ folder: String) throws -> [String] {
    try Directory.names(in: folder).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Neither the listing nor a time tells in what order names came. Chance fails this once in ten million times.
  @Test(arguments: NameOrderHost.kinds)
  func theOrderInWhichNamesCameIsGone(kind: String) throws {
    let subject = try NameOrderSubject(NameOrderHost(kind), files: 700)
    let before = try subject.files
    let folders = subject.folders
    let order = { (folder: Int) in (0..<700).map { NameOrderSubject.name(folder, $0).description } }
    let changes = { (folder: Int) in
      // What has one time is in no order.
      order(folder).shuffled().sorted {
        let (one, other) = [$0, $1].map { HostFile.status(subject.folder(folder) + "/" + $0).st_ctim }.pair
        return (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
      }
    }
    for folder in 7...9 {
      let found = NameOrderSubject.agreement(try Self.listing(subject.folder(folder)), order(folder))
      #expect(abs(found) > 26, "\(kind) lists in the order in which names came")
    }
    let storage = try subject.storage()
    #expect(storage.hasNewNames)
    storage.shuffleNames()
    #expect(!storage.hasNewNames)
    try subject.expectSame(before)
    #expect(Set(subject.folders).isDisjoint(with: folders))
    for folder in 7...9 {
      let listing = try Self.listing(subject.folder(folder))
      #expect(abs(NameOrderSubject.agreement(listing, order(folder))) < 5.6)
      #expect(abs(NameOrderSubject.agreement(changes(folder), order(folder))) < 5.6)
      // Nor does the order of the listing tell what the change times tell, or the other way round.
      #expect(abs(NameOrderSubject.agreement(changes(folder), listing)) < 5.6)
    }
    let numbers = (0..<256).map { Hexadecimal.text(of: [UInt8($0)]) }
    // XFS leaves folders in their places.
    let listed = try Self.listing(subject.path + "/segments")
    #expect(listed == numbers || abs(NameOrderSubject.agreement(listed, numbers)) < 5.6)
    let again = subject.folders
    storage.shuffleNames()
    #expect(Set(subject.folders).isDisjoint(with: again))
    try subject.expectSame(before)
  }

  /// At many points, and again on the way from there. Whoever begins to write alone removes what is left.
  @Test func aKillLeavesEveryFileUnderItsName() throws {
    let before = try subject.files
    var steps = 0
    try subject.shuffle(mayChange: { _ in
      steps += 1
      return true
    })
    #expect(steps > 1400)
    var generator = SeededGenerator(seed: 3)
    var hasLeft = 0
    for point in stride(from: 0, to: steps, by: 41) {
      #expect(throws: Errno.self) { try subject.shuffle(mayChange: { $0 < point }) }
      #expect(try subject.files == before, "killed at \(point)")
      let next = Int.random(in: 0..<steps, using: &generator)
      _ = try? subject.shuffle(mayChange: { $0 < next })
      #expect(try subject.files == before, "killed at \(point), then at \(next)")
      let storage = try subject.storage()
      storage.prepareForWriting()
      if storage.hasInterruptedRefresh { hasLeft += 1 }
      storage.removeInterruptedRefresh()
      try subject.expectSame(before, "after \(point) and \(next)")
    }
    #expect(hasLeft > 20)
  }

  /// What a kill left is removed by a refresh as well.
  @Test func aRefreshGoesOnFromIt() throws {
    let before = try subject.files
    #expect(throws: Errno.self) { try subject.shuffle(mayChange: { $0 < 900 }) }
    #expect(HostFile.names(in: subject.path + "/refreshing").count > 200)
    try DirectoryRefresh(subject.storage(), segmentSize: 112).run()
    #expect(try subject.files.contents == before.contents)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// A file that is renamed in the place of another one keeps a link under its old name in what a kill left. It does
  /// not come back, and overwriting the old name does not hurt it.
  @Test func whatIsRenamedAfterAKillHasOneName() throws {
    let (old, new) = (NameOrderSubject.name(7, 1), NameOrderSubject.name(200, 55))
    try subject.killAfterExchange()
    try systemCall {
      unsafe rename(subject.path + "/segments/" + old.path, subject.path + "/segments/" + new.path)
    }
    let before = try subject.files
    let storage = try subject.storage()
    try storage.wipe(old)
    #expect(try subject.files == before)
    try subject.killAfterExchange()
    let other = NameOrderSubject.name(201, 56)
    try systemCall {
      unsafe rename(subject.path + "/segments/" + new.path, subject.path + "/segments/" + other.path)
    }
    let after = try subject.files
    #expect(HostFile.names(in: subject.path + "/refreshing/c8").contains(new.description))
    storage.removeInterruptedRefresh()
    storage.prepareForWriting()
    try subject.expectSame(after)
    #expect(HostFile.segments(of: subject.path).allSatisfy { HostFile.status($0).st_nlink == 1 })
  }

  /// What no lock keeps out, such as a program that synchronises folders.
  @Test func whatComesMeanwhileStays() throws {
    var come: [String: [UInt8]] = [:]
    try subject.shuffle(mayChange: { step in
      if step % 60 == 7 {
        let name = NameOrderSubject.name(step % 256, step)
        let replaced = NameOrderSubject.name((step + 1) % 256 & ~7, 0)
        for path in [name.path, replaced.path] {
          let content = randomBytes(112, seed: UInt64(step))
          let file = self.subject.path + "/segments/" + path
          try? HostFile.write(content, to: file + ".part")
          unsafe rename(file + ".part", file)
          come[file] = content
        }
      }
      return true
    })
    #expect(come.count > 40)
    for (file, content) in come { #expect((try? HostFile.read(file)) == content) }
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// A file comes while the names are linked, and another one under the same name right before the first is moved.
  @Test func theLastOneThatComesStays() throws {
    let subject = try NameOrderSubject(.memory(MemoryFolder()), files: 3)
    let name = NameOrderSubject.name(8, 1)
    let (file, moved) = (subject.path + "/segments/" + name.path, subject.path + "/refreshing/" + name.path)
    let folder = String(moved.dropLast(name.description.count + 1))
    var contents: [[UInt8]] = []
    let come = {
      contents.append(randomBytes(112, seed: UInt64(contents.count)))
      try? HostFile.write(contents[contents.count - 1], to: file + ".part")
      unsafe rename(file + ".part", file)
    }
    try subject.shuffle(mayChange: { _ in
      switch contents.count {
      case 0: if (try? HostFile.read(moved)) != nil { come() }
      case 1: if HostFile.names(in: folder) == [name.description], (try? HostFile.read(moved)) == contents[0] { come() }
      default: break
      }
      return true
    })
    #expect(contents.count == 2)
    #expect(try HostFile.read(file) == contents.last)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  @Test func whatIsNotTheVaultsMovesAlong() throws {
    try HostFile.write([1, 2], to: subject.folder(7) + "/notes.txt")
    _ = unsafe mkdir(subject.folder(7) + "/album", 0o700)
    try HostFile.write([4], to: subject.folder(7) + "/album/photo")
    _ = unsafe symlink("/etc/passwd", subject.folder(8) + "/link")
    let paths = [subject.folder(7) + "/notes.txt", subject.folder(7) + "/album/photo", subject.folder(8) + "/link"]
    let inodes = paths.map { HostFile.status($0).st_ino }
    try subject.shuffle()
    #expect(paths.map { HostFile.status($0).st_ino } == inodes)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  @Test func foldersKeepWhatTheirOwnerGaveThem() throws {
    unsafe chmod(subject.folder(7), 0o750)
    let python = { (script: String) in
      try Outcome("/usr/bin/python3", arguments: ["-c", "import os, sys; " + script, subject.folder(9)])
    }
    #expect(try python("os.setxattr(sys.argv[1], 'user.note', b'something')").status == 0)
    try subject.shuffle()
    #expect(HostFile.status(subject.folder(7)).st_mode & 0o7777 == 0o750)
    #expect(try python("print(os.getxattr(sys.argv[1], 'user.note'))").output == "b'something'\n")
  }

  /// Only if names came: by this storage, or before it began to write.
  @Test func itIsNotDoneForNothing() throws {
    let storage = try subject.storage()
    storage.shuffleNames()
    #expect(try !subject.storage().hasNewNames)
    storage.prepareForWriting()
    #expect(!storage.hasNewNames)
    let other = try subject.storage()
    usleep(20_000)
    try other.put(NameOrderSubject.name(3, 3), [1])
    #expect(other.hasNewNames)
    // Whoever begins to write meanwhile, or after a crash, knows it even when all times are set again.
    let next = try subject.storage()
    next.prepareForWriting()
    #expect(next.hasNewNames)
    next.shuffleNames()
    #expect(try !subject.storage().hasNewNames)
  }

  /// A host that lists by a hash needs nothing.
  @Test(.enabled(if: LoopImage.canBe("ext4"), "needs root, loop devices and ext4"))
  func onExt4NothingIsDone() throws {
    let subject = try NameOrderSubject(.disk(LoopImage("ext4")))
    #expect(try !subject.storage().hasNewNames)
  }
}

extension [timespec] {
  fileprivate var pair: (timespec, timespec) { (self[0], self[1]) }
}
