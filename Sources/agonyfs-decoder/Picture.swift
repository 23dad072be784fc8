internal import CDecoder
internal import Glibc
internal import Media

/// What libvips does, in Swift's terms.
enum Picture {
  /// What a picture's header says.
  struct Header {
    var width: Int
    var height: Int
    /// EXIF's orientation, 1 to 8, by which libvips will turn it.
    var orientation: Int
    /// The EXIF block; empty if there is none.
    var exif: [UInt8]
  }

  /// JPEGs that were made.
  struct Made {
    var small: [UInt8]?
    var large: [UInt8]?
  }

  /// Reads a header.
  static func header(_ range: InputRange) throws(JobError) -> Header {
    var header = unsafe agonyfs_header()
    let status = unsafe reason { error, size in
      unsafe range.withInput { unsafe agonyfs_picture_header($0, &header, error, size) }
    }
    let exif = unsafe take(header.exif)
    try check(status)
    return unsafe Header(
      width: Int(header.width), height: Int(header.height),
      orientation: (1...8).contains(header.orientation) ? Int(header.orientation) : 1, exif: exif)
  }

  /// Decodes a picture.
  ///
  /// - Parameter orientation: the orientation to turn it by; nil for the picture's own.
  static func derive(_ range: InputRange, orientation: Int?, _ sizes: Set<DerivativeSize>) throws(JobError) -> Made {
    try unsafe made(sizes) { small, large, error, size in
      unsafe range.withInput {
        unsafe agonyfs_picture_derive($0, Int32(orientation ?? 0), small, large, error, size)
      }
    }
  }

  /// Makes a PNG of a JPEG.
  static func png(_ request: PNGRequest) throws(JobError) -> [UInt8] {
    var png = unsafe agonyfs_bytes()
    let status = unsafe reason { error, size in
      unsafe agonyfs_make_png(request.jpeg, request.jpeg.count, Int32(request.longerSide), &png, error, size)
    }
    let bytes = unsafe take(png)
    try check(status)
    return bytes
  }

  typealias Bytes = UnsafeMutablePointer<agonyfs_bytes>

  /// Calls a function that makes JPEGs.
  static func made(
    _ sizes: Set<DerivativeSize>,
    _ make: (Bytes?, Bytes?, UnsafeMutablePointer<CChar>, Int) -> agonyfs_status
  ) throws(JobError) -> Made {
    var small = unsafe agonyfs_bytes()
    var large = unsafe agonyfs_bytes()
    let status = unsafe withUnsafeMutablePointer(to: &small) { small in
      unsafe withUnsafeMutablePointer(to: &large) { large in
        unsafe reason { error, size in
          unsafe make(sizes.contains(.small) ? small : nil, sizes.contains(.large) ? large : nil, error, size)
        }
      }
    }
    let bytes = unsafe (take(small), take(large))
    try check(status)
    return Made(small: bytes.0.isEmpty ? nil : bytes.0, large: bytes.1.isEmpty ? nil : bytes.1)
  }

  /// Calls a function that may give a reason if it fails.
  static func reason(
    _ call: (UnsafeMutablePointer<CChar>, Int) -> agonyfs_status
  ) -> (agonyfs_status, String) {
    var text = [CChar](repeating: 0, count: 512)
    let size = text.count
    let status = unsafe call(&text, size)
    return (status, String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  /// Throws the error of a status.
  static func check(_ outcome: (status: agonyfs_status, reason: String)) throws(JobError) {
    switch outcome.status {
    case AGONYFS_DONE: return
    case AGONYFS_TOO_LARGE: throw JobError(failure: .tooLarge)
    case AGONYFS_NO_VIDEO: throw JobError(failure: .undecodable("no moving pictures"))
    default: throw JobError(failure: .undecodable(outcome.reason))
    }
  }

  /// Copies bytes that C allocated, and frees them.
  private static func take(_ bytes: agonyfs_bytes) -> [UInt8] {
    defer { unsafe free(bytes.bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes.bytes, count: bytes.count))
  }
}
