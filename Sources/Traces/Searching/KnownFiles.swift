internal import Crypto
internal import Glibc
internal import System

/// The files that are in the places now, by the digests that programs use as file names.
package struct KnownFiles: Sendable {
  /// Most files that are counted, because a mount may hold any number.
  package static let most = 300_000

  private var thumbnails: Set<[UInt8]> = []
  private var paths: Set<[UInt8]> = []
  /// Whether there were more than `most`.
  package private(set) var isCut = false

  /// No files.
  package init() {}

  /// The places, and all files and folders that are below them now.
  package init(in places: SearchedPlaces) {
    for place in places.paths {
      add(place)
      if let folder = try? Folder.begin(at: place) { add(below: folder, device: nil) }
    }
  }

  private mutating func add(below folder: Folder, device: UInt64?) {
    guard let own = try? folder.status(of: [UInt8(ascii: ".")]), device == nil || device == UInt64(own.st_dev) else {
      return
    }
    for name in (try? folder.names()) ?? [] {
      guard thumbnails.count < Self.most else {
        isCut = true
        return
      }
      add(folder.path(of: name))
      if let inner = try? folder.folder(name) { add(below: inner, device: UInt64(own.st_dev)) }
    }
  }

  private mutating func add(_ path: [UInt8]) {
    for uri in TraceURI.fileURIs(of: path) {
      if let digest = NameDigest.md5(uri) { thumbnails.insert(digest) }
    }
    if let digest = NameDigest.md5(path) { paths.insert(digest) }
  }

  /// Whether a file `DIGEST.png` is named after the URI of one of the files.
  func hasThumbnail(named name: [UInt8]) -> Bool {
    Self.digest(of: name, ending: ".png").map(thumbnails.contains) ?? false
  }

  /// Whether a file is named after the digest of one of the paths, as mpv's files are.
  func hasPathDigest(named name: [UInt8]) -> Bool { Self.digest(of: name, ending: "").map(paths.contains) ?? false }

  private static func digest(of name: [UInt8], ending: String) -> [UInt8]? {
    guard name.count == 32 + ending.utf8.count, name.suffix(ending.utf8.count).elementsEqual(ending.utf8) else {
      return nil
    }
    return Hexadecimal.bytes(of: name.prefix(32).map { $0 | 0x20 })
  }
}
