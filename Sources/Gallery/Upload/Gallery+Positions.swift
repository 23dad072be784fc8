internal import Catalog
internal import Client

/// Whether uploaded photos have a position. Phones remove it from photos that they give to browsers.
public struct PositionReport: Equatable, Sendable {
  /// The number of photos and videos with a known camera and without a position.
  public var missing = 0
  /// The indexes of the files that the catalog has still to examine. Other files, and missing ones, are not included.
  public var pending: [Int] = []
}

extension Gallery {
  /// The most files in one call.
  public static let mostPositions = 500

  /// How many of these files lack the position that a camera would have recorded.
  ///
  /// - Throws: `.tooLarge` for more than `mostPositions`.
  public func positions(of paths: [SpacePath]) throws(GalleryError) -> PositionReport {
    guard paths.count <= Self.mostPositions else {
      throw GalleryError(.tooLarge, "At most \(Self.mostPositions) files are asked for together.")
    }
    var report = PositionReport()
    let records = try records(of: paths)
    let unknown = paths.indices.filter { records[$0] == nil }
    let waiting = try GalleryError.of("The catalog") { Set(try areWaiting(unknown.map { paths[$0] })) }
    report.pending = unknown.filter { waiting.contains(paths[$0]) }
    for case let record? in records {
      if record["camera"]?.text != nil, record["latitude"] == nil { report.missing += 1 }
    }
    return report
  }
}
