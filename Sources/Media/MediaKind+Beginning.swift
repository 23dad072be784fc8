extension MediaKind {
  /// Bytes that the formats are recognised by.
  package static let beginningSize = 12

  /// What the formats begin with, one byte per character; "?" is any byte. Some begin alike: a TIFF may be a raw file,
  /// Matroska WebM, Ogg sound only, an MP3 without a cover, and ISO base media (`mp4`) any format with brands.
  private static let beginnings: [(kind: MediaKind, bytes: [UInt8])] = [
    (.jpeg, "\u{ff}\u{d8}\u{ff}"),
    (.png, "\u{89}PNG\r\n\u{1a}\n"),
    (.gif, "GIF87a"), (.gif, "GIF89a"),
    (.webp, "RIFF????WEBP"),
    (.avi, "RIFF????AVI "),
    (.jpegXL, "\u{ff}\n"), (.jpegXL, "\0\0\0\u{c}JXL \r\n\u{87}\n"),
    (.tiff, "II*\0"), (.tiff, "MM\0*"), (.tiff, "II+\0"), (.tiff, "MM\0+"),
    // Olympus and Panasonic have their own numbers in place of TIFF's 42.
    (.raw, "FUJIFILMCCD-"), (.raw, "IIRO"), (.raw, "IIRS"), (.raw, "MMOR"), (.raw, "IIU\0"),
    (.matroska, "\u{1a}E\u{df}\u{a3}"),
    (.programStream, "\0\0\u{1}\u{ba}"),
    (.asf, "0&\u{b2}u\u{8e}f\u{cf}\u{11}"),
    (.flash, "FLV\u{1}"),
    (.ogg, "OggS\0"),
    // Its size follows, and four bytes that are reserved.
    (.bitmap, "BM????\0\0\0\0"),
    (.music, "ID3\u{2}"), (.music, "ID3\u{3}"), (.music, "ID3\u{4}"),
    (.mp4, "????ftyp"),
    // QuickTime files older than brands.
    (.quickTime, "????moov"), (.quickTime, "????mdat"), (.quickTime, "????wide"),
    (.quickTime, "????free"), (.quickTime, "????skip"), (.quickTime, "????pnot"),
    // A packet in which something begins; those of Blu-ray discs and AVCHD have a time before it. Few bytes, so they come
    // last.
    (.transportStream, "G@"), (.transportStream, "????G@"),
  ].map { ($0, $1.unicodeScalars.map { UInt8($0.value) }) }

  /// The format, as far as the first bytes tell (at least `beginningSize`); nil if it is not supported.
  package init?(beginning bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count >= Self.beginningSize)
    let found = Self.beginnings.first { _, beginning in
      beginning.indices.allSatisfy { unsafe beginning[$0] == UInt8(ascii: "?") || beginning[$0] == bytes[$0] }
    }
    guard let found else { return nil }
    self = found.kind
  }

  /// Whether content with these first bytes (at least `beginningSize`) may have a supported format. It never rejects
  /// what the decoder would accept, and seldom accepts anything else.
  package static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe MediaKind(beginning: bytes) != nil
  }
}
