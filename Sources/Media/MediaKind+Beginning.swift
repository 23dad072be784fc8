extension MediaKind {
  /// Bytes by which formats are recognised.
  package static let beginningSize = 12

  /// The first bytes of the formats, one byte per character; "?" is any byte. Some formats begin alike: a TIFF may be
  /// a raw file, Matroska may be WebM, Ogg may be only sound, an MP3 may lack a cover, and ISO base media (`mp4`) may
  /// be any format with brands.
  private static let beginnings: [(kind: MediaKind, bytes: [UInt8])] = [
    (.jpeg, "\u{ff}\u{d8}\u{ff}"),
    (.png, "\u{89}PNG\r\n\u{1a}\n"),
    (.gif, "GIF87a"), (.gif, "GIF89a"),
    (.webp, "RIFF????WEBP"),
    (.avi, "RIFF????AVI "),
    (.jpegXL, "\u{ff}\n"), (.jpegXL, "\0\0\0\u{c}JXL \r\n\u{87}\n"),
    (.tiff, "II*\0"), (.tiff, "MM\0*"), (.tiff, "II+\0"), (.tiff, "MM\0+"),
    // Olympus and Panasonic write other numbers than TIFF's 42.
    (.raw, "FUJIFILMCCD-"), (.raw, "IIRO"), (.raw, "IIRS"), (.raw, "MMOR"), (.raw, "IIU\0"),
    (.matroska, "\u{1a}E\u{df}\u{a3}"),
    (.programStream, "\0\0\u{1}\u{ba}"),
    (.asf, "0&\u{b2}u\u{8e}f\u{cf}\u{11}"),
    (.flash, "FLV\u{1}"),
    (.ogg, "OggS\0"),
    // Its size follows, and four reserved bytes.
    (.bitmap, "BM????\0\0\0\0"),
    (.music, "ID3\u{2}"), (.music, "ID3\u{3}"), (.music, "ID3\u{4}"),
    (.mp4, "????ftyp"),
    // QuickTime files from before brands were introduced.
    (.quickTime, "????moov"), (.quickTime, "????mdat"), (.quickTime, "????wide"),
    (.quickTime, "????free"), (.quickTime, "????skip"), (.quickTime, "????pnot"),
    // A packet in which a unit begins; on Blu-ray discs and in AVCHD a time precedes it. The pattern is short, so it
    // comes last.
    (.transportStream, "G@"), (.transportStream, "????G@"),
  ].map { ($0, $1.unicodeScalars.map { UInt8($0.value) }) }

  /// The format that the first bytes indicate (at least `beginningSize` of them); nil if it is not supported.
  package init?(beginning bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.beginningSize)
    let found = Self.beginnings.first { _, beginning in
      beginning.indices.allSatisfy { unsafe beginning[$0] == UInt8(ascii: "?") || beginning[$0] == bytes[$0] }
    }
    guard let found else { return nil }
    self = found.kind
  }

  /// Whether content with these first bytes (at least `beginningSize`) may have a supported format. It accepts
  /// everything that the decoder accepts, and seldom anything else.
  package static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe MediaKind(beginning: bytes) != nil
  }
}
