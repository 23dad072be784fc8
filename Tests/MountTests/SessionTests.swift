import Albums
import CMount
import FaultyStorage
import Glibc
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Mount
@testable import Vault

extension LiveMountTests {
  @Suite struct SessionTests {
    @Test func whatIsAgreedWithTheKernel() throws {
      let live = try LiveMount()
      let flags = agonyfs_session_flags()
      let asynchronousReads: UInt32 = 1 << 0
      let truncatingOpen: UInt32 = 1 << 3
      let unmaskedModes: UInt32 = 1 << 6
      let timesInvalidate: UInt32 = 1 << 12
      let listingsWithAttributes: UInt32 = 1 << 13
      let attributesForTheFirstPartOnly: UInt32 = 1 << 14
      let writebackCache: UInt32 = 1 << 16
      let parallelDirectories: UInt32 = 1 << 18
      let accessLists: UInt32 = 1 << 20
      let cachedLinks: UInt32 = 1 << 23
      let yes =
        asynchronousReads | truncatingOpen | unmaskedModes | listingsWithAttributes | parallelDirectories | accessLists
        | cachedLinks
      #expect(flags & yes == yes)
      #expect(flags & (timesInvalidate | attributesForTheFirstPartOnly | writebackCache) == 0)
      let entry = try #require(MountTable.current().entry(at: Array(live.root.utf8)))
      #expect(entry.type == "fuse.agonyfs")
      #expect(entry.options.contains("default_permissions") && entry.options.contains("max_read=524288"))
    }

