package import Media

// Invariants
// 1. A field that has a value and a `MediaField` has its source in `sources`, if it was set by `offer`.
// 2. Every value from a file is checked: an impossible one becomes nil, never a wrong number.

/// All facts that the catalog has about one file.
package struct MediaItem: Sendable, Equatable {
  /// Increased when the same file would give other facts; rows of an older version are made again.
  package static let factsVersion: UInt32 = 5

  /// The file's inode.
  package var inode: UInt64
  /// Its names, by the directory and the name in it.
  package var names: [ItemName]
  /// Its size in bytes.
  package var size: UInt64 = 0
  /// The time of its last modification: seconds since 1970, UTC.
  package var modified: Int64 = 0
  /// Whether all its names are in a trash folder.
  package var isTrashed = false

  /// The time at which it was taken.
  package var taken: CapturedTime?

  /// The position at which it was taken.
  package var position: Position?
  /// Metres above sea level.
  package var altitude: Double?
  /// The nearest town.
  package var place: Place?

  /// The format.
  package var kind: MediaKind
  /// Width in pixels, upright; 0 if unknown.
  package var width = 0
  /// Height in pixels, upright; 0 if unknown.
  package var height = 0
  /// The projection of a panorama, if it is one.
  package var projection: Projection?
  /// The mean colour.
  package var meanColour: Colour?
  /// 64 bits that are nearly equal for pictures that look alike.
  package var perceptualHash: UInt64?
  /// A keyed hash of the decoded pixels.
  package var pixelHash: [UInt8]?

  /// The camera.
  package var camera = Camera()
  /// The facts that only videos have.
  package var video = Video()
  /// The words that users wrote about it.
  package var words = Words()
  /// The relations to other files.
  package var links = Links()

  /// A keyed hash of the content.
  package var contentHash: [UInt8]?
  /// The source of each field.
  package var sources = FieldSources()

  /// A file about which only these facts are known.
  package init(inode: UInt64, names: [ItemName] = [], kind: MediaKind) {
    self.inode = inode
    self.names = names
    self.kind = kind
  }
}

extension MediaItem {
  /// The projection of a panorama onto a rectangle.
  package enum Projection: UInt8, Sendable, CaseIterable {
    case equirectangular = 1
    case cylindrical, cubemap
  }

  /// A colour.
  package struct Colour: Hashable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8
    /// Takes the three parts.
    package init(red: UInt8, green: UInt8, blue: UInt8) {
      self.red = red
      self.green = green
      self.blue = blue
    }
  }

  /// The camera and its settings.
  package struct Camera: Hashable, Sendable {
    package var make: String?
    package var model: String?
    package var lens: String?
    /// The sensitivity.
    package var iso: Int?
    /// Seconds.
    package var exposure: Double?
    /// The f-number.
    package var aperture: Double?
    /// Millimetres.
    package var focalLength: Double?
    /// Without any facts.
    package init() {}

    /// Make and model. The make is left out if the model repeats it, or its first word, as with NIKON CORPORATION.
    package var name: String? {
      guard let model else { return make }
      guard let make else { return model }
      let (maker, whole) = (Folding.fold(make), Folding.fold(model))
      let isRepeated = whole.starts(with: maker) || whole.prefix { $0 != " " } == maker.prefix { $0 != " " }
      return isRepeated ? model : make + " " + model
    }
  }

  /// The facts that only videos have.
  package struct Video: Hashable, Sendable {
    /// Seconds.
    package var duration: Double?
    package var codec: String?
    /// Frames in a second.
    package var frameRate: Double?
    /// Without any facts.
    package init() {}
  }

  /// The words that users wrote, here or in another program.
  package struct Words: Hashable, Sendable {
    package var title: String?
    package var caption: String?
    /// 1 to 5; 0 and nil are unrated, −1 is rejected.
    package var rating: Int?
    package var isFavourite = false
    /// Sorted by their bytes, each once; "A/B" is B below A.
    package var tags: [String] = []
    /// Sorted by their bytes, each once.
    package var people: [String] = []
    /// Each name once.
    package var fields: [OwnField] = []
    /// Whether it is the cover of an album.
    package var isCover = false
    /// Without any words.
    package init() {}
  }

  /// The relations of a file to others.
  package struct Links: Hashable, Sendable {
    /// Apple's identifier of a live photo, in both of its files.
    package var contentIdentifier: String?
    package var burstIdentifier: String?
    /// The bytes of this file that contain the video of a motion photo.
    package var motion: Range<UInt64>?
    /// The inode of its sidecar.
    package var sidecar: UInt64?
    package var stack: StackMembership?
    /// Whether another file has the same content, the same pixels, or looks the same.
    package var isDuplicate = false
    /// Whether it is the edited version of another file.
    package var isEdited = false
    /// Without any relations.
    package init() {}
  }
}
