// Invariants
// 1. An original is returned byte by byte: never decoded, cut or encoded again.
// 2. Only the block that is being read is in memory.

internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// The form of a photo that is requested.
public enum ItemForm: String, Sendable {
  /// A JPEG of at most 1024 pixels on the longer side.
  case preview
  /// A form that every browser shows: the original, or a JPEG with all of its pixels.
  case full
  case original
  /// The video in a motion photo, or of a live photo.
  case motion
}

/// The open content of a photo.
public final class ItemContent: Sendable {
  /// Its size in bytes.
  public let size: Int64
  /// Its media type, which is never guessed from a name.
  public let type: String
  /// The name to save it under.
  public let name: [UInt8]
  /// An entity tag, which changes whenever the content does.
  public let tag: String
  /// Its modification time, in seconds since 1970.
  public let modified: Int64
  let inode: UInt64
  /// Whether a browser may show it. Any other content can only be saved.
  public let isShowable: Bool
  private let file: Descriptor
  private let calls: FileCalls

  init(_ file: Descriptor, _ calls: FileCalls, type: String, name: [UInt8], isShowable: Bool) throws(Errno) {
    let status = try calls.status(of: file)
    guard status.kind == .file else { throw .notSupported }
    (self.file, self.calls, self.type, self.name, self.isShowable) = (file, calls, type, name, isShowable)
    size = status.size
    inode = status.inode
    modified = status.modified.seconds
    let numbers = [UInt64(bitPattern: modified), UInt64(bitPattern: status.modified.nanoseconds)]
    tag = ([status.inode, UInt64(bitPattern: size)] + numbers).map { String($0, radix: 16) }.joined(separator: "-")
  }

  /// The bytes at an offset, at most `count`.
  public func bytes(at offset: Int64, count: Int) throws(GalleryError) -> [UInt8] {
    try GalleryError.of("The photo") { try calls.bytes(of: file, at: offset, count: count) }
  }
}

extension Gallery {
  private static let thumbnails = Array(".agonyfs/thumbnails/".utf8)
  private static let mostThumbnailBytes = 16 << 20
  private static let types = [
    "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "tiff": "image/tiff",
    "heic": "image/heic", "avif": "image/avif", "jxl": "image/jxl", "mp4": "video/mp4", "mov": "video/quicktime",
    "mkv": "video/x-matroska", "webm": "video/webm", "avi": "video/x-msvideo", "3gp": "video/3gpp",
    "mts": "video/mp2t", "mpg": "video/mpeg", "wmv": "video/x-ms-wmv", "flv": "video/x-flv", "ogv": "video/ogg",
    "bmp": "image/bmp",
  ]
  /// The kinds that browsers show without conversion.
  private static let shown: Set<String> = ["jpeg", "png", "gif", "webp", "bmp"]
  private static let videos: Set<String> = [
    "mp4", "mov", "mkv", "webm", "avi", "3gp", "mts", "mpg", "wmv", "flv", "ogv",
  ]
  private static let unknownType = "application/octet-stream"

  /// The JPEG of a photo, at most 256 or 1024 pixels on the longer side; nil if there is none. Blocks until it is made.
  func thumbnail(of path: SpacePath, pixels: Int) throws(GalleryError) -> [UInt8]? {
    let folder = Self.thumbnails + Array(pixels <= 256 ? "256/".utf8 : "1024/".utf8)
    do throws(Errno) {
      return try root.open(folder + path.bytes, O_RDONLY).readToEnd(limit: Self.mostThumbnailBytes)
    } catch {
      switch error {
      // A photo without a thumbnail is not an error, but a mount that is gone is.
      case .socketNotConnected, .operationNotSupportedByDevice, .staleNFSFileHandle:
        throw GalleryError(error, "The thumbnail")
      default: return nil
      }
    }
  }

