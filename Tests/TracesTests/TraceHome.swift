import CZlib
import Glibc
import System
import TestSupport

@testable import Traces

/// A made home directory, with a place in it that is looked for.
final class TraceHome {
  let folder: TemporaryFolder
  /// The place: `Albums` in the home directory.
  let albums: String
  /// Variables of the environment.
  var environment: [String: String] = [:]
  /// Folders for temporary files.
  var temporary: [String] = []

  init() throws {
    folder = try TemporaryFolder()
    albums = folder.path("Albums")
  }

  /// A path in it, whose folders are made.
  func path(_ name: String) throws -> String {
    var parts = name.split(separator: "/").dropLast()
    var whole = folder.path
    while let part = parts.popFirst() {
      whole += "/" + part
      unsafe mkdir(whole, 0o700)
    }
    return folder.path(name)
  }

  /// Makes a file.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let whole = try path(name)
    try HostFile.write(bytes, to: whole)
    return whole
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String { try write(Array(text.utf8), to: name) }

  /// The home as the search sees it.
  var home: Home {
    Home(
      path: Array(folder.path.utf8), environment: { [environment] in environment[$0].map { Array($0.utf8) } },
      temporary: temporary.map { Array($0.utf8) })
  }

  /// Searches for the place.
  func search(
    known: KnownFiles = KnownFiles(), vaults: [String] = [], onlyRemovable: Bool = false
  ) -> TraceSearch {
    var search = TraceSearch(
      home, for: SearchedPlaces([Array(albums.utf8)]), known: known,
      vaults: SearchedPlaces(vaults.map { Array($0.utf8) }))
    search.run(onlyRemovable: onlyRemovable)
    return search
  }

  /// Findings of a kind.
  func findings(_ kind: Finding.Kind, known: KnownFiles = KnownFiles()) -> [Finding] {
    search(known: known).findings.filter { $0.kind == kind }
  }

  /// All files below it: their bytes, modes, inodes and times.
  func state() -> [String: [String]] {
    var state: [String: [String]] = [:]
    func look(_ path: String) {
      for name in HostFile.names(in: path) {
        let inner = path + "/" + name
        let status = HostFile.status(inner)
        if status.st_mode & S_IFMT == S_IFDIR {
          look(inner)
        } else if status.st_mode & S_IFMT == S_IFREG, status.st_size < 1 << 20 {
          state[inner] = [
            "\((try? Descriptor.openQuietly(inner, O_RDONLY).readToEnd()) ?? [])", "\(status.st_mode)",
            "\(status.st_ino)",
            "\(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)", "\(status.st_atim.tv_sec) \(status.st_atim.tv_nsec)",
          ]
        }
      }
    }
    look(folder.path)
    return state
  }
}

/// PNGs of one grey pixel with texts.
enum TestPNG {
  static func chunk(_ kind: String, _ body: [UInt8], length: UInt32? = nil) -> [UInt8] {
    let checked = Array(kind.utf8) + body
    let checksum = UInt32(unsafe crc32(0, checked, uInt(checked.count)))
    return bigEndian(length ?? UInt32(body.count)) + checked + bigEndian(checksum)
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var count = compressBound(uLong(bytes.count))
    var packed = [UInt8](repeating: 0, count: Int(count))
    unsafe compress(&packed, &count, bytes, uLong(bytes.count))
    return Array(packed[..<Int(count)])
  }

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func png(_ texts: [UInt8]...) -> [UInt8] {
    let header = bigEndian(1) + bigEndian(1) + [8, 0, 0, 0, 0]
    return signature + chunk("IHDR", header) + texts.joined() + chunk("IDAT", packed([0, 0])) + chunk("IEND", [])
  }

  static func plain(_ uri: String, keyword: String = "Thumb::URI") -> [UInt8] {
    chunk("tEXt", Array("\(keyword)\0\(uri)".utf8))
  }

  static func compressed(_ uri: String) -> [UInt8] {
    chunk("zTXt", Array("Thumb::URI\0\0".utf8) + packed(Array(uri.utf8)))
  }

  static func international(_ uri: String, isPacked: Bool) -> [UInt8] {
    chunk(
      "iTXt",
      Array("Thumb::URI\0".utf8) + [isPacked ? 1 : 0, 0] + Array("en\0Adresse\0".utf8)
        + (isPacked ? packed(Array(uri.utf8)) : Array(uri.utf8)))
  }
}
