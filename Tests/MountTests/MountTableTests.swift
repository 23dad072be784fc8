import System
import SystemPackage
import Testing

@testable import Mount

@Suite struct MountTableTests {
  private let text = """
    22 27 0:21 / /proc rw,nosuid - proc proc rw
    45 27 0:41 / /home/a\\040b\\134c rw,nosuid,nodev,noatime shared:5 master:2 - fuse.agonyfs agonyfs rw,user_id=1004,group_id=7
    46 27 0:50 / /mnt rw - ext4 /dev/sda rw
    47 27 0:51 / /mnt rw - fuse.other x rw,user_id=0,group_id=0
    nonsense

    """

  @Test func linesAreTakenApart() throws {
    let table = MountTable(parsing: Array(text.utf8))
    #expect(table.entries.count == 4)
    let entry = try #require(table.entry(at: Array("/home/a b\\c".utf8)))
    #expect(entry.device == "0:41")
    #expect(entry.type == "fuse.agonyfs" && entry.isFuse)
    #expect(entry.number(of: "user_id") == 1004 && entry.number(of: "group_id") == 7)
    #expect(entry.number(of: "max_read") == nil)
  }

  @Test func theLastMountAtAPathIsSeen() {
    let table = MountTable(parsing: Array(text.utf8))
    #expect(table.entry(at: Array("/mnt".utf8))?.type == "fuse.other")
    #expect(table.entry(at: Array("/mnt/".utf8)) == nil)
  }

  @Test func placesAreThoseThatAreSeen() {
    let text = """
      30 27 0:41 / /a rw - fuse.agonyfs x rw
      31 27 0:42 / /b rw - fuse.agonyfs y rw
      32 30 0:41 / /a/in rw - fuse.agonyfs x rw
      33 27 0:41 / /covered rw - fuse.agonyfs x rw
      34 33 0:43 / /covered rw - tmpfs z rw

      """
    let table = MountTable(parsing: Array(text.utf8))
    #expect(table.places(of: "0:41") == ["/a/in", "/a"])
    #expect(table.places(of: "0:44") == [])
  }

  /// A vault in a mounted space must be written and closed before that space is cut off from it.
  @Test func aMountDependsOnWhatItsVaultMayBeIn() throws {
    let text = """
      20 1 0:20 / / rw - ext4 /dev/sda rw
      30 20 0:41 / /a rw - fuse.agonyfs /home/vault rw
      31 20 0:42 / /b rw - fuse.agonyfs /home/other\\040vault rw
      32 20 0:43 / /c rw - fuse.agonyfs /a/vault rw
      33 20 0:41 /dir /bound rw - fuse.agonyfs /home/vault rw
      34 20 0:44 / /d rw - fuse.agonyfs /bound/vault rw
      35 20 7:0 / /loop rw - ext4 /dev/loop0 rw
      36 20 0:45 / /e rw - fuse.agonyfs /loop/vault rw
      37 20 0:46 / /f rw - fuse.agonyfs name rw
      38 31 0:47 / /b/in rw - fuse.agonyfs /home/third rw
      39 20 0:48 / /ab rw - fuse.agonyfs /ab/vault rw

      """
    let table = MountTable(parsing: Array(text.utf8))
    func entry(_ path: String) throws -> MountTableEntry { try #require(table.entry(at: Array(path.utf8))) }
    for (one, other, expected) in [
      ("/b", "/a", false), ("/c", "/a", true), ("/c", "/b", false), ("/d", "/a", true), ("/e", "/a", true),
      ("/f", "/a", true), ("/b/in", "/b", true), ("/b/in", "/a", false),
    ] {
      let mount = try entry(one)
      let vault = mount.source.first == UInt8(ascii: "/") ? mount.source : nil
      #expect(table.mayDepend(mount, vault: vault, on: try entry(other)) == expected, "\(one) on \(other)")
    }
  }

  @Test func thisProcessHasARoot() {
    #expect(MountTable.current().entry(at: Array("/".utf8)) != nil)
  }
}

@Suite struct DaemonIdentityTests {
  @Test func textRoundTrip() throws {
    let identity = DaemonIdentity.current()
    #expect(identity.started > 0)
    #expect(identity.isRunning)
    #expect(DaemonIdentity(text: identity.text) == identity)
  }

