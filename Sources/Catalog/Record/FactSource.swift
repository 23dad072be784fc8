/// The source of a fact. The numbers are stored and never change.
package enum FactSource: UInt8, Sendable, CaseIterable {
  /// The user's statement about this photo.
  case override = 0
  /// An extended attribute that came with the file.
  case attribute
  /// A table of facts from the user, with a mapping of its field names.
  case mapping
  /// An XMP file next to the photo.
  case sidecar
  /// EXIF inside the file.
  case exif
  /// XMP inside the file.
  case xmp
  /// IPTC inside the file.
  case iptc
  /// The metadata of QuickTime: its keys, not the header's times.
  case quickTime
  /// The JSON file that Google Takeout stores next to a photo.
  case takeout
  /// The name of the file.
  case fileName
  /// The clock of the satellites.
  case satellite
  /// The header of a video, whose times are UTC; or a PNG's own text chunk with its creation time.
  case header
  /// The file's modification time.
  case fileTime
  /// The decoded picture.
  case pixels
  /// The bytes of the file.
  case content
  /// The town nearest to the position.
  case gazetteer
  /// The difference of two times of the same photo.
  case difference
  /// Only UTC is recorded and nothing gives another zone, so the zone is UTC.
  case universal
  /// Only UTC is recorded, and the space's home zone gives the wall clock.
  case home
}

/// A set of sources.
package struct FactSources: OptionSet, Hashable, Sendable {
  /// Bit n stands for the source with the number n.
  package let rawValue: UInt32
  /// Takes the bits as they were stored.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The set of one source.
  package init(_ source: FactSource) { self.init(rawValue: 1 << UInt32(source.rawValue)) }

  /// The sources that this version knows, by their numbers.
  package var list: [FactSource] { FactSource.allCases.filter { contains(FactSources($0)) } }
}

extension FactSource {
  private static let timeOrder: [FactSource] = [
    .override, .attribute, .mapping, .sidecar, .exif, .xmp, .iptc, .quickTime, .takeout, .fileName, .satellite, .header,
    .fileTime,
  ]
  private static let zoneOrder: [FactSource] =
    [.override, .attribute, .mapping, .sidecar, .exif, .xmp, .iptc, .quickTime]
    + [.gazetteer, .difference, .takeout, .fileName, .satellite, .header, .fileTime, .home, .universal]
  private static let textOrder: [FactSource] = [
    .override, .attribute, .mapping, .sidecar, .xmp, .iptc, .exif, .quickTime, .takeout,
  ]
  private static let otherOrder: [FactSource] = [
    .override, .attribute, .mapping, .sidecar, .exif, .xmp, .iptc, .quickTime, .header, .takeout, .pixels, .content,
    .fileName, .gazetteer, .satellite,
  ]
  /// A measurement by the decoder is more reliable than the file's own metadata.
  private static let measuredOrder: [FactSource] = [
    .pixels, .content, .header, .quickTime, .exif, .xmp, .sidecar, .mapping, .override,
  ]

  /// The sources of a field, best first; a source that is not listed cannot give the field.
  package static func order(of field: MediaField) -> [FactSource] {
    switch field {
    case .time: timeOrder
    case .zone: zoneOrder
    case .title, .caption, .tags, .people, .rating, .favourite, .cover: textOrder
    case .kind, .dimensions, .duration, .codec, .frameRate, .meanColour, .perceptualHash, .pixelHash, .contentHash,
      .motion:
      measuredOrder
    default: otherOrder
    }
  }

  /// The index in the order of a field, 0 for the best; nil if this source cannot give the field.
  package func rank(for field: MediaField) -> Int? { Self.order(of: field).firstIndex(of: self) }
}
