import AlbumsSupport
import Catalog
import FaultyStorage
import Glibc
import Index
import Media
import Synchronization
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Stands in for the decoder: "photo FIELD=VALUE;…" is a photo that says that, and "FIELD=VALUE;…" a sidecar.
/// A photo that says "killing" gets a thumbnail, and whoever asks it for facts is killed.
final class CatalogMaker: DerivativeMaker {
  private struct Counts {
    var derived = 0
    var asked = 0
    var read = 0
    var isHeld = false
  }
  private let counts = Mutex(Counts())
  let jobsAtOnce: Int

  init(jobsAtOnce: Int = 1) { self.jobsAtOnce = jobsAtOnce }

  var confinement: String { "none" }
  var derived: Int { counts.withLock { $0.derived } }
  var asked: Int { counts.withLock { $0.asked } }
  var read: Int { counts.withLock { $0.read } }
  /// Whether photos that say "hold" are not examined for now, nor asked.
  var isHeld: Bool {
    get { counts.withLock { $0.isHeld } }
    set { counts.withLock { $0.isHeld = newValue } }
  }
  func stop() { isHeld = false }

  func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe bytes.starts(with: Array("photo".utf8)) || bytes.starts(with: Array("video".utf8))
  }

  func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    counts.withLock { $0.derived += 1 }
    let text = try Self.text(of: source)
    while text.contains("hold"), isHeld { usleep(1000) }
    var made = Derivatives(
      facts: MediaFacts(kind: try kind(of: text), width: 40, height: 30), small: Array("small".utf8),
      large: Array("large".utf8))
    made.found = try facts(in: text).encoded
    return made
  }

  func facts(of source: any MediaSource, small: [UInt8]?) throws(DecoderError) -> [UInt8] {
    let text = try Self.text(of: source)
    counts.withLock { $0.asked += 1 }
    if text.contains("killing") { throw .killed }
    while text.contains("hold"), isHeld { usleep(1000) }
    return try facts(in: text).encoded
  }

  func sidecar(_ kind: SidecarKind, content: [UInt8]) throws(DecoderError) -> [UInt8] {
    counts.withLock { $0.read += 1 }
    return Self.facts(in: String(decoding: content, as: UTF8.self), from: .sidecar).encoded
  }

  /// What stands between bars stands for the pixels.
  func pixelDigest(of source: any MediaSource) throws(DecoderError) -> [UInt8] {
    counts.withLock { $0.asked += 1 }
    let parts = try Self.text(of: source).split(separator: "|")
    return Array((parts.count > 1 ? parts[1] : parts[0]).utf8)
  }

  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(DecoderError) -> [UInt8] { jpeg }

  private func kind(of text: String) throws(DecoderError) -> MediaKind {
    if text.contains("raw!") { return .raw }
    if text.hasPrefix("photo") { return .jpeg }
    if text.hasPrefix("video") { return .mp4 }
    throw .notMedia
  }

  private func facts(in text: String) throws(DecoderError) -> FactList {
    var list = Self.facts(in: String(text.dropFirst(6)), from: .exif)
    list.add(.kind(try kind(of: text)), from: .content)
    return list
  }

  private static func text(of source: any MediaSource) throws(DecoderError) -> String {
    String(decoding: try source.whole(), as: UTF8.self)
  }

  private static func facts(in text: String, from source: FactSource) -> FactList {
    var list = FactList()
    for part in text.split(separator: ";") {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      if pair[0] == "look", let look = UInt64(pair[1], radix: 16) { list.add(.perceptualHash(look), from: .pixels) }
      if pair[0] == "ending" { list.add(.mediaEnding(String(pair[1])), from: source) }
      if pair[0] == "motion" { list.add(.motion(0..<4), from: .content) }
      list.add(FactValue(field: String(pair[0]), text: String(pair[1])), from: source)
    }
    return list
  }
}

/// A vault whose decoder is a `CatalogMaker`.
struct CatalogVault {
  let maker: CatalogMaker
  let vault: TestVault
  var files: FileSystem { vault.files }

  init(storage: FaultyStorage = FaultyStorage(), jobsAtOnce: Int = 1) throws {
    maker = CatalogMaker(jobsAtOnce: jobsAtOnce)
    vault = try TestVault(storage: storage, thumbnails: maker)
  }

  /// Makes a photo that says something, and waits until it was looked at.
  func photo(_ name: String, _ facts: String = "", in parent: InodeNumber = .root) throws -> InodeNumber {
    let file = try files.make(name, in: parent, with: Array("photo \(facts)".utf8))
    try settle()
    return file
  }

  /// Makes another file, or gives one another content.
  @discardableResult
  func text(_ name: String, _ content: String, in parent: InodeNumber = .root) throws -> InodeNumber {
    let file = try (try? files.find(name, in: parent).inode) ?? files.make(name, in: parent)
    try files.resize(file, 0)
    try files.put(Array(content.utf8), file)
    try settle()
    return file
  }

  func set(_ name: String, of inode: InodeNumber, to value: String) throws {
    try files.setAttribute(name, of: inode, to: Array(value.utf8))
  }

  /// Waits until the decoder has nothing more to do, and merges the rest.
  func settle() throws { try files.waitForCatalog() }

  /// What the catalog says of a file now.
  func item(_ inode: InodeNumber) throws -> MediaItem? {
    try files.cataloguer.settle()
    return try files.reading { files throws(Errno) in
      try files.withIndex { index throws(IndexError) in try index.catalog.namedItem(inode) }
    }
  }
}

extension FileSystem {
  /// Waits until the decoder has nothing more to do, and merges the rest.
  func waitForCatalog() throws {
    try waitUntilNothingIsPending()
    try waitUntil("the catalog is up to date") {
      try cataloguer.settle()
      let reasons: StaleReason = [.look, .read, .match, .matching, .merge]
      return locked { files in
        (try? files.index.catalog.stale(for: reasons, limit: 1))?.isEmpty == true && files.catalog.filled == .done
          && files.catalog.settled == .done
      }
    }
  }

  /// Has a row be as a program writes it that knows fewer flags.
  func ageRow(of inode: InodeNumber) throws {
    try locked { files in
      guard var row = try files.index.catalog.item(inode) else { return }
      let flags: ItemFlags = [.sidecar, .fileTime, .isExact, .monthOnly, .yearOnly, .fields]
      row.flags = ItemFlags(rawValue: row.flags).subtracting(flags).rawValue
      try files.index.catalog.updateItem(row)
    }
  }

  /// The lines of the door's answer to a request, which is read in small pieces.
  func answer(_ request: String, for opener: Opener = .everything) -> [String] {
    var answer = DoorAnswer(Array(request.utf8), from: self, for: opener, today: nil)
    return answer.readLines(100)
  }
}

extension DoorAnswer {
  /// The lines of what was not read yet, read so many bytes at a time.
  mutating func readLines(_ count: Int) -> [String] {
    var bytes: [UInt8] = []
    while true {
      let piece = read(count)
      if piece.isEmpty { break }
      bytes += piece
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
