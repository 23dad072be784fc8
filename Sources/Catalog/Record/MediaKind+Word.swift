package import Media

extension MediaKind {
  /// The word for it in queries and lists.
  package var word: String {
    switch self {
    case .jpeg: "jpeg"
    case .png: "png"
    case .gif: "gif"
    case .webp: "webp"
    case .tiff: "tiff"
    case .heic: "heic"
    case .avif: "avif"
    case .jpegXL: "jxl"
    case .raw: "raw"
    case .mp4: "mp4"
    case .quickTime: "mov"
    case .matroska: "mkv"
    case .webM: "webm"
    case .avi: "avi"
    case .threeGP: "3gp"
    case .transportStream: "mts"
    case .programStream: "mpg"
    case .asf: "wmv"
    case .flash: "flv"
    case .ogg: "ogv"
    case .bitmap: "bmp"
    case .music: "mp3"
    }
  }

  /// The formats that the catalog knows.
  package static let catalogued = allCases.filter(\.isPhotoOrVideo)
}
