internal import Client
internal import Crypto
internal import System

/// The properties of a file that a browser announces before sending it.
public struct UploadDescription: Hashable, Sendable {
  /// Its length in bytes.
  public let length: Int64
  /// The name that it should get.
  public let name: [UInt8]
  /// The album for it.
  public let album: SpacePath
  /// Its modification time, in milliseconds since 1970; nil if it is unknown.
  public let modified: Int64?
  /// Whether to skip storing a photo or video if any album has its content.
  public let skipsDuplicates: Bool

  /// The first and the last millisecond of the years 1 to 9999.
  private static let times: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  /// Checks the properties of a file.
  ///
  /// - Parameters:
  ///   - album: The chosen album.
  ///   - relativePath: The path of the file in a folder that was dropped, with its name. Its directories become albums
  ///     below `album`.
  /// - Throws: Why the file cannot be accepted.
  public init(
    length: Int64, name: [UInt8], album: [UInt8], modified: Int64? = nil, relativePath: [UInt8] = [],
    skipsDuplicates: Bool = false
  ) throws(GalleryError) {
    guard length >= 0 else { throw GalleryError(.badRequest, "The length of a file cannot be negative.") }
    if let modified, !Self.times.contains(modified) {
      throw GalleryError(.badRequest, "The time of the file must be in the years 1 to 9999.")
    }
    var place = try SpacePath(album).notInTrash()
    for part in relativePath.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropLast() {
      place = try place.appending(Array(part))
    }
    self.length = length
    if try place.appending(name).isInTrash {
      throw GalleryError(
        .badName, "\"\(String(decoding: name, as: UTF8.self))\" is the name of a trash folder there; rename the file.")
    }
    self.name = name
    self.album = place
    self.modified = modified
    self.skipsDuplicates = skipsDuplicates
  }

  /// The last word of the line if `skipsDuplicates` is set.
  private static let once = "once"

  /// The properties as one line without its end, for the log of the upload.
  var line: [UInt8] {
    let parts = [
      String(length), Hexadecimal.text(of: name), Hexadecimal.text(of: album.bytes), modified.map(String.init) ?? "-",
    ]
    return Array((parts + (skipsDuplicates ? [Self.once] : [])).joined(separator: " ").utf8)
  }

  /// Parses such a line; nil if it is invalid.
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

  /// The same for the same file, so that an interrupted upload can be resumed.
  var identifier: String { Hexadecimal.text(of: SHAHasher.sha256(of: line).prefix(16)) }
}
