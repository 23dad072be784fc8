/// A row of a table: a key of a format, and its meaning here.
package struct FieldMapping<Key: Hashable & Sendable>: Sendable {
  /// The format's name for it.
  package let key: Key
  /// Its meaning.
  package let part: FactPart
  /// If several rows have the same meaning, the first one counts.
  package init(_ key: Key, _ part: FactPart) {
    self.key = key
    self.part = part
  }
}

/// The meaning of a foreign field: one of our fields, or a part of one.
package enum FactPart: Hashable, Sendable {
  /// One of our fields, by its text.
  case field(FactField)
  /// A tag of a format whose tags do not have levels: a slash is part of its name.
  case flatTag
  /// Tags whose levels are separated by another character than a slash; a slash is part of its level.
  case tagPaths(separator: Character)
  /// Tags without levels in one text, with a character between them.
  case tagList(separator: Character)
  /// Percent, 0 to 100.
  case ratingPercent
  /// A caption, unless it is one of those that cameras write into every photo.
  case cameraCaption
  /// A time, or a day. Parts with the same number belong together, and the lowest number with a valid time wins.
  case time(Int)
  /// The time of day that belongs to a day.
  case clock(Int)
  /// The digits after the point of the seconds.
  case fraction(Int)
  /// The offset of a time.
  case zone(Int)
  /// Seconds since 1970.
  case seconds
  /// Degrees, and the side: north or south, east or west.
  case latitude, latitudeSide, longitude, longitudeSide
  /// Metres, and a side of 1 for below the sea.
  case height, heightSide
  /// A position with an altitude, in the form of ISO 6709.
  case place
}

/// A field of EXIF.
package struct ExifKey: Hashable, Sendable {
  /// The directory that contains it.
  package enum Directory: Sendable, CaseIterable {
    case main, details, places
    /// Maker notes.
    case apple, fujifilm, sony
  }
  package let directory: Directory
  package let tag: UInt16
  /// Takes both.
  package init(_ directory: Directory, _ tag: UInt16) {
    self.directory = directory
    self.tag = tag
  }
}

/// A dataset of IPTC.
package struct DatasetKey: Hashable, Sendable {
  package let record: UInt8
  package let number: UInt8
  /// Takes both.
  package init(_ record: UInt8, _ number: UInt8) {
    self.record = record
    self.number = number
  }
}

