import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// A vault whose host lists names as they came.
final class NameOrderSubject {
  let path: String
  private let host: NameOrderHost

  /// - Parameter files: how many files folder 7, 8 and 9 get each; most others get one.
  init(_ host: NameOrderHost, files: Int = 3) throws {
    self.host = host
    path = host.path + "/vault"
    HostFile.remove(path)
    let creation = try DirectoryCreation(at: FilePath(path))
    for folder in 0..<256 where folder % 8 != 3 { try put(folder, 0, in: creation.storage) }
    for number in 1..<files { for folder in 7...9 { try put(folder, number, in: creation.storage) } }
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

  private func put(_ folder: Int, _ number: Int, in storage: DirectoryStorage) throws {
    let writer = try storage.create(Self.name(folder, number))
    try writer.put(randomBytes(112, seed: UInt64(folder + 1000 * number)), at: 0)
    try writer.finish()
  }

  /// The storage, as somebody opens it.
  func storage() throws -> DirectoryStorage { try DirectoryStorage(path: FilePath(path)) }

  /// The folder of a number.
  func folder(_ number: Int) -> String { path + "/segments/" + Hexadecimal.text(of: [UInt8(number)]) }

  /// A shuffle; `mayChange` gets the number of changes so far.
  @discardableResult
  func shuffle(patience: UInt64 = 0, mayChange: @escaping (Int) -> Bool = { _ in true }) throws -> Bool {
    let refresh = DirectoryRefresh(try storage(), segmentSize: 0)
    var count = 0
    refresh.mayChange = {
      count += 1
      return mayChange(count - 1)
    }
    return try refresh.shuffleNames(patience: patience)
  }

  /// Ends a shuffle, as a kill does, when all folders are exchanged and none is emptied.
  func killAfterExchange() throws {
    let before = folders
    #expect(throws: Errno.self) {
      try shuffle(mayChange: { _ in !zip(before, self.folders).allSatisfy { $0 != $1 } })
    }
    #expect(zip(before, folders).allSatisfy { $0 != $1 })
    #expect(HostFile.names(in: path + "/refreshing").count == 256)
  }

  /// Files by their names: what they hold and their inodes.
  struct Files: Equatable {
    var contents: [String: [UInt8]] = [:]
    var inodes: [String: ino_t] = [:]
  }

  var files: Files {
    get throws {
      var files = Files()
      for file in HostFile.segments(of: path) {
        let name = String(file.dropFirst(path.count))
        files.contents[name] = try Descriptor.openQuietly(file, O_RDONLY).readToEnd()
        files.inodes[name] = HostFile.status(file).st_ino
      }
      return files
    }
  }

  /// The inodes of all folders.
  var folders: [ino_t] { (0..<256).map { HostFile.status(folder($0)).st_ino } }

  /// What has another time than everything has.
  var conspicuous: [String] {
    let folders = [path, path + "/segments"] + (0..<256).map { folder($0) }
    return (folders + HostFile.segments(of: path)).filter {
      let status = HostFile.status($0)
      return [status.st_atim, status.st_mtim].contains {
        $0.tv_sec != DirectoryStorage.completeTime || $0.tv_nsec != 0
      }
    }
  }

  /// Expects the same files, and nothing beside them.
  func expectSame(_ before: Files, _ comment: Comment? = nil) throws {
    #expect(try files == before, comment)
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"], comment)
    #expect(HostFile.names(in: path + "/segments").count == 256, comment)
    #expect(conspicuous.isEmpty, comment)
  }

  /// How far the order of a listing goes with another one, in standard deviations of chance; 0 if not at all.
  static func agreement<Name: Hashable>(_ listing: [Name], _ order: [Name]) -> Double {
    let places = Dictionary(uniqueKeysWithValues: listing.enumerated().map { ($0.element, Double($0.offset)) })
    let middle = Double(order.count - 1) / 2
    let sum = order.enumerated().reduce(0) { $0 + (Double($1.offset) - middle) * ((places[$1.element] ?? 0) - middle) }
    let squares = order.indices.reduce(0) { $0 + (Double($1) - middle) * (Double($1) - middle) }
    return sum / squares * Double(order.count - 1).squareRoot()
  }
}

/// A place for vaults: in memory, or on a file system of a kind.
enum NameOrderHost {
  case memory(MemoryFolder)
  case disk(LoopImage)

  /// Each kind that can be here.
  static let kinds = ["memory"] + ["xfs", "btrfs"].filter { LoopImage.canBe($0) }

  init(_ kind: String) throws {
    self = kind == "memory" ? .memory(try MemoryFolder()) : .disk(try LoopImage(kind))
  }

  var path: String {
    switch self {
    case .memory(let folder): folder.path
    case .disk(let image): image.path
    }
  }
}
