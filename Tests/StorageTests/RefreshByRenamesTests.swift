import FaultyStorage
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// A refresh where the host neither exchanges names nor has a rename that replaces nothing, such as sshfs.
@Suite struct RefreshByRenamesTests {
  private let subject: RefreshSubject
  private var segments: String { subject.path + "/segments" }

  init() throws {
    subject = try RefreshSubject()
    subject.prepare = Self.makePlain
  }

  private static func makePlain(_ storage: DirectoryStorage) {
    for lack in [HostAbility.exchange, .renameWithoutReplacing] { storage.abilities.note(lack, false) }
  }

  /// The vault, as another process opens it.
  private func opened() throws -> DirectoryStorage {
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    Self.makePlain(storage)
    return storage
  }

  /// After which of the renames that exchange the trees a refresh is killed.
  enum Kill: CaseIterable { case first, second, third }

  /// The last rename of the trees that a refresh has made; nil before the first one.
  private func lastRename(_ inode: ino_t) -> Kill? {
    let names = HostFile.names(in: subject.path)
    if !names.contains("segments") { return .first }
    if HostFile.names(in: segments).contains(".agonyfs-old") { return .second }
    return HostFile.status(segments).st_ino != inode && names.contains("refreshing") ? .third : nil
  }

  /// Ends a refresh, as a kill does, after one of the renames.
  private func kill(after rename: Kill) throws {
    let inode = HostFile.status(segments).st_ino
    var isReached = false
    var steps = 0
    #expect(throws: RefreshError.self) {
      try subject.refresh(mayChange: { step in
        steps = step
        // What an earlier refresh left is repaired first.
        if step > 1000, lastRename(inode) == rename { isReached = true }
        return !isReached
      })
    }
    #expect(isReached && steps > 1000)
  }

  private func expectContents(
    _ before: RefreshSubject.Look, in storage: DirectoryStorage, _ comment: Comment = ""
  ) throws {
    var found = ["agonyfs.json": try storage.readParameters(limit: 10)]
    for name in try storage.listed().map(\.identifier) {
      found["segments/" + name.path] = try storage.content(of: name)
    }
    #expect(found == before.contents, comment)
  }

  private func expectNothingLeft() {
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    #expect(HostFile.names(in: segments).count == 256)
    #expect(HostFile.segments(of: subject.path).allSatisfy { HostFile.status($0).st_nlink == 1 })
  }

  @Test func everythingIsNewAndTheSame() throws {
    let before = subject.look()
    for _ in 0..<2 {
      let inodes = subject.look().inodes
      try subject.refresh()
      let after = subject.look()
      #expect(after.contents == before.contents && after.modes == before.modes)
      for (path, inode) in after.inodes where path != "" { #expect(inode != inodes[path], "\(path)") }
      #expect(subject.conspicuous.isEmpty)
      expectNothingLeft()
    }
  }

  @Test func whatIsNotTheVaultsMovesAlong() throws {
    let folder = segments + "/07/"
    for name in ["notes.txt", "../notes.txt"] { try HostFile.write([1, 2], to: folder + name) }
    _ = unsafe symlink("/etc/passwd", folder + "link")
    _ = unsafe mkdir(folder + "album", 0o700)
    try HostFile.write([4], to: folder + "album/photo")
    let others = ["notes.txt", "../notes.txt", "link", "album", "album/photo"]
    let inodes = others.map { HostFile.status(folder + $0).st_ino }
    let before = subject.look()
    try subject.refresh()
    #expect(others.map { HostFile.status(folder + $0).st_ino } == inodes)
    #expect(subject.look().contents == before.contents)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
  }

  /// A process that reads finds everything and changes nothing; one that is alone and writes repairs it.
  @Test(arguments: Kill.allCases) func afterAKillEverythingIsFound(_ rename: Kill) throws {
    let before = subject.look()
    let early = try opened()
    try kill(after: rename)
    let names = [subject.path, segments].map(HostFile.names)
    let reader = try opened()
    try expectContents(before, in: reader)
    let lease = try reader.lease(.vault, exclusive: false)
    try expectContents(before, in: reader)
    withExtendedLifetime(lease) {}
    try expectContents(before, in: early)
    try early.followRefresh()
    try expectContents(before, in: early)
    #expect([subject.path, segments].map(HostFile.names) == names)
    #expect(reader.hasInterruptedRefresh)
    reader.removeInterruptedRefresh()
    #expect(!reader.hasInterruptedRefresh)
    try expectContents(before, in: reader)
    try subject.expectWhole(before, "repaired")
    expectNothingLeft()
    try subject.refresh()
    try subject.expectWhole(before, "refreshed")
    expectNothingLeft()
    #expect(subject.conspicuous.isEmpty)
  }

  /// Also one that is killed while it removes what the other one left.
  @Test(arguments: Kill.allCases) func theNextRefreshBeginsAgain(_ rename: Kill) throws {
    let before = subject.look()
    try kill(after: rename)
    for steps in 0..<8 {
      #expect(throws: RefreshError.self) { try subject.refresh(mayChange: { $0 < steps }) }
      try expectContents(before, in: opened(), "killed after \(steps) steps")
    }
    try subject.refresh()
    try subject.expectWhole(before, "refreshed")
    expectNothingLeft()
    #expect(subject.conspicuous.isEmpty)
  }

  /// A file that is made, wiped or deleted before the repair.
  @Test(arguments: Kill.allCases) func whatIsWrittenAfterAKillCounts(_ rename: Kill) throws {
    try kill(after: rename)
    let storage = try opened()
    let wiped = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    let deleted = try #require(SegmentIdentifier(name: subject.name(9, 1000).utf8))
    let new = try #require(SegmentIdentifier(name: subject.name(9, 55).utf8))
    let content = try storage.content(of: wiped)
    try storage.wipe(wiped)
    let random = try storage.content(of: wiped)
    #expect(random != content)
    try storage.delete(deleted)
    try storage.put(new, [1, 2, 3])
    storage.removeInterruptedRefresh()
    expectNothingLeft()
    let later = try opened()
    #expect(try later.content(of: wiped) == random && later.content(of: new) == [1, 2, 3])
    #expect(try !later.exists(deleted))
  }

  @Test func aKillLeavesEveryFileWholeUnderItsName() throws {
    let before = subject.look()
    var steps = 0
    try subject.refresh(mayChange: { _ in
      steps += 1
      return true
    })
    for point in stride(from: 0, to: steps, by: 97) {
      #expect(throws: RefreshError.self) { try subject.refresh(mayChange: { $0 < point }) }
      try expectContents(before, in: opened(), "killed at \(point)")
      if point % 2 == 0 { try opened().removeInterruptedRefresh() }
      try subject.refresh()
      try subject.expectWhole(before, "after \(point)")
      expectNothingLeft()
      #expect(subject.conspicuous.isEmpty)
    }
  }

  /// An error that does not last comes between the first rename and the second one.
  @Test func afterOneErrorNothingIsLeft() throws {
    let before = subject.look()
    let inode = HostFile.status(segments).st_ino
    var hasFailed = false
    #expect(throws: RefreshError.system(.ioError, "exchanging the folders")) {
      try subject.refresh(mayChange: { _ in
        if hasFailed || lastRename(inode) != .first { return true }
        hasFailed = true
        return false
      })
    }
    #expect(hasFailed && HostFile.status(segments).st_ino == inode)
    try expectContents(before, in: opened())
    expectNothingLeft()
  }

  /// The directory that a refresh is about to rename, if this rename comes next.
  private func directory(ofNext rename: Kill, _ inode: ino_t) -> String? {
    let last = lastRename(inode)
    let refreshing = subject.path + "/refreshing"
    switch rename {
    case .first:
      let names = HostFile.names(in: refreshing)
      return last == nil && names.count == 256 && !names.contains(".agonyfs-new") ? segments : nil
    case .second: return last == .first ? refreshing : nil
    case .third: return last == .second ? segments + "/.agonyfs-old" : nil
    }
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"), arguments: Kill.allCases)
  func aHostThatRefusesOneRenameKeepsSegments(_ rename: Kill) throws {
    let before = subject.look()
    let inode = HostFile.status(segments).st_ino
    let refusal = RefusedRenames()
    #expect(throws: RefreshError.system(.resourceBusy, "exchanging the folders")) {
      try subject.refresh(mayChange: { _ in
        if let next = directory(ofNext: rename, inode) { refusal.begin([next]) }
        return true
      })
    }
    #expect(refusal.isBegun)
    #expect(HostFile.names(in: subject.path).contains("segments"))
    #expect((HostFile.status(segments).st_ino == inode) == (rename != .third))
    try expectContents(before, in: opened())
    refusal.end()
    try expectContents(before, in: opened())
    try subject.refresh()
    try subject.expectWhole(before, "refreshed")
    expectNothingLeft()
  }

  /// The host refuses the second rename and the way back, and allows everything some time later.
  @Test(.enabled(if: geteuid() == 0, "needs root, to mount"), arguments: [false, true])
  func aHostThatRefusesTheWayBackKeepsAllFiles(isRefreshed: Bool) throws {
    let before = subject.look()
    let inode = HostFile.status(segments).st_ino
    let refreshing = subject.path + "/refreshing"
    let refusal = RefusedRenames()
    #expect(throws: RefreshError.betweenRenames(.resourceBusy, "exchanging the folders")) {
      try subject.refresh(mayChange: { _ in
        if lastRename(inode) == .first { refusal.begin([refreshing + "/.agonyfs-old", refreshing]) }
        return true
      })
    }
    #expect(refusal.isBegun && HostFile.names(in: subject.path) == ["agonyfs.json", "refreshing"])
    try expectContents(before, in: opened())
    #expect(throws: RefreshError.betweenRenames(.resourceBusy, "preparing the refresh")) { try subject.refresh() }
    try expectContents(before, in: opened())
    refusal.end()
    if isRefreshed { try subject.refresh() } else { try opened().removeInterruptedRefresh() }
    try subject.expectWhole(before, "repaired")
    expectNothingLeft()
  }

  /// Another program puts a file in the place of one that was just copied: that one stays.
  @Test func whatIsReplacedMeanwhileStays() throws {
    let place = segments + "/07/" + subject.name(7)
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
    expectNothingLeft()
    try subject.refresh()
    #expect(try HostFile.read(place) == content)
  }

  /// What the user has to do first is said.
  @Test func shortFilesAreCountedBetweenTheRenamesToo() throws {
    try kill(after: .first)
    try HostFile.write([1], to: subject.path + "/refreshing/07/" + subject.name(7))
    #expect(throws: RefreshError.shortFiles(1)) { try subject.refresh() }
  }

  /// A tree with the name `segments` is not removed, whatever it was before.
  @Test func aTreeThatBecameTheVaultKeepsItsFiles() throws {
    let before = subject.look()
    let (refreshing, moved) = (subject.path + "/refreshing", subject.folder.path("moved"))
    var names: [String] = []
    #expect(throws: RefreshError.self) {
      try subject.refresh(mayChange: { step in
        if step != 400 { return true }
        if unsafe rename(segments, moved) == 0, unsafe rename(refreshing, segments) == 0 {
          names = HostFile.names(in: segments)
        }
        return false
      })
    }
    #expect(names.count > 256 && HostFile.names(in: segments) == names)
    #expect(unsafe rename(segments, refreshing) == 0 && rename(moved, segments) == 0)
    try expectContents(before, in: opened())
  }

  /// Another program makes a directory `segments` between the first rename and the second one. Both trees stay.
  @Test func anotherDirectoryReplacesNoTree() throws {
    let before = subject.look()
    var isMade = false
    #expect(throws: RefreshError.changedByOthers) {
      try subject.refresh(mayChange: { _ in
        if !isMade, !HostFile.names(in: subject.path).contains("segments") {
          isMade = unsafe mkdir(segments, 0o700) == 0
          try? HostFile.write([1], to: segments + "/other")
        }
        return true
      })
    }
    #expect(isMade && HostFile.names(in: segments) == ["other"])
    HostFile.remove(segments)
    try expectContents(before, in: opened())
    try subject.refresh()
    try subject.expectWhole(before, "refreshed")
    expectNothingLeft()
  }
}

/// Directories that the host refuses to rename, because something is mounted on them. Only root can begin that.
private final class RefusedRenames {
  private var directories: [String] = []
  var isBegun: Bool { !directories.isEmpty }

  /// Mounts each directory on itself, in this order. Later calls do nothing.
  func begin(_ paths: [String]) {
    if isBegun { return }
    for path in paths where unsafe mount(path, path, nil, CUnsignedLong(MS_BIND), nil) == 0 { directories.append(path) }
  }

  func end() {
    for path in directories.reversed() { unsafe umount2(path, CInt(MNT_DETACH)) }
    directories = []
  }

  deinit { end() }
}
