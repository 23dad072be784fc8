import AlbumsSupport
import CPlatform
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// What can be seen of a vault in a directory by whoever knows which files its first space explains: a number for each
/// feature.
struct Look {
  private struct File {
    let name: SegmentIdentifier
    let status: stat
    let born: (Int64, UInt32)
    /// Its place among the files of its folder, in the order of the listing, from 0 to 1; nil if it is alone there.
    let place: Double?
    /// Bytes from several places of the file.
    let bytes: [UInt8]
    let extents: (count: Int, first: UInt64)
  }

  private(set) var features: [String: Double] = [:]

  init(at path: String, explained: Set<SegmentIdentifier>) throws {
    let storage = try DirectoryStorage(path: FilePath(path))
    // The last file of a creation.
    let created = HostFile.status(path + "/agonyfs.json").st_ctim
    let folderNames = try Directory.names(in: path + "/segments").map { String(decoding: $0, as: UTF8.self) }
    var files: [File] = []
    for folder in folderNames {
      let names = try Directory.names(in: path + "/segments/" + folder)
      for (number, bytes) in names.enumerated() {
        guard let name = SegmentIdentifier(name: bytes) else { continue }
        let place = names.count > 1 ? Double(number) / Double(names.count - 1) : nil
        files.append(try Self.file(name, place: place, in: storage, at: path))
      }
    }
    let folders = folderNames.sorted().map { HostFile.status(path + "/segments/" + $0) }
    let folderBirths = try folderNames.sorted().map { try Self.birth(ofFolder: path + "/segments/" + $0) }
    let nanoseconds = { (time: (Int64, UInt32)) in Double(time.0 - Int64(created.tv_sec)) * 1e9 + Double(time.1) }
    let foreign = files.filter { !explained.contains($0.name) }
    let paths = [path, path + "/segments", path + "/agonyfs.json"]
    let all = files.map(\.status) + folders + paths.map { HostFile.status($0) }
    let times = all.flatMap { [$0.st_mtim.tv_sec, $0.st_mtim.tv_nsec, $0.st_atim.tv_sec, $0.st_atim.tv_nsec] }
    let marked = Set(foreign.map { Int($0.name.folder) })
    // Of the folders with files that nothing explains, among all.
    let meanRank = { (values: [(Int, Int)]) in
      Self.mean(Self.ranks(values).enumerated().filter { marked.contains($0.offset) }.map(\.element))
    }
    features = [
      "files that nothing explains": Double(foreign.count),
      "files that the first space explains": Double(files.count - foreign.count),
      "folders": Double(folders.count),
      "sizes": Double(Set(files.map(\.status.st_size)).count),
      "times": Double(Set(times).count),
      "modes and owners": Double(Set(all.map { "\($0.st_mode) \($0.st_uid) \($0.st_gid)" }).count),
      "deviation of bytes": Self.mean(foreign.map { Self.deviation($0.bytes) }),
      "correlation of bytes": Self.mean(foreign.map { Self.correlation($0.bytes) }),
      "size when compressed": try Self.compressed(foreign.map(\.bytes)),
      "repeated bytes": Double(Self.repetitions(files.map(\.bytes))),
      "blocks": Self.mean(foreign.map { Double($0.status.st_blocks) }),
      "extents": Self.mean(foreign.map { Double($0.extents.count) }),
      "first byte of names": Self.mean(foreign.map { Double($0.name.folder) }),
      "place in the folder": Self.mean(foreign.compactMap(\.place)),
      "sizes of folders": Self.mean(folders.map { Double($0.st_size) }),
      "born after the creation": Double(
        foreign.count { ($0.born.0, Int($0.born.1)) > (Int64(created.tv_sec), created.tv_nsec) }),
      "from the last folder to the first file": (files.map { nanoseconds($0.born) }.min() ?? 0)
        - (folderBirths.map(nanoseconds).max() ?? 0),
      "time between births": Self.middleGap(files.map { nanoseconds($0.born) }.sorted()),
      "birth of folders": meanRank(folderBirths.map { (Int($0.0), Int($0.1)) }),
      "order of folders in the listing": Self.mean(
        folderNames.enumerated().filter { marked.contains(Int($0.element, radix: 16) ?? -1) }.map { Double($0.offset) }),
      "change of folders": meanRank(folders.map { ($0.st_ctim.tv_sec, $0.st_ctim.tv_nsec) }),
      "inode of folders": meanRank(folders.map { (Int($0.st_ino), 0) }),
    ]
    for (feature, order) in [
      ("inode", Self.ranks(files.map { (Int($0.status.st_ino), 0) })),
      ("birth", Self.ranks(files.map { (Int($0.born.0), Int($0.born.1)) })),
      ("change", Self.ranks(files.map { ($0.status.st_ctim.tv_sec, $0.status.st_ctim.tv_nsec) })),
      ("place on the disk", Self.ranks(files.map { (Int(clamping: $0.extents.first), 0) })),
    ] {
      let ofForeign = zip(files, order).filter { !explained.contains($0.0.name) }.map(\.1)
      features[feature + ", mean"] = Self.mean(ofForeign)
      features[feature + ", last"] = ofForeign.max() ?? 0
      features[feature + ", spread"] = (ofForeign.max() ?? 0) - (ofForeign.min() ?? 0)
      // Of two files in one folder, how often the one that nothing explains is later.
      var (later, pairs) = (0.0, 0.0)
      let folders = Dictionary(grouping: zip(files, order), by: { $0.0.name.folder })
      for members in folders.values {
        for one in members where !explained.contains(one.0.name) {
          for other in members where explained.contains(other.0.name) {
            pairs += 1
            if one.1 > other.1 { later += 1 }
          }
        }
      }
      features[feature + ", in a folder"] = pairs > 0 ? later / pairs : 0.5
    }
  }

