import Client
import Crypto

@testable import Gallery

/// A suite that sends files.
protocol SendsUploads {}

extension SendsUploads {
  static var incoming: String { ".agonyfs/incoming" }

  func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed) ^ ($0 >> 8)) }
  }

  func description(
    _ length: Int, _ name: String = "a.jpg", album: String = "", path: String = "",
    modified: Int64? = 1_565_872_496_789, skipsDuplicates: Bool = false
  ) throws -> UploadDescription {
    try UploadDescription(
      length: Int64(length), name: Array(name.utf8), album: Array(album.utf8), modified: modified,
      relativePath: Array(path.utf8), skipsDuplicates: skipsDuplicates)
  }

  /// Sends a whole file as one that nobody knows.
  func sent(
    _ content: [UInt8], _ name: String = "a.jpg", album: String = "", skipsDuplicates: Bool = false,
    to gallery: Gallery
  ) throws -> UploadStatus {
    let whole = try description(content.count, name, album: album, skipsDuplicates: skipsDuplicates)
    let began = try gallery.uploads.begin(whole, resumes: false)
    if began.path != nil { return began }
    return try send(content[...], began.identifier, at: 0, gallery, step: content.count)
  }

  /// Sends a piece, so many bytes at a time.
  @discardableResult
  func send(
    _ content: ArraySlice<UInt8>, _ identifier: String, at offset: Int, _ gallery: Gallery, checksum: [UInt8]? = nil,
    step: Int = 1000
  ) throws(GalleryError) -> UploadStatus {
    let piece = try UploadPiece(
      of: identifier, at: Int64(offset), checksum: checksum ?? SHAHasher.sha256(of: Array(content)), in: gallery)
    var rest = content
    while !rest.isEmpty {
      try piece.append(Array(rest.prefix(step)))
      rest = rest.dropFirst(step)
    }
    return try piece.finish()
  }
}
