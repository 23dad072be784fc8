import FaultyStorage
import Glibc
import Storage
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

/// Where names cannot be put in another order, or somebody reads them, nothing is changed or lost.
@Suite struct NameOrderRefusalTests {
  private let subject: NameOrderSubject
  private let before: NameOrderSubject.Files
  private let folders: [ino_t]

  init() throws {
    subject = try NameOrderSubject(.memory(MemoryFolder()))
    before = try subject.files
    folders = subject.folders
  }

  private func expectUnchanged(_ comment: Comment? = nil) throws {
    try subject.expectSame(before, comment)
    #expect(subject.folders == folders, comment)
  }

  /// A file with another file mounted on it cannot be linked, as no file can where there are no links.
  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"))
  func withoutLinksNothingIsChanged() throws {
    let file = subject.folder(7) + "/" + NameOrderSubject.name(7, 0).description
    try HostFile.write([1], to: subject.path + "/../other")
    try systemCall { unsafe mount(subject.path + "/../other", file, "", CUnsignedLong(MS_BIND), nil) }
    let refused = Result { try subject.shuffle() }
    unsafe umount2(file, CInt(MNT_DETACH))
    #expect(throws: Errno.improperLink) { try refused.get() }
    try expectUnchanged()
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"))
  func aFolderOnAnotherFileSystemIsRefused() throws {
    try systemCall { unsafe mount("tmpfs", subject.folder(0xc4), "tmpfs", 0, "") }
    let refused = Result { try subject.shuffle() }
    unsafe umount2(subject.folder(0xc4), CInt(MNT_DETACH))
    #expect(throws: Errno.self) { try refused.get() }
    try expectUnchanged()
  }

  /// A failure of any step before the first exchange.
  @Test func aFailureBeforeTheExchangeChangesNothing() throws {
    for point in [0, 1, 3, 200, 700] {
      // Only this one step fails, and what undoes the others goes on.
      #expect(throws: Errno.self) { try subject.shuffle(mayChange: { $0 != point }) }
      try expectUnchanged("at \(point)")
    }
  }

  @Test func whileSomebodyReadsAFolderNothingIsDone() throws {
    do {
      let reader = try Descriptor.open(subject.folder(0x5a), O_RDONLY | O_DIRECTORY)
      #expect(try !subject.shuffle())
      try expectUnchanged("open")
      withExtendedLifetime(reader) {}
    }
    #expect(try subject.shuffle())
    #expect(Set(subject.folders).isDisjoint(with: folders))
  }

  @Test(arguments: [
    (script: "cd $1", isReader: true), ("exec 8< $1", true), ("exec 8< $2", true), ("cd $2", false), ("cd $3", false),
    ("exec 8< $3", false),
  ])
  func whoWorksInAFolderIsAReader(script: String, isReader: Bool) throws {
    let places = [subject.folder(0xa5), subject.path + "/segments", subject.path]
    let reader = try ChildProcess(
      "/bin/sh", arguments: ["sh", "-ec", script + "\n: > $4; exec sleep 100", "sh"] + places + [subject.path + ".in"],
      descriptors: [nil, nil, nil])
    defer {
      reader.kill()
      reader.wait()
    }
    try waitUntil("the reader is there") { HostFile.status(subject.path + ".in").st_ino != 0 }
    #expect(try subject.shuffle() != isReader)
    if isReader { try expectUnchanged() }
  }

  /// One that came after the first look reads on in the old folder. What is left goes at the next opening.
  @Test func anOldFolderIsNotEmptiedUnderItsReader() throws {
    var reader: Descriptor?
    #expect(
      try subject.shuffle(mayChange: { step in
        if step == 100 { reader = try? Descriptor.open(subject.folder(7), O_RDONLY | O_DIRECTORY) }
        return true
      }))
    #expect(Set(subject.folders).isDisjoint(with: folders))
    #expect(try subject.files == before)
    #expect(subject.conspicuous.isEmpty)
    #expect(HostFile.status(subject.path + "/refreshing/07").st_ino == folders[7])
    let storage = try subject.storage()
    storage.removeInterruptedRefresh()
    #expect(storage.hasInterruptedRefresh)
    #expect(try !subject.shuffle())
    let listed = try reader.map { try Directory.names(in: ".", of: $0) }
    #expect(listed?.count == 3)
    reader = nil
    storage.removeInterruptedRefresh()
    #expect(!storage.hasInterruptedRefresh)
    try subject.expectSame(before)
  }

  @Test func aReaderThatGoesSoonIsWaitedFor() throws {
    let reader = Mutex<Descriptor?>(nil)
    let hasCome = Atomic(false)
    let thread = try TestThread {
      try waitUntil("it reads") { hasCome.load(ordering: .acquiring) }
      usleep(200_000)
      reader.withLock { $0 = nil }
    }
    let path = subject.folder(7)
    #expect(
      try subject.shuffle(
        patience: 60_000_000_000,
        mayChange: { step in
          if step == 100 {
            reader.withLock { $0 = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY) }
          }
          // After the last exchange.
          if HostFile.names(in: subject.path + "/refreshing").count == 256, step > 1000 {
            hasCome.store(true, ordering: .releasing)
          }
          return true
        }))
    try thread.join()
    try subject.expectSame(before)
  }
}
