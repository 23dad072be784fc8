import AlbumsSupport
import CSodium
import FoundationEssentials
import Index
import System
import TestSupport
import Testing
import Vault

@testable import Albums

/// A committed vault, and what is known of it. `Tests/Fixtures/make.py` makes them.
struct Fixture {
  /// What can be seen of one file.
  struct Entry: Codable, Equatable {
    /// As Python's `oct` writes it.
    var mode: String
    var links, owner, group: UInt32
    /// Nanoseconds since 1970.
    var modified, changed: Int64
    var size: Int64?
    /// BLAKE2b-256 of the content, or of its end where there is more than `hashedBytes`.
    var blake2b: String?
    /// In percent-encoding.
    var target: String?
    var device: UInt64?
    /// Values in hexadecimal digits.
    var attributes: [String: String]?
  }

  struct Space: Codable {
    var password: String
    /// By paths in percent-encoding; "." is the root.
    var files: [String: Entry]
  }

  private static let hashedBytes = 16 << 20

  let folder: TemporaryFolder
  /// The directory of a complete copy, which may be changed.
  var path: String { folder.path("vault") }
  /// What the vault holds, space by space.
  let spaces: [Space]
  /// Paths of the files of the copy that are shorter than a segment.
  let incomplete: [String]

  /// The vaults of the present format.
  enum Kind: CaseIterable {
    /// Closed, so that the last head has everything.
    case closed
    /// Left by a crash, with intents in the last head.
    case torn
    /// The same without that head, with intents in commits.
    case headless
  }

  /// A vault of the present format.
  init(_ kind: Kind) throws {
    try self.init(kind == .closed ? "format-2-closed" : "format-2-killed")
    if kind == .headless { for file in incomplete { HostFile.remove(file) } }
  }

  /// Copies a vault of `Tests/Fixtures`, and appends what is not kept there: bytes that nothing authenticates.
  init(_ name: String, path: String = #filePath) throws {
    folder = try TemporaryFolder()
    let here = path.split(separator: "/").dropLast(2).reduce("") { $0 + "/" + $1 } + "/Fixtures/" + name
    func read<T: Decodable>(_ file: String, as type: T.Type) throws -> T {
      try JSONDecoder().decode(type, from: Data(try HostFile.read(here + "/" + file)))
    }
    spaces = try [1, 2].map { try read("space-\($0).json", as: Space.self) }
    let shorter = try read("incomplete.json", as: [String: Int].self)
    incomplete = shorter.keys.map { [folder] in folder.path("vault/segments/\($0.prefix(2))/\($0)") }
    try folder.makeDirectory("vault")
    try folder.makeDirectory("vault/segments")
    try HostFile.write(try HostFile.read(here + "/vault/agonyfs.json"), to: folder.path("vault/agonyfs.json"))
    for first in 0..<256 {
      let folderName = "vault/segments/" + Self.digits([UInt8(first)])
      try folder.makeDirectory(folderName)
      for file in HostFile.names(in: here + "/" + folderName) {
        let kept = try HostFile.read(here + "/" + folderName + "/" + file)
        let padding = [UInt8](repeating: 0, count: (shorter[file] ?? 1 << 20) - kept.count)
        try HostFile.write(kept + padding, to: folder.path(folderName + "/" + file))
      }
    }
  }

  /// What a file system shows, in the words of the list beside a fixture.
  static func contents(of files: FileSystem) throws -> [String: Entry] {
    var found = [".": try entry(of: .root, in: files)]
    var rest: [(path: [UInt8], folder: InodeNumber)] = [([], .root)]
    while let (path, folder) = rest.popLast() {
      var children: [(FileName, InodeNumber)] = []
      try files.list(folder, after: 2) { name, inode, _, _ in
        children.append((name, inode))
        return true
      }
      for (name, inode) in children {
        let place = path + name.bytes
        let entry = try entry(of: inode, in: files)
        found[quoted(place)] = entry
        if entry.mode.hasPrefix("0o4") { rest.append((place + [0x2F], inode)) }
      }
    }
    return found
  }

  private static func entry(of inode: InodeNumber, in files: FileSystem) throws -> Entry {
    let facts = try files.attributes(of: inode)
    var entry = Entry(
      mode: "0o" + String(facts.mode, radix: 8), links: facts.links, owner: facts.owner, group: facts.group,
      modified: nanoseconds(facts.modified), changed: nanoseconds(facts.changed))
    switch facts.mode & FileKind.mask {
    case FileKind.regular:
      entry.size = facts.size
      let content = try files.get(inode, at: max(0, Int(facts.size) - hashedBytes))
      var hash = [UInt8](repeating: 0, count: 32)
      unsafe crypto_generichash(&hash, hash.count, content, UInt64(content.count), nil, 0)
      entry.blake2b = digits(hash)
    case FileKind.symbolicLink: entry.target = quoted(try files.readLink(of: inode))
    case FileKind.characterDevice, FileKind.blockDevice: entry.device = facts.device
    default: break
    }
    for name in try files.listExtendedAttributes(of: inode).split(separator: 0) {
      let value = try files.extendedAttribute(Array(name), of: inode)
      entry.attributes = entry.attributes ?? [:]
      entry.attributes?[String(decoding: name, as: UTF8.self)] = digits(value)
    }
    return entry
  }

  static func nanoseconds(_ time: Timestamp) -> Int64 { time.seconds * 1_000_000_000 + Int64(time.nanoseconds) }

  private static func digits(_ bytes: [UInt8]) -> String { Hexadecimal.text(of: bytes) }

  /// As Python's `urllib.parse.quote` writes it.
  private static func quoted(_ bytes: [UInt8]) -> String {
    bytes.reduce(into: "") { text, byte in
      let scalar = UnicodeScalar(byte)
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      text += isPlain || "/_.-~".unicodeScalars.contains(scalar) ? String(scalar) : "%" + digits([byte]).uppercased()
    }
  }
}
