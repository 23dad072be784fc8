import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// After a refresh no listing tells in what order names came, on hosts that list them so.
@Suite struct RefreshOrderTests {
  private static let kinds = ["memory"] + ["xfs", "btrfs"].filter { LoopImage.canBe($0) }

  /// Chance fails this once in ten million times.
  @Test(arguments: kinds) func theOrderInWhichNamesCameIsGone(kind: String) throws {
    let subject = try ListedVault(kind, files: 700)
    let before = try subject.contents
    let listing = { (folder: Int) in
      try Directory.names(in: subject.folder(folder)).map { String(decoding: $0, as: UTF8.self) }
    }
    let order = { (folder: Int) in (0..<700).map { ListedVault.name(folder, $0).description } }
    let changes = { (folder: Int) in
      // What has one time is in no order.
      order(folder).shuffled().sorted {
        let (one, other) = (subject.changeTime($0, in: folder), subject.changeTime($1, in: folder))
        return (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
      }
    }
    for folder in 7...9 {
      let found = Self.agreement(try listing(folder), order(folder))
      #expect(abs(found) > 26, "\(kind) lists in the order in which names came")
    }
    try DirectoryRefresh(subject.storage(), segmentSize: ListedVault.size).run()
    #expect(try subject.contents == before)
    for folder in 7...9 {
      #expect(abs(Self.agreement(try listing(folder), order(folder))) < 5.6)
      #expect(abs(Self.agreement(changes(folder), order(folder))) < 5.6)
    }
  }

  /// Where the folders of `segments` stand in its listing says nothing of how often names came and went before.
  @Test(arguments: kinds) func segmentsListsAsIfItWasMadeOnce(kind: String) throws {
    let subject = try ListedVault(kind, files: 3)
    let segments = subject.path + "/segments"
    try DirectoryRefresh(subject.storage(), segmentSize: ListedVault.size).run()
    let once = try Self.positions(in: segments)
    for name in ["one", "two", "three"] {
      try systemCall { unsafe mkdir(segments + "/" + name, 0o700) }
      try systemCall { unsafe rmdir(segments + "/" + name) }
    }
    for _ in 0..<2 { try DirectoryRefresh(subject.storage(), segmentSize: ListedVault.size).run() }
    #expect(try Self.positions(in: segments) == once)
    #expect(once.count == 258)
  }

  /// Where the names in a directory stand for the kernel (`d_off`), in ascending order.
  private static func positions(in path: String) throws -> [Int] {
    guard let stream = unsafe opendir(path) else { throw Errno.current }
    defer { unsafe closedir(stream) }
    var positions: [Int] = []
    while let entry = unsafe readdir(stream) { unsafe positions.append(Int(entry.pointee.d_off)) }
    return positions.sorted()
  }

  /// How far the order of a listing goes with another one, in standard deviations of chance; 0 if not at all.
  private static func agreement(_ listing: [String], _ order: [String]) -> Double {
    let places = Dictionary(uniqueKeysWithValues: listing.enumerated().map { ($0.element, Double($0.offset)) })
    let middle = Double(order.count - 1) / 2
    let sum = order.enumerated().reduce(0) { $0 + (Double($1.offset) - middle) * ((places[$1.element] ?? 0) - middle) }
    let squares = order.indices.reduce(0) { $0 + (Double($1) - middle) * (Double($1) - middle) }
    return sum / squares * Double(order.count - 1).squareRoot()
  }
}

/// Earlier versions linked all files in `refreshing` at the end of use; a kill there left the links.
@Suite struct LeftLinksTests {
  private let subject: ListedVault

  init() throws {
    subject = try ListedVault("memory", files: 3)
    try subject.leaveLinks()
  }

  private func expectClean(_ before: [String: [UInt8]]) throws {
    #expect(try subject.contents == before)
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    #expect(HostFile.segments(of: subject.path).allSatisfy { HostFile.status($0).st_nlink == 1 })
  }

