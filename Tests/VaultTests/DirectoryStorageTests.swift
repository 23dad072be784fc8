import Crypto
import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

@Suite struct DirectoryStorageTests {
  let folder: TemporaryFolder
  let storage: DirectoryStorage
  let name = SegmentIdentifier(bytes: (0..<16).map { 0xA0 + $0 })

  init() throws {
    folder = try TemporaryFolder()
    try DirectoryStorage.createFolders(in: folder.path)
    storage = try DirectoryStorage(path: folder.path)
  }

  var path: String { folder.path + "/" + name.path }

  @Test func namesAreHexadecimal() {
    #expect(name.description == "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
    #expect(name.path == "a0/a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
    #expect(name.folder == 0xA0)
    #expect(SegmentIdentifier(name: name.description.utf8) == name)
    #expect(name.bytes == (0..<16).map { 0xA0 + $0 })
    for wrong in ["", "a0", name.description + "a", name.description + "aa", name.description.uppercased()] {
      #expect(SegmentIdentifier(name: wrong.utf8) == nil)
    }
  }

  @Test func aWholeFileIsPutOnce() throws {
    try storage.put(name, Array(repeating: 7, count: 5000))
    #expect(throws: Errno.fileExists) { try storage.put(name, [1]) }
    #expect(try HostFile.read(path) == Array(repeating: 7, count: 5000))
    #expect(HostFile.names(in: folder.path + "/a0") == [name.description])
    #expect(Int(HostFile.status(path).st_mtim.tv_sec) == DirectoryStorage.completeTime)
  }

  @Test func aNameIsCreatedOnce() throws {
    let writer = try storage.create(name)
    #expect(throws: Errno.fileExists) { try storage.create(name) }
    #expect(throws: Errno.fileExists) { try storage.put(name, [1]) }
    #expect(try storage.exists(name))
    try storage.delete(name)
    try storage.delete(name)
    #expect(try !storage.exists(name))
    #expect(throws: Errno.noSuchFileOrDirectory) { try storage.open(name) }
    _ = try writer.size()
  }