    @Test func aUsedMountIsBusy() throws {
      let live = try LiveMount()
      try System.write([1], to: live.path("file"))
      let file = try FileDescriptor.open(FilePath(live.path("file")), .readOnly)
      #expect(throws: MountError.busy(path: live.root)) { try Unmount.unmount(live.root) }
      try file.close()
      #expect(try live.end() == nil)
      #expect(throws: MountError.notMounted(path: live.root)) { try Unmount.unmount(live.root) }
      #expect(throws: MountError.notMounted(path: live.path("none"))) { try Unmount.unmount(live.path("none")) }
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func signalsEndTheMount(signal: CInt) throws {
      let live = try LiveMount()
      try System.write(randomBytes(5000), to: live.path("file"))
      kill(getpid(), signal)
      #expect(try live.waitForEnd() == nil)
      #expect(MountTable.current().entry(at: Array(live.root.utf8)) == nil)
      try live.mount()
      #expect(try System.read(live.path("file")) == randomBytes(5000))
    }

    /// Also before the session had a look at the table of mounts.
    @Test(.enabled(if: geteuid() == 0, "needs root, to abort the connection"))
    func aMountThatIsAbortedAtOnceIsTakenAway() throws {
      let live = try LiveMount()
      try live.end()
      let root = live.root
      let held = Mutex<Descriptor?>(nil)
      try live.mount {
        held.withLock { $0 = try? Descriptor.open(root, O_RDONLY | O_DIRECTORY) }
        unsafe umount2(root, CInt(MNT_FORCE))
        // Nobody sees that the workers have noticed it; without this the test shows less.
        usleep(200_000)
      }
      #expect(try live.waitForEnd() == nil)
      #expect(held.withLock { $0 != nil })
      #expect(MountTable.current().entry(at: Array(root.utf8)) == nil)
    }

    @Test func aSignalEndsTheMountWhileFilesAreOpen() throws {
      let live = try LiveMount()
      let count = 100_000
      let ready = live.folder.path("ready")
      let holder = try ChildProcess(
        builtProgram("map-writer"), arguments: ["map-writer", live.path("file"), String(count), ready],
        descriptors: [])
      defer {
        holder.kill()
        _ = holder.wait()
      }
      try waitUntil("the file is mapped") { (try? System.status(ready)) != nil }
      let file = try FileDescriptor.open(FilePath(live.path("file")), .readWrite)
      kill(getpid(), SIGTERM)
      #expect(try live.waitForEnd() == nil)
      #expect(MountTable.current().entry(at: Array(live.root.utf8)) == nil)
      #expect(throws: Errno.socketNotConnected) { try file.writeAll([1]) }
      try? file.close()
      try live.mount()
      #expect(try System.read(live.path("file")) == [UInt8](repeating: UInt8(ascii: "x"), count: count))
    }

    /// Keys are wiped when their owner is released.
    @Test func nothingOfTheSpaceIsKeptInMemory() throws {
      weak var fileSystem: FileSystem?
      weak var space: Space?
      do {
        let live = try LiveMount()
        try System.write(randomBytes(5000), to: live.path("file"))
        fileSystem = live.fileSystem
        space = live.fileSystem.space
        #expect(try live.end() == nil)
        try live.fileSystem.close()
      }
      #expect(fileSystem == nil && space == nil)
    }

    @Test func anUnusedMountEndsByItself() throws {
      let live = try LiveMount(["idle=1s"])
      #expect(try live.waitForEnd() == nil)
      #expect(MountTable.current().entry(at: Array(live.root.utf8)) == nil)
    }

    @Test func mountPointsInUseAreRefused() throws {
      let live = try LiveMount()
      #expect(throws: MountError.mountedAlready(path: live.root)) {
        try MountPoint.check(live.root, options: MountOptions())
      }
      #expect(throws: MountError.mountedAlready(path: live.root)) {
        try MountPoint.check(live.root, options: MountOptions(["nonempty"]))
      }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can leave a dead mount behind without a second process"))
    func deadMountsOfOursAreTakenAwayAndOthersTold() throws {
      let folder = try TemporaryFolder()
      try folder.makeDirectory("dead")
      let path = folder.path("dead")
      func leave(_ type: String, user: UInt32, options: String = ",allow_other") throws {
        let device = try unsafe FileDescriptor.open("/dev/fuse", .readWrite)
        let data = "fd=\(device.rawValue),rootmode=40000,user_id=\(user),group_id=0\(options)"
        try System.check(unsafe mount("agonyfs", path, type, 0, data))
        try device.close()
      }
      try leave("fuse.agonyfs", user: 7)
      #expect(throws: MountError.deadMountOfOther(path: path, user: 7)) {
        try MountPoint.check(path, options: MountOptions())
      }
      try Unmount.unmount(path)
      // What only its user may look at.
      try leave("fuse.agonyfs", user: 7, options: "")
      #expect(throws: MountError.mountOfOther(path: path, user: 7)) {
        try MountPoint.check(path, options: MountOptions())
      }
      try System.check(unsafe umount(path))
      try leave("fuse.other", user: 0)
      #expect(throws: MountError.deadMount(path: path)) { try MountPoint.check(path, options: MountOptions()) }
      try System.check(unsafe umount(path))
      try leave("fuse.agonyfs", user: 0)
      #expect(try MountPoint.check(path, options: MountOptions()).path.string == path)
      #expect(throws: MountError.notMounted(path: path)) { try Unmount.unmount(path) }
    }

    @Test func otherMountsAreLeftAlone() {
      #expect(throws: MountError.notMounted(path: "/proc")) { try Unmount.unmount("/proc") }
      #expect(throws: MountError.notMounted(path: "/")) { try Unmount.unmount("/") }
    }

    /// Somebody else may rename directories in the path between the check and the mount.
    @Test func onlyTheDirectoryThatWasCheckedIsMountedAt() throws {
      let live = try LiveMount()
      try live.end()
      let point = try MountPoint.check(live.root, options: MountOptions())
      let session = MountSession(
        fileSystem: live.fileSystem, mountPoint: point, options: MountOptions(), logger: LiveMount.logger
      ) { Issue.record("it can't be mounted") }
      let elsewhere = live.root + "-elsewhere"
      try System.check(unsafe rename(live.root, elsewhere))
      #expect(throws: MountError.missing(path: live.root)) { try session.run() }
      try System.check(unsafe symlink(elsewhere, live.root))
      #expect(throws: MountError.moved(path: live.root)) { try session.run() }
      try System.check(unsafe unlink(live.root))
      try System.check(unsafe mkdir(live.root, 0o755))
      #expect(throws: MountError.moved(path: live.root)) { try session.run() }
      try System.check(unsafe rmdir(live.root))
      try System.check(unsafe rename(elsewhere, live.root))
    }

    /// As root the names on the way play no part in the mount itself.
    @Test(.enabled(if: geteuid() == 0, "others need the helper, which takes a path"))
    func rootMountsAtADescriptor() throws {
      let live = try LiveMount()
      try live.end()
      let point = try MountPoint.check(live.root, options: MountOptions())
      let target = try point.target().string
      #expect(target.hasPrefix("/proc/self/fd/"))
      let elsewhere = live.root + "-elsewhere"
      try System.check(unsafe rename(live.root, elsewhere))
      try System.check(unsafe mkdir(live.root, 0o755))
      try System.check(unsafe mount("none", target, "tmpfs", 0, nil))
      #expect(MountTable.current().entry(at: Array(elsewhere.utf8))?.type == "tmpfs")
      #expect(MountTable.current().entry(at: Array(live.root.utf8)) == nil)
      try System.check(unsafe umount2(elsewhere, 0))
      try System.check(unsafe rmdir(live.root))
      try System.check(unsafe rename(elsewhere, live.root))
    }
  }
}
