// Invariants
// 1. A snapshot never changes: a number in it stands for the same photo for as long as it is kept.

internal import System

/// The path and the inode of a photo when it was listed.
struct SnapshotItem {
  let path: SpacePath
  let inode: UInt64
}

/// The photos that match a request, in order, numbered from 0.
public final class Snapshot: Sendable {
  /// Photos whose records are fetched together.
  public struct Section: Equatable, Sendable {
    /// The day as `2019-07-14`, the month as `2019-07`, or the year if only that is known; the place or the tag. Empty
    /// for photos without one.
    public var title: String
    /// The number of its first photo.
    public var first: Int
    /// The number of its photos, at most 500.
    public var count: Int
  }

  /// The beginning of a month.
  public struct Month: Equatable, Sendable {
    /// The month as `2019-07`, or `2019` if only the year is known; empty for photos without a date.
    public var month: String
    /// The number of its first photo.
    public var first: Int
  }

  /// The most photos of a section.
  public static let mostInSection = 500
  /// The bytes of a photo in the geometry.
  public static let tileBytes = 8
  /// The flag in the kind of a photo that may not be chosen. All kinds are smaller.
  static let refused: UInt8 = 8

  /// Its identifier for browsers: 32 random hexadecimal digits.
  public let name: String
  /// The sections, which contain all photos.
  public let sections: [Section]
  /// The beginnings of months, if photos are in the order of time.
  public let months: [Month]
  /// The number of files that the catalog had not examined yet.
  public let pending: Int
  /// Whether the mount is examining them.
  public let isExamining: Bool
  /// Eight bytes for each photo in the format of the catalog's `tiles`, with the flag `refused` added.
  public let geometry: [UInt8]
  /// The directory that was listed.
  let album: SpacePath
  /// Whether it lists files that are neither photos nor videos.
  let hasOtherFiles: Bool
  private let paths: PackedPaths

  init(
    _ paths: PackedPaths, _ geometry: [UInt8], _ sections: [Section], _ months: [Month], pending: Int,
    isExamining: Bool = false, in album: SpacePath, hasOtherFiles: Bool = false
  ) {
    name = Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    (self.paths, self.geometry, self.sections, self.months) = (paths, geometry, sections, months)
    self.pending = pending
    self.isExamining = isExamining
    self.album = album
    self.hasOtherFiles = hasOtherFiles
  }

  /// The subject for sentences about one of its files.
  var thing: String { hasOtherFiles ? "The file" : "The photo" }

  /// The number of photos.
  public var count: Int { paths.count }

  /// The path of a photo.
  public func path(_ index: Int) throws(GalleryError) -> SpacePath {
    try check(index)
    return SpacePath(trusted: paths[index])
  }

  /// Throws for a number without a photo.
  func check(_ index: Int) throws(GalleryError) {
    guard index >= 0, index < count else {
      throw GalleryError(.notFound, "Photo \(index) does not exist in this snapshot, which has \(count).")
    }
  }

  /// A photo as it was when the snapshot was made.
  func item(_ index: Int) throws(GalleryError) -> SnapshotItem {
    SnapshotItem(path: try path(index), inode: paths.inode(index))
  }

  func inode(_ index: Int) -> UInt64 { paths.inode(index) }

  /// Whether a photo may not be chosen (`SectionsRequest.allowed`). A file that is not a photo never may.
  public func isRefused(_ index: Int) -> Bool { hasOtherFiles || kind(index) & Self.refused != 0 }

  /// The kind of a photo in the geometry, in the format of the catalog's `tiles`.
  public func kind(_ index: Int) -> UInt8 { geometry[index * Self.tileBytes + 5] }
}
