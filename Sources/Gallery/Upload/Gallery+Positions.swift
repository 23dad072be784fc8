internal import Catalog
internal import Client

/// Whether photos that came say where they were taken: phones take that away from what they give to browsers.
public struct PositionReport: Equatable, Sendable {
  /// Photos and videos of a camera that is known, without a position.
  public var missing = 0
  /// Which of the files are still to be examined, by their places in the question: no other files, and none that are gone.
  public var pending: [Int] = []
}

extension Gallery {
  /// Most files of one question.
  public static let mostPositions = 500

  /// How many of some files lack a position that they should have.
  ///
  /// - Throws: `.tooLarge` for more than `mostPositions`.
  public func positions(of paths: [SpacePath]) throws(GalleryError) -> PositionReport {
    guard paths.count <= Self.mostPositions else {
      throw GalleryError(.tooLarge, "At most \(Self.mostPositions) files are asked for together.")
    }
    var report = PositionReport()
    let records = try records(of: paths)
    let unknown = paths.indices.filter { records[$0] == nil }
    let waiting = try GalleryError.of("Asking the catalog") { Set(try areWaiting(unknown.map { paths[$0] })) }
    report.pending = unknown.filter { waiting.contains(paths[$0]) }
    for case let record? in records {
      if record["camera"]?.text != nil, record["latitude"] == nil { report.missing += 1 }
    }
    return report
  }
}