  @Test func aLeaseKeepsOthersOutUntilItEnds() throws {
    try storage.put(name, [1])
    var first: (any SegmentLease)? = try storage.lease(name, exclusive: true)
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: true) }
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: false) }
    #expect(throws: Errno.wouldBlock) { try storage.openToFill(name, takingLease: true) }
    withExtendedLifetime(first) {}
    first = nil
    let shared = [try storage.lease(name, exclusive: false), try storage.lease(name, exclusive: false)]
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: true) }
    withExtendedLifetime(shared) {}
  }

  /// Clients of NFS refuse an exclusive lock on a file that is open for reading only.
  @Test(arguments: [true, false])
  func anExclusiveLeaseHasTheFileOpenForWriting(exclusive: Bool) throws {
    try storage.put(name, Array(repeating: 7, count: 4096))
    let lease = try storage.lease(name, exclusive: exclusive)
    defer { withExtendedLifetime(lease) {} }
    let descriptors = (0..<1024).filter { unsafe realpath("/proc/self/fd/\($0)", nil).map(unsafe pathIs) ?? false }
    let modes = descriptors.map { fcntl(CInt($0), F_GETFL) & O_ACCMODE }
    #expect(modes == [exclusive ? O_RDWR : O_RDONLY])
  }

  /// Whether a path, which is freed, is that of the file.
  private func pathIs(_ found: UnsafeMutablePointer<CChar>) -> Bool {
    defer { unsafe free(found) }
    guard let own = unsafe realpath(path, nil) else { return false }
    defer { unsafe free(own) }
    return unsafe strcmp(found, own) == 0
  }

  @Test func theEndOfALeaseIsAnnounced() throws {
    try storage.put(name, [1])
    #expect(!storage.leaseEndIsAnnounced(name))
    var first: (any SegmentLease)? = try storage.lease(name, exclusive: true)
    #expect(!storage.leaseEndIsAnnounced(name))
    first?.announceEnd()
    first?.announceEnd()
    #expect(storage.leaseEndIsAnnounced(name))
    // The lease itself is as good as before.
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: true) }
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: false) }
    first = nil
    #expect(!storage.leaseEndIsAnnounced(name))
    _ = try storage.lease(name, exclusive: true)
    try storage.delete(name)
    #expect(!storage.leaseEndIsAnnounced(name))
  }

  @Test func aWriterHoldsTheLease() throws {
    var writer: (any SegmentWriter)? = try storage.create(name)
    #expect(throws: Errno.wouldBlock) { try storage.lease(name, exclusive: true) }
    withExtendedLifetime(writer) {}
    writer = nil
    _ = try storage.lease(name, exclusive: true)
  }

  @Test func whatIsWrittenIsReadAndFinished() throws {
    let writer = try storage.create(name)
    try writeBytes([1, 2, 3], to: writer, at: 0)
    try writer.hold(upTo: 1 << 20)
    #expect(try writer.size() == 3)
    try writeBytes([4, 5], to: writer, at: 3)
    try writer.flush()
    #expect(Int(HostFile.status(path).st_mtim.tv_sec) != DirectoryStorage.completeTime)
    try writer.finish()
    try writer.flush()
    try storage.flushNames(of: [name])
    let status = HostFile.status(path)
    #expect(Int(status.st_mtim.tv_sec) == DirectoryStorage.completeTime)
    #expect(status.st_blocks * 512 < 1 << 20, "room is still held")
    let reader = try storage.open(name)
    var buffer = [UInt8](repeating: 9, count: 10)
    #expect(try readBytes(reader, at: 1, into: &buffer) == 4)
    #expect(Array(buffer[..<5]) == [2, 3, 4, 5, 9])
    #expect(try readBytes(reader, at: 5, into: &buffer) == 0)
    #expect(try reader.identity() == writer.identity())
    #expect(try reader.identity().inode == UInt64(status.st_ino))
  }

  @Test func theListShowsSegmentFilesOnly() throws {
    let names = (0..<20).map { SegmentIdentifier(bytes: [UInt8($0 * 12)] + Sodium.randomBytes(15)) }
    for name in names { try storage.put(name, [1, 2]) }
    try HostFile.write([1], to: folder.path + "/a0/notes.txt")
    try HostFile.write([1], to: folder.path + "/a0/00" + String(repeating: "a", count: 30))
    _ = unsafe symlink("/etc/passwd", path)
    var found: [SegmentIdentifier] = []
    try storage.list { listing in
      found.append(listing.identifier)
      #expect(listing.size == 2)
      #expect(listing.modified == Int64(DirectoryStorage.completeTime))
      return true
    }
    #expect(Set(found) == Set(names))
    #expect(found.count == names.count)
    var count = 0
    try storage.list { _ in
      count += 1
      return count < 3
    }
    #expect(count == 3)
    #expect(throws: Errno.self) { try storage.open(name) }
  }

  @Test func roomIsReported() {
    let capacity = storage.capacity()
    #expect(capacity.total > 0)
    #expect(capacity.free > 0 && capacity.free <= capacity.total)
    #expect(!storage.isReadOnly)
  }

  /// What other programs do to a file that is being written, and whether its writer must stop.
  enum Interference: String, CaseIterable {
    case replaced, replacedByTheSame, replacedBySameSize, movedAway, deleted, cutShort, grown, none, linked, read
  }

  @Test(arguments: Interference.allCases)
  func aFileThatOthersChangeIsNotGoneOnWith(_ interference: Interference) throws {
    let writer = try storage.create(name)
    let start = randomBytes(10_000, seed: 1)
    try writer.put(start, at: 0)
    try writer.hold(upTo: 100_000)
    try writer.flush()
    let other = path + ".other"
    var isHarmless = false
    switch interference {
    case .replaced:
      try HostFile.write(randomBytes(20_000, seed: 2), to: other)
      unsafe rename(other, path)
    case .replacedByTheSame:
      try HostFile.write(start, to: other)
      unsafe rename(other, path)
    case .replacedBySameSize:
      try HostFile.write(randomBytes(10_000, seed: 2), to: other)
      unsafe rename(path, other + "2")
      unsafe rename(other, path)
    case .movedAway: unsafe rename(path, other)
    case .deleted: unsafe unlink(path)
    case .cutShort: unsafe truncate(path, 9000)
    case .grown: unsafe truncate(path, 12_000)
    case .none: isHarmless = true
    case .linked:
      unsafe link(path, other)
      unsafe chmod(path, 0o640)
      isHarmless = true
    case .read:
      #expect(try HostFile.read(path) == start)
      isHarmless = true
    }
    let found = try? HostFile.read(path)
    let more = randomBytes(5000, seed: 3)
    if isHarmless {
      try writer.put(more, at: 10_000)
      try writer.flush()
      try writer.releaseHold()
      try writer.finish()
      try writer.flush()
      #expect(try HostFile.read(path) == start + more)
    } else {
      #expect(throws: Errno.changedByOthers) {
        try writer.put(more, at: 10_000)
        try writer.flush()
      }
      #expect((try? HostFile.read(path)) == found)
    }
  }

  @Test func writersThatAppendAtTheSameTimeDoNotDisturbAFlush() async throws {
    let writer = try storage.create(name)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 0..<2000 { try writer.put([UInt8](repeating: 7, count: 100), at: number * 100) }
      }
      group.addTask { for _ in 0..<200 { try writer.flush() } }
      try await group.waitForAll()
    }
    try writer.flush()
    #expect(try writer.size() == 200_000)
  }
}

extension SegmentWriter {
  fileprivate func put(_ bytes: [UInt8], at offset: Int) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0, at: offset) }
  }
}
