internal import Client
internal import Crypto
internal import System

/// What a browser says of a file before it sends it.
public struct UploadDescription: Hashable, Sendable {
  /// Bytes.
  public let length: Int64
  /// The name that it is to have.
  public let name: [UInt8]
  /// Where it goes.
  public let album: SpacePath
  /// When it was changed last, in milliseconds since 1970; nil if that is not known.
  public let modified: Int64?
  /// Whether a photo or video of which any album has the content is not to be stored again.
  public let skipsDuplicates: Bool

  /// Years 1 to 9999.
  private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// A file of a length.
  ///
  /// - Parameters:
  ///   - album: the album that was chosen.
  ///   - relativePath: the path of the file in the folder that was dropped, with its name; albums below that album.
  /// - Throws: why it cannot be taken.
  public init(
    length: Int64, name: [UInt8], album: [UInt8], modified: Int64? = nil, relativePath: [UInt8] = [],
    skipsDuplicates: Bool = false
  ) throws(GalleryError) {
    guard length >= 0 else { throw GalleryError(.badRequest, "The length of a file is not below 0.") }
    if let modified, !Self.times.contains(modified) {
      throw GalleryError(.badRequest, "The time of the file is not in the years 1 to 9999.")
    }
    var place = try SpacePath(album).notInTrash()
    for part in relativePath.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast() {
      place = try place.appending(Array(part))
    }
    self.length = length
    if try place.appending(name).isInTrash {
      throw GalleryError(
        .badName, "\"\(String(decoding: name, as: UTF8.self))\" is the name of a trash there; rename the file.")
    }
    self.name = name
    self.album = place
    self.modified = modified
    self.skipsDuplicates = skipsDuplicates
  }

  /// What a line says at its end of a file that is to be nowhere twice.
  private static let once = "once"

  /// One line without its end, for the log of the upload.
  var line: [UInt8] {
    let parts = [
      String(length), Hexadecimal.text(of: name), Hexadecimal.text(of: album.bytes), modified.map(String.init) ?? "-",
    ]
    return Array((parts + (skipsDuplicates ? [Self.once] : [])).joined(separator: " ").utf8)
  }

  /// Reads such a line; nil if it is none.
  init?(line: ArraySlice<UInt8>) {
    let parts = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    let isOnce = parts.count == 5 && parts[4] == Self.once
    guard parts.count == 4 || isOnce, let length = Int64(parts[0]), let name = Hexadecimal.bytes(of: parts[1].utf8),
      let album = Hexadecimal.bytes(of: parts[2].utf8), parts[3] == "-" || Int64(parts[3]) != nil,
      let read = try? UploadDescription(
        length: length, name: name, album: album, modified: Int64(parts[3]), skipsDuplicates: isOnce)
    else { return nil }
    self = read
  }

  /// The same for the same file, so that it goes on where it was cut.
  var identifier: String { Hexadecimal.text(of: SHAHasher.sha256(of: line).prefix(16)) }
}