  /// Adds what the first space says of itself.
  mutating func add(_ name: String, _ value: Int64) { features[name] = Double(value) }

  private static func file(
    _ name: SegmentIdentifier, place: Double?, in storage: DirectoryStorage, at path: String
  ) throws -> File {
    let reader = try storage.open(name)
    let birth = try reader.birth()
    let file = path + "/segments/" + name.path
    let status = HostFile.status(file)
    var bytes: [UInt8] = []
    for part in 0..<parts {
      bytes += try reader.bytes(at: max(0, Int(status.st_size) - partSize) / (parts - 1) * part, count: partSize)
    }
    return File(
      name: name, status: status, born: (birth.seconds, birth.nanoseconds), place: place, bytes: bytes,
      extents: extents(of: file))
  }

  /// Places of a file that are read, from its start to its end, and bytes of each.
  private static let (parts, partSize) = (4, 1 << 10)

  /// Squared deviations of the counts of byte values.
  private static func deviation(_ bytes: [UInt8]) -> Double {
    var counts = [Int](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let expected = Double(bytes.count) / 256
    return counts.reduce(0.0) { $0 + (Double($1) - expected) * (Double($1) - expected) / max(1, expected) }
  }

  /// How each byte goes with the next.
  private static func correlation(_ bytes: [UInt8]) -> Double {
    var correlation = 0
    for index in bytes.indices.dropLast() { correlation += (Int(bytes[index]) - 127) * (Int(bytes[index + 1]) - 127) }
    return Double(correlation)
  }

  /// How long deflate makes a byte of all these.
  private static func compressed(_ parts: [[UInt8]]) throws -> Double {
    let folder = try TemporaryFolder()
    let all = parts.reduce(into: []) { $0 += $1 }
    try HostFile.write(all, to: folder.path("bytes"))
    let outcome = try Outcome("/usr/bin/gzip", arguments: ["-n", folder.path("bytes")])
    #expect(outcome.status == 0, "\(outcome)")
    return Double(HostFile.status(folder.path("bytes.gz")).st_size) / Double(max(1, all.count))
  }

  /// How often eight bytes are the same as others of the vault, of one in eight.
  private static func repetitions(_ parts: [[UInt8]]) -> Int {
    var (seen, repeated) = (Set<[UInt8]>(), 0)
    for bytes in parts {
      for start in stride(from: 0, to: bytes.count - 7, by: 64) {
        if !seen.insert(Array(bytes[start..<start + 8])).inserted { repeated += 1 }
      }
    }
    return repeated
  }

  private static func birth(ofFolder path: String) throws -> (Int64, UInt32) {
    let folder = try Descriptor.openQuietly(path, O_RDONLY | O_DIRECTORY)
    var (seconds, nanoseconds) = (Int64(0), UInt32(0))
    guard unsafe agonyfs_file_birth(folder.number, &seconds, &nanoseconds) == 0 else { throw Errno.current }
    return (seconds, nanoseconds)
  }

  /// The number of a file's extents and where the first one lies, as far as the host tells (FS_IOC_FIEMAP).
  private static func extents(of path: String) -> (count: Int, first: UInt64) {
    guard let file = try? Descriptor.openQuietly(path, O_RDONLY) else { return (0, 0) }
    // Start, length, flags and mapped, room for extents; then 56 bytes for each: logical, physical, length and more.
    var words = [UInt64](repeating: 0, count: 4 + 7 * 32)
    words[1] = .max
    words[3] = 32
    guard unsafe ioctl(file.number, 0xC020_660B, &words) == 0 else { return (0, 0) }
    return (Int(words[2] >> 32), words[5])
  }

  private static func mean(_ numbers: [Double]) -> Double { numbers.reduce(0, +) / Double(max(1, numbers.count)) }

  /// The median of the differences between each and the next.
  private static func middleGap(_ numbers: [Double]) -> Double {
    let gaps = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.sorted()
    return gaps.isEmpty ? 0 : gaps[gaps.count / 2]
  }

  /// The place of each value in the order of all, from 0 to 1.
  private static func ranks(_ values: [(Int, Int)]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Double](repeating: 0, count: values.count)
    for (rank, index) in order.enumerated() { ranks[index] = Double(rank) / Double(max(1, values.count - 1)) }
    return ranks
  }
}