  @Test(arguments: [false, true]) func theyGoAndTheFilesStay(byRefresh: Bool) throws {
    let before = try subject.contents
    let storage = try subject.storage()
    #expect(storage.hasInterruptedRefresh)
    if byRefresh {
      try DirectoryRefresh(storage, segmentSize: ListedVault.size).run()
    } else {
      storage.removeInterruptedRefresh()
    }
    try expectClean(before)
  }

  /// A file that is renamed in the place of another one keeps a link under its old name. It does not come back, and
  /// overwriting the old name does not hurt it.
  @Test func whatIsRenamedMeanwhileHasOneName() throws {
    let (old, new) = (ListedVault.name(7, 1), ListedVault.name(200, 55))
    try subject.rename(old, to: new)
    let before = try subject.contents
    let storage = try subject.storage()
    try storage.wipe(old)
    #expect(try subject.contents == before)
    let other = ListedVault.name(201, 56)
    try subject.rename(ListedVault.name(8, 0), to: other)
    let after = try subject.contents
    #expect(HostFile.names(in: subject.path + "/refreshing/08").contains(ListedVault.name(8, 0).description))
    storage.removeInterruptedRefresh()
    try expectClean(after)
  }
}

/// A vault whose host lists names as they came.
private final class ListedVault {
  /// Bytes of a file.
  static let size = 112

  let path: String
  private let memory: TemporaryFolder?
  private let disk: LoopImage?

  /// - Parameters:
  ///   - kind: `memory`, or a file system.
  ///   - files: how many files folder 7, 8 and 9 get each; most others get one.
  init(_ kind: String, files: Int) throws {
    // The tmpfs that every Linux has lists names as they came.
    memory = kind == "memory" ? try TemporaryFolder(in: "/dev/shm") : nil
    disk = kind == "memory" ? nil : try LoopImage(kind)
    path = (memory?.path ?? disk?.path ?? "") + "/vault"
    HostFile.remove(path)
    let creation = try DirectoryCreation(at: FilePath(path))
    for folder in 0..<256 where folder % 8 != 3 { try Self.put(folder, 0, in: creation.storage) }
    for number in 1..<files { for folder in 7...9 { try Self.put(folder, number, in: creation.storage) } }
    try creation.storage.replaceParameters(with: [1, 2])
    try creation.complete()
    try creation.storage.flushAll()
  }

  /// The name of a file in a folder; its digits do not show the number.
  static func name(_ folder: Int, _ number: Int) -> SegmentIdentifier {
    var bytes = randomBytes(SegmentIdentifier.size, seed: UInt64(folder << 32 + number + 1))
    bytes[0] = UInt8(folder)
    return SegmentIdentifier(bytes: bytes)
  }

  private static func put(_ folder: Int, _ number: Int, in storage: DirectoryStorage) throws {
    let writer = try storage.create(name(folder, number))
    try writer.put(randomBytes(size, seed: UInt64(folder + 1000 * number)), at: 0)
    try writer.finish()
  }

  /// The storage, as somebody opens it.
  func storage() throws -> DirectoryStorage { try DirectoryStorage(path: FilePath(path)) }

  /// The folder of a number.
  func folder(_ number: Int) -> String { path + "/segments/" + Hexadecimal.text(of: [UInt8(number)]) }

  func changeTime(_ name: String, in folder: Int) -> timespec {
    HostFile.status(self.folder(folder) + "/" + name).st_ctim
  }

  /// Links all files in `refreshing`.
  func leaveLinks() throws {
    let outcome = try Outcome(
      "/bin/sh", arguments: ["-ec", "mkdir \"$1/refreshing\"; cp -al \"$1\"/segments/* \"$1/refreshing/\"", "sh", path])
    try #require(outcome.status == 0, "\(outcome)")
  }

  func rename(_ old: SegmentIdentifier, to new: SegmentIdentifier) throws {
    try systemCall { unsafe Glibc.rename(path + "/segments/" + old.path, path + "/segments/" + new.path) }
  }

  /// What files hold, by their names.
  var contents: [String: [UInt8]] {
    get throws {
      var contents: [String: [UInt8]] = [:]
      for file in HostFile.segments(of: path) {
        contents[String(file.dropFirst(path.count))] = try Descriptor.openQuietly(file, O_RDONLY).readToEnd()
      }
      return contents
    }
  }
}
