import FaultyStorage
import Glibc
import Storage
import SystemPackage
import Testing

/// What every storage promises where there is little room, or where nothing can be written.
@Suite struct RoomConformanceTests {
  private static let room = 8 << 20
  private static let isRoot = geteuid() == 0
  let name = SegmentIdentifier.numbered(1)

  private var smallMemory: MemorySubject {
    let subject = MemorySubject()
    subject.memory.setLimit(Self.room)
    return subject
  }

  @Test(arguments: StorageKind.allCases)
  func roomIsReported(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let storage = subject.storage
    let capacity = storage.capacity()
    #expect(capacity.free > 0 && capacity.free <= capacity.total)
    #expect(!storage.isReadOnly)
  }

  @Test func aFullStorageInMemoryRefuses() throws { try fill(smallMemory) }

  @Test(.enabled(if: isRoot, "needs root, for a small file system"))
  func aFullDirectoryRefuses() throws { try fill(DirectorySubject(room: Self.room)) }

  private func fill(_ subject: any StorageSubject) throws {
    let storage = subject.storage
    let free = storage.capacity().free
    let writer = try storage.create(name)
    // Room that is allocated is gone for others, and comes back.
    try writer.hold(upTo: 4 << 20)
    #expect(storage.capacity().free <= free - 4 << 20)
    #expect(throws: Errno.noSpace) { try writer.hold(upTo: 2 * Self.room) }
    try writer.releaseHold()
    #expect(storage.capacity().free >= free - 64 << 10)
    try writer.hold(upTo: 1 << 20)
    let ballast = SegmentIdentifier.numbered(2)
    var other: (any SegmentWriter)? = try storage.create(ballast)
    let piece = randomBytes(256 << 10)
    var end = 0
    #expect(throws: Errno.noSpace) {
      while end < 2 * Self.room {
        try other?.put(piece, at: end)
        end += piece.count
      }
    }
    #expect(throws: Errno.noSpace) { try storage.put(.numbered(3), randomBytes(1 << 20)) }
    #expect(try !storage.exists(.numbered(3)))
    // What was allocated can be written on the full disk.
    let content = randomBytes(2 << 20, seed: 5)
    try writer.put(Array(content[..<(1 << 20)]), at: 0)
    #expect(throws: Errno.noSpace) { try writer.put(Array(content[(1 << 20)...]), at: 1 << 20) }
    // The same bytes at the same place, when there is room again.
    try storage.delete(ballast)
    withExtendedLifetime(other) {}
    other = nil
    try writer.put(Array(content[(1 << 20)...]), at: 1 << 20)
    try writer.flush()
    #expect(try storage.content(of: name) == content)
  }

  @Test func roomIsHeldForNoFileInMemory() throws { try holdRoom(smallMemory) }

  @Test(.enabled(if: isRoot, "needs root, for a small file system"))
  func roomIsHeldForNoFileInADirectory() throws { try holdRoom(DirectorySubject(room: Self.room)) }

  private func holdRoom(_ subject: any StorageSubject) throws {
    let storage = subject.storage
    let free = storage.capacity().free
    /// Whether this much is missing, but for what the file system needs itself.
    func isHeld(_ size: Int64) -> Bool { (size - 64 << 10...size + 64 << 10).contains(free - storage.capacity().free) }
    var held: (any HeldRoom)? = try storage.holdRoom()
    #expect(isHeld(0))
    try held?.resize(to: 4 << 20)
    #expect(isHeld(4 << 20))
    try held?.resize(to: 1 << 20)
    #expect(isHeld(1 << 20))
    try held?.resize(to: 6 << 20)
    // What does not fit leaves what is held as it is.
    #expect(throws: Errno.noSpace) { try held?.resize(to: 2 * Self.room) }
    #expect(isHeld(6 << 20))
    // Nobody else gets it, and no list shows it.
    #expect(throws: Errno.noSpace) { try storage.put(name, randomBytes(4 << 20)) }
    #expect(try subject.opened().listed().isEmpty)
    let other = try storage.holdRoom()
    #expect(throws: Errno.noSpace) { try other.resize(to: 4 << 20) }
    try other.resize(to: 1 << 20)
    #expect(isHeld(7 << 20))
    // It is free again when it goes.
    withExtendedLifetime(held) {}
    held = nil
    #expect(isHeld(1 << 20))
    try storage.put(name, randomBytes(4 << 20))
    withExtendedLifetime(other) {}
  }

  @Test func aSealedStorageInMemoryIsReadOnly() throws {
    let memory = FaultyStorage()
    try memory.put(name, [1, 2])
    try expectReadOnly(memory.copy(isReadOnly: true))
  }

  @Test(.enabled(if: isRoot, "needs root, for a read-only file system"))
  func aSealedDirectoryIsReadOnly() throws {
    let subject = try DirectorySubject(room: Self.room)
    try subject.storage.put(name, [1, 2])
    try expectReadOnly(try subject.sealed())
  }

  private func expectReadOnly(_ storage: any Storage) throws {
    #expect(storage.isReadOnly)
    let other = SegmentIdentifier.numbered(2)
    #expect(throws: Errno.readOnlyFileSystem) { try storage.create(other) }
    #expect(throws: Errno.readOnlyFileSystem) { try storage.replaceParameters(with: [1]) }
    #expect(throws: Errno.readOnlyFileSystem) { try storage.put(other, [1]) }
    #expect(throws: Errno.readOnlyFileSystem) { try storage.delete(name) }
    #expect(throws: Errno.readOnlyFileSystem) { try storage.openToFill(name) }
    #expect(throws: Errno.readOnlyFileSystem) { try storage.lease(.vault, exclusive: true) }
    #expect(try storage.content(of: name) == [1, 2] && !storage.exists(other))
    let leases = [try storage.lease(.vault, exclusive: false), try storage.lease(.vault, exclusive: false)]
    #expect(throws: (any Error).self) { try leases[0].change(exclusive: true) }
    withExtendedLifetime(leases) {}
  }
}