  /// Opens a form of the photo at a path.
  ///
  /// - Throws: `.notFound` if the photo does not have this form.
  func open(_ form: ItemForm, of path: SpacePath) throws(GalleryError) -> ItemContent {
    switch form {
    case .preview: try made(Self.thumbnails + Array("1024/".utf8), path, "image/jpeg", ending: ".jpg")
    case .original: try original(path, kind: try record(of: path)["kind"]?.text)
    case .full:
      switch try record(of: path)["kind"]?.text {
      case let kind? where Self.shown.contains(kind) || Self.videos.contains(kind): try original(path, kind: kind)
      default: try made(Self.thumbnails + Array("full/".utf8), path, "image/jpeg", ending: ".jpg")
      }
    case .motion: try motion(path)
    }
  }

  /// Opens the file itself. If `kind` is not one that browsers show, it can only be saved.
  func original(_ path: SpacePath, kind: String?) throws(GalleryError) -> ItemContent {
    try GalleryError.of("The photo") {
      let kind = kind ?? ""
      return try ItemContent(
        root.open(path.bytes, O_RDONLY), calls, type: Self.types[kind] ?? Self.unknownType, name: path.name,
        isShowable: Self.shown.contains(kind) || Self.videos.contains(kind))
    }
  }

  /// Opens a file that the mount makes from a photo.
  private func made(
    _ folder: [UInt8], _ path: SpacePath, _ type: String, ending: String
  ) throws(GalleryError) -> ItemContent {
    try GalleryError.of("The picture") {
      let stem = BytePath(path.name).parts.stem
      return try ItemContent(
        root.open(folder + path.bytes, O_RDONLY), calls, type: type, name: stem + Array(ending.utf8), isShowable: true)
    }
  }

  private func motion(_ path: SpacePath) throws(GalleryError) -> ItemContent {
    let facts = try record(of: path)
    if facts["motion"]?.isTrue == true {
      return try made(Array(".agonyfs/motion/".utf8), path, "video/mp4", ending: ".mp4")
    }
    if facts["stack"]?["kind"]?.text == "live", !Self.videos.contains(facts["kind"]?.text ?? ""),
      let number = facts["stack"]?["number"]
    {
      if let video = try likeNamedVideo(of: path, inStack: number) { return try original(video.path, kind: video.kind) }
      let video = try liveVideo(inStack: number, isTrash: path.isInTrash)
      if let video { return try original(video.path, kind: video.kind) }
    }
    throw GalleryError(.notFound, "This photo does not contain a video.")
  }

  private struct FoundVideo: Error {
    var path: SpacePath
    var kind: String?
  }

  /// The video of a live photo, if it has the name that cameras give. Searching the catalog instead is slow in a large
  /// space.
  private func likeNamedVideo(of path: SpacePath, inStack number: JSONValue) throws(GalleryError) -> FoundVideo? {
    let start = path.bytes.dropLast(BytePath(path.bytes).parts.ending.count)
    let paths = [".MOV", ".mov", ".MP4", ".mp4"].map { SpacePath(trusted: start + Array($0.utf8)) }
    for (path, facts) in zip(paths, try records(of: paths)) where facts?["stack"]?["number"] == number {
      return FoundVideo(path: path, kind: facts?["kind"]?.text)
    }
    return nil
  }

  /// The video of a live photo, whatever its name.
  private func liveVideo(inStack number: JSONValue, isTrash: Bool) throws(GalleryError) -> FoundVideo? {
    try GalleryError.of("The catalog") {
      var request = CatalogRequest(query: "is:live type:video")
      request.trash = isTrash
      do {
        try lines(request) { facts in
          guard facts["stack"]?["number"] == number, let path = CatalogRecord(facts)?.path else { return }
          // Thrown to stop reading the rest of the answer.
          throw FoundVideo(path: SpacePath(trusted: path), kind: facts["kind"]?.text)
        }
        return nil
      } catch let video as FoundVideo {
        return video
      }
    }
  }

  /// The ending that the name of a cover adds to that of its album.
  static let coverEnding = Array(".jpg".utf8)

  /// The cover of an album, a JPEG.
  ///
  /// - Throws: `.notFound` if it has none.
  public func cover(of album: SpacePath) throws(GalleryError) -> [UInt8] {
    try GalleryError.of("The cover") {
      let path = Array(".agonyfs/covers/".utf8) + album.bytes + Self.coverEnding
      return try root.open(path, O_RDONLY).readToEnd(limit: Self.mostThumbnailBytes)
    }
  }
}