  @Test(arguments: ["", "12", "12 ", "x 1", "-5 1", "0 1 1", "1 2", "1 2 3 4", "99999999999 1 1"])
  func otherTexts(text: String) {
    #expect(DaemonIdentity(text: Array(text.utf8)) == nil)
  }

  @Test func anotherProcessWithTheSameNumberIsNotIt() {
    let identity = DaemonIdentity.current()
    #expect(!DaemonIdentity(process: identity.process, started: identity.started + 1, namespace: 1).isRunning)
  }

  @Test func anotherNamespaceIsTold() {
    let identity = DaemonIdentity.current()
    #expect(identity.namespace != 0 && !identity.isElsewhere)
    #expect(DaemonIdentity(process: 1, started: 1, namespace: identity.namespace + 1).isElsewhere)
    #expect(!DaemonIdentity(process: 1, started: 1, namespace: 0).isElsewhere)
  }
}

@Suite struct IdleWatchTests {
  @Test func dueAfterTheLimit() {
    var watch = IdleWatch(limit: .seconds(100))
    #expect(watch.next(lastUse: 50) == 150)
    let early = watch.isDue(now: 149, lastUse: 50, openFiles: 0)
    #expect(!early)
    let inTime = watch.isDue(now: 150, lastUse: 50, openFiles: 0)
    #expect(inTime)
  }

  @Test func openFilesPutItOff() {
    var watch = IdleWatch(limit: .seconds(100))
    let whileOpen = watch.isDue(now: 150, lastUse: 50, openFiles: 1)
    #expect(!whileOpen)
    #expect(watch.next(lastUse: 50) == 175)
    let tooSoon = watch.isDue(now: 174, lastUse: 50, openFiles: 0)
    #expect(!tooSoon)
    let later = watch.isDue(now: 175, lastUse: 50, openFiles: 0)
    #expect(later)
  }

  @Test func useCountsAgainFromItsMoment() {
    var watch = IdleWatch(limit: .seconds(4))
    watch.postpone(now: 10)
    #expect(watch.next(lastUse: 5) == 11)
    #expect(watch.next(lastUse: 12) == 16)
  }

  @Test func aLimitBelowOneSecondIsOne() {
    #expect(IdleWatch(limit: .milliseconds(3)).next(lastUse: 0) == 1)
  }
}

@Suite struct SpacePlaceTests {
  private let table = MountTable(
    parsing: Array(
      """
      20 1 8:1 / / rw - ext4 /dev/sda rw
      30 20 0:41 / /home/me/Albums rw - fuse.agonyfs x rw
      31 30 0:42 / /home/me/Albums/in rw - tmpfs y rw
      32 20 0:41 /2019/Rome /srv/rome rw - fuse.agonyfs x rw
      33 20 0:43 /part /srv/part rw - fuse.agonyfs z rw

      """.utf8))

  private func find(_ path: String, _ device: String, isOurs: Bool = true) -> String? {
    SpacePlace.find(Array(path.utf8), device: device, in: table) { _, _ in isOurs }.map {
      String(decoding: $0.mountPoint, as: UTF8.self) + ":" + String(decoding: $0.path, as: UTF8.self)
    }
  }

  @Test func pathsAreThoseInTheSpace() {
    #expect(find("/home/me/Albums", "0:41") == "/home/me/Albums:")
    #expect(find("/home/me/Albums/2019/a.jpg", "0:41") == "/home/me/Albums:2019/a.jpg")
    // Through a bind mount of an album.
    #expect(find("/srv/rome", "0:41") == "/home/me/Albums:2019/Rome")
    #expect(find("/srv/rome/a.jpg", "0:41") == "/home/me/Albums:2019/Rome/a.jpg")
  }

  @Test func othersAreNone() {
    #expect(find("/home/me/Albumsx", "8:1") == nil)
    #expect(find("/home/me", "8:1") == nil)
    // Another file system inside, a space of which only a part is mounted, and one that is not ours.
    #expect(find("/home/me/Albums/in/x", "0:42") == nil)
    #expect(find("/srv/part/x", "0:43") == nil)
    #expect(find("/home/me/Albums", "0:41", isOurs: false) == nil)
  }

  @Test func whatIsNotMountedIsNone() throws {
    #expect(try SpacePlace.of(Array("/proc/self".utf8)) == nil)
    #expect(throws: Errno.noSuchFileOrDirectory) { try SpacePlace.of(Array("/nothing here".utf8)) }
  }
}
