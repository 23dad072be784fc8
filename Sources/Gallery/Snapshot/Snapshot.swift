// Invariants
// 1. A snapshot never changes: a number in it is the same photo for as long as it is kept.

internal import System

/// Where a photo was, and which file it is.
struct SnapshotItem {
  let path: SpacePath
  let inode: UInt64
}

/// The answers to one question, in order, by their numbers from 0.
public final class Snapshot: Sendable {
  /// Photos that are asked for together.
  public struct Section: Equatable, Sendable {
    /// The day as `2019-07-14`, the month as `2019-07`, the year where no more is known, the place or the tag; empty for
    /// what has none.
    public var title: String
    /// The number of its first photo.
    public var first: Int
    /// How many there are, 500 at most.
    public var count: Int
  }

  /// Where a month begins.
  public struct Month: Equatable, Sendable {
    /// As `2019-07`, or `2019` where no more is known; empty for what has no date.
    public var month: String
    /// The number of its first photo.
    public var first: Int
  }

  /// Most photos of a section.
  public static let mostInSection = 500
  /// Bytes of a photo in the geometry.
  public static let tileBytes = 8
  /// What is added to the kind of a photo that may not be chosen. The kinds themselves are smaller.
  static let refused: UInt8 = 8

  /// What it is called by browsers: 32 random hexadecimal digits.
  public let name: String
  /// All photos, in sections.
  public let sections: [Section]
  /// Where months begin, if the order is that of time.
  public let months: [Month]
  /// Files that the catalog had not examined yet.
  public let pending: Int
  /// Whether the mount examines them by itself.
  public let isExamining: Bool
  /// Eight bytes for each photo, as the door's `tiles` have them, but for `refused`.
  public let geometry: [UInt8]
  /// The directory that all of it is in.
  let album: SpacePath
  /// Whether it has no photos, but other files.
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

  /// What one of them is called at the beginning of a sentence.
  var thing: String { hasOtherFiles ? "The file" : "The photo" }

  /// How many photos there are.
  public var count: Int { paths.count }

  /// The path of a photo.
  public func path(_ index: Int) throws(GalleryError) -> SpacePath {
    try check(index)
    return SpacePath(trusted: paths[index])
  }

  /// Refuses the number of no photo.
  func check(_ index: Int) throws(GalleryError) {
    guard index >= 0, index < count else {
      throw GalleryError(.notFound, "There is no photo \(index) in this snapshot; it has \(count).")
    }
  }

  /// A photo as it was when the snapshot was made.
  func item(_ index: Int) throws(GalleryError) -> SnapshotItem {
    SnapshotItem(path: try path(index), inode: paths.inode(index))
  }

  func inode(_ index: Int) -> UInt64 { paths.inode(index) }

  /// Whether a photo may not be chosen (`SectionsRequest.allowed`). What is no photo has no kind, and never may.
  public func isRefused(_ index: Int) -> Bool { hasOtherFiles || kind(index) & Self.refused != 0 }

  /// What the geometry says of the kind of a photo, as the door's `tiles` have it.
  public func kind(_ index: Int) -> UInt8 { geometry[index * Self.tileBytes + 5] }
}
