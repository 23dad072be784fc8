internal import System

/// The messages between the daemon and its decoder. Each is its kind and its length, 4 bytes each, then its bytes.
/// All numbers are little-endian. Both ends come from one build, so there is no version.
package enum WireMessage: UInt32, Sendable {
  // Sent by the daemon.
  /// A `DeriveRequest`.
  case derive = 1
  /// A `PNGRequest`.
  case png = 2
  /// The answer to `read`: one byte, 0, or 1 for a failure, then the bytes.
  case input = 3
  /// A `FactsRequest`.
  case facts = 4
  /// A `SidecarRequest`.
  case sidecar = 5
  /// A `PictureRequest`: a full-size JPEG.
  case full = 6
  /// A `PictureRequest`: a digest of the pixels.
  case pixelDigest = 7
  /// A `PictureRequest`: the entries of an archive. The decoder answers with the first.
  case archive = 8
  /// Asks for the next part of the archive: one byte, 0, or 1 to skip the rest of the entry.
  case next = 9
  /// A `StripRequest`.
  case strip = 10
  /// A `ResizeRequest`.
  case resize = 11
  /// The answer to `admit`, empty: the job may continue.
  case admitted = 12
  /// The first bytes of the file, as many as can be read of those that `beginningBytes(of:)` counts. They follow each
  /// job on a file unasked, except `archive`.
  case beginning = 13
  // Sent by the decoder.
  /// Its confinement, once, before the first job: the version of Landlock's interface (0 for none), and whether calls
  /// are filtered.
  case hello = 16
  /// Asks for a piece of the file: offset, 8 bytes, and count, 4 bytes.
  case read = 17
  /// Encoded `Derivatives`.
  case derived = 18
  /// The bytes of a PNG.
  case pngMade = 19
  /// An encoded `DecoderError`.
  case failed = 20
  /// All facts of a file or a sidecar, in the catalog's encoding.
  case factsMade = 21
  /// A part of a JPEG; any number of them come before `fullMade`.
  case part = 22
  /// The last part of a JPEG.
  case fullMade = 23
  /// 32 bytes.
  case digestMade = 24
  /// An encoded `ArchiveEntry`.
  case entry = 25
  /// A piece of the entry's data, at least one byte, then one more byte: 1 if `entryEnd` follows unasked, otherwise
  /// 0.
  case piece = 26
  /// A part of the entry's rest was skipped: the number of bytes, in 4 bytes. Ask again for the remainder.
  case skipped = 27
  /// An encoded `ArchiveVerdict` on the entry.
  case entryEnd = 28
  /// An encoded `ArchiveVerdict` on the archive; its last message.
  case archiveEnd = 29
  /// An encoded `ContentRecipe`.
  case stripped = 30
  /// Asks, at most once in a job and before decoding, whether the job may use this many bytes of memory: a number of
  /// 8 bytes, above `Decoder.freeMemory`.
  case admit = 31

  /// Bytes before every message.
  package static let headerBytes = 8
  /// Most bytes of the file in one request.
  package static let mostReadBytes = 1 << 20
  /// Bytes of a file that the decoder asks for at a time; more when it reads sequentially. Its requests begin at a
  /// multiple of this.
  package static let stepBytes = 256 << 10
  /// Most bytes of a `part`.
  package static let partBytes = 4 << 20
  /// Most bytes of an archive's entry in a `piece`.
  package static let mostPieceBytes = 1 << 20
  /// Most bytes of an archive's entry that are skipped at once.
  package static let mostSkippedBytes = 64 << 20
  /// Most bytes of any message.
  package static let mostBytes = 8 << 20

  /// Most bytes of the `beginning` of a file: a file that fits into one answer to `read` is sent whole; of a larger
  /// one the first step is sent, which contains most of its metadata.
  package static func beginningBytes(of fileSize: Int64) -> Int {
    fileSize <= mostReadBytes ? Int(max(0, fileSize)) : stepBytes
  }
}

// Encodings other than numbers and bytes. A message that breaks the protocol is `ByteReader.Malformed`.

extension ByteWriter {
  /// Appends whether there is a value, and the value.
  mutating func optional<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
    append(UInt8(value == nil ? 0 : 1))
    if let value { write(&self, value) }
  }

  /// Appends a length and that many bytes.
  mutating func blob(_ value: some Collection<UInt8>) {
    append(UInt32(value.count))
    append(value)
  }
}

extension ByteReader {
  /// Reads a flag of one byte, 0 or 1.
  mutating func flag() throws(Malformed) -> Bool {
    switch try read(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw Malformed()
    }
  }

  /// Reads a length and that many bytes.
  mutating func blob(most: Int) throws(Malformed) -> [UInt8] {
    let count = Int(try read(UInt32.self))
    guard count <= most else { throw Malformed() }
    return try readBytes(count)
  }
}