/// The tables of foreign fields and their meanings.
package enum FieldTables {
  /// EXIF, and maker notes.
  package static let exif: [FieldMapping<ExifKey>] = [
    .init(ExifKey(.details, 36867), .time(0)), .init(ExifKey(.details, 37521), .fraction(0)),
    .init(ExifKey(.details, 36881), .zone(0)),
    .init(ExifKey(.details, 36868), .time(1)), .init(ExifKey(.details, 37522), .fraction(1)),
    .init(ExifKey(.details, 36882), .zone(1)),
    .init(ExifKey(.main, 306), .time(2)), .init(ExifKey(.details, 37520), .fraction(2)),
    .init(ExifKey(.details, 36880), .zone(2)),
    .init(ExifKey(.places, 2), .latitude), .init(ExifKey(.places, 1), .latitudeSide),
    .init(ExifKey(.places, 4), .longitude), .init(ExifKey(.places, 3), .longitudeSide),
    .init(ExifKey(.places, 6), .height), .init(ExifKey(.places, 5), .heightSide),
    .init(ExifKey(.main, 271), .field(.make)), .init(ExifKey(.main, 272), .field(.model)),
    .init(ExifKey(.details, 42036), .field(.lens)), .init(ExifKey(.details, 34855), .field(.iso)),
    .init(ExifKey(.details, 33434), .field(.exposure)), .init(ExifKey(.details, 33437), .field(.aperture)),
    .init(ExifKey(.details, 37386), .field(.focal)),
    .init(ExifKey(.main, 40091), .field(.title)), .init(ExifKey(.main, 270), .cameraCaption),
    .init(ExifKey(.main, 40092), .field(.caption)), .init(ExifKey(.details, 37510), .field(.caption)),
    .init(ExifKey(.main, 40094), .tagList(separator: ";")), .init(ExifKey(.main, 18246), .field(.rating)),
    .init(ExifKey(.fujifilm, 0x1431), .field(.rating)), .init(ExifKey(.sony, 0x2002), .field(.rating)),
    .init(ExifKey(.main, 18249), .ratingPercent),
    .init(ExifKey(.apple, 0x11), .field(.live)), .init(ExifKey(.apple, 0x0B), .field(.burst)),
  ]

  /// The satellite's clock in EXIF.
  package static let satellite: [FieldMapping<ExifKey>] = [
    .init(ExifKey(.places, 29), .time(0)), .init(ExifKey(.places, 7), .clock(0)),
  ]

  /// XMP, by the usual prefixes; `[]` stands for any item of a list.
  package static let xmp: [FieldMapping<String>] = [
    .init("exif:DateTimeOriginal", .time(0)), .init("photoshop:DateCreated", .time(1)),
    .init("xmp:CreateDate", .time(2)),
    .init("exif:GPSLatitude", .latitude), .init("exif:GPSLongitude", .longitude),
    .init("exif:GPSAltitude", .height), .init("exif:GPSAltitudeRef", .heightSide),
    .init("GPano:ProjectionType", .field(.projection)),
    .init("tiff:Make", .field(.make)), .init("tiff:Model", .field(.model)),
    .init("exifEX:LensModel", .field(.lens)), .init("aux:Lens", .field(.lens)),
    .init("exifEX:PhotographicSensitivity", .field(.iso)), .init("exif:ISOSpeedRatings[]", .field(.iso)),
    .init("exif:ExposureTime", .field(.exposure)), .init("exif:FNumber", .field(.aperture)),
    .init("exif:FocalLength", .field(.focal)),
    .init("dc:title[]", .field(.title)), .init("photoshop:Headline", .field(.title)),
    .init("dc:description[]", .field(.caption)), .init("xmp:Rating", .field(.rating)),
    .init("acdsee:rating", .field(.rating)), .init("MicrosoftPhoto:Rating", .ratingPercent),
    .init("dc:subject[]", .flatTag), .init("digiKam:TagsList[]", .field(.tags)),
    .init("lr:hierarchicalSubject[]", .tagPaths(separator: "|")),
    .init("Iptc4xmpExt:PersonInImage[]", .field(.people)),
    .init("mwg-rs:Regions/mwg-rs:RegionList[]/mwg-rs:Name", .field(.people)),
    .init("MP:RegionInfo/MPRI:Regions[]/MPReg:PersonDisplayName", .field(.people)),
    .init("GCamera:BurstID", .field(.burst)), .init("agonyfs:Favourite", .field(.favourite)),
  ]

  /// The datasets of IPTC.
  package static let iptc: [FieldMapping<DatasetKey>] = [
    .init(DatasetKey(2, 55), .time(0)), .init(DatasetKey(2, 60), .clock(0)),
    .init(DatasetKey(2, 5), .field(.title)), .init(DatasetKey(2, 105), .field(.title)),
    .init(DatasetKey(2, 120), .field(.caption)), .init(DatasetKey(2, 25), .flatTag),
  ]

  /// The keys of videos, in libavformat's names, and attributes of Windows.
  package static let quickTime: [FieldMapping<String>] = [
    .init("com.apple.quicktime.creationdate", .time(0)), .init("date", .time(1)),
    .init("com.apple.quicktime.location.ISO6709", .place), .init("location", .place),
    .init("com.apple.quicktime.make", .field(.make)), .init("make", .field(.make)),
    .init("com.android.manufacturer", .field(.make)),
    .init("com.apple.quicktime.model", .field(.model)), .init("model", .field(.model)),
    .init("com.android.model", .field(.model)), .init("com.apple.quicktime.camera.lens_model", .field(.lens)),
    .init("com.apple.quicktime.title", .field(.title)), .init("title", .field(.title)),
    .init("com.apple.quicktime.description", .field(.caption)), .init("description", .field(.caption)),
    .init("com.apple.quicktime.comment", .field(.caption)), .init("comment", .field(.caption)),
    .init("com.apple.quicktime.keywords", .tagList(separator: ",")),
    .init("keywords", .tagList(separator: ",")),
    .init("com.apple.quicktime.rating.user", .field(.rating)), .init("WM/SharedUserRating", .ratingPercent),
    .init("com.apple.quicktime.content.identifier", .field(.live)),
  ]

  /// The header of a video, whose times are UTC.
  package static let header: [FieldMapping<String>] = [
    .init("creation_time", .time(0)), .init("DATE_RECORDED", .time(1)),
  ]

  /// The JSON file that Google Takeout stores next to a photo.
  package static let takeout: [FieldMapping<String>] = [
    .init("photoTakenTime.timestamp", .seconds), .init("geoData.latitude", .latitude),
    .init("geoData.longitude", .longitude), .init("geoData.altitude", .height),
    .init("geoDataExif.latitude", .latitude), .init("geoDataExif.longitude", .longitude),
    .init("geoDataExif.altitude", .height),
    .init("description", .field(.caption)), .init("favorited", .field(.favourite)),
    .init("people[].name", .field(.people)), .init("title", .field(.name)),
  ]
}
