extension MediaKind {
  /// Bytes that `mayBegin(with:)` looks at.
  package static let beginningSize = 12

  /// Whether content with these first bytes (at least `beginningSize`) may have a supported format. It never rejects
  /// what the decoder would accept, and seldom accepts anything else.
  package static func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    precondition(bytes.count >= beginningSize)
    let first = unsafe UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
    switch first {
    // PNG; GIF; RIFF; FUJIFILMCCD-RAW; Matroska.
    case 0x8950_4E47, 0x4749_4638, 0x5249_4646, 0x4655_4A49, 0x1A45_DFA3: return true
    default: break
    }
    switch first >> 16 {
    // TIFF and its relatives, in both byte orders; JPEG XL without a container.
    case 0x4949, 0x4D4D, 0xFF0A: return true
    case 0xFFD8: return first >> 8 & 0xFF == 0xFF
    default: break
    }
    // The type of the first box: ftyp, "JXL ", moov, mdat, wide, free, skip, pnot.
    switch unsafe UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)) {
    case 0x6674_7970, 0x4A58_4C20, 0x6D6F_6F76, 0x6D64_6174, 0x7769_6465, 0x6672_6565, 0x736B_6970, 0x706E_6F74:
      return true
    default: return false
    }
  }
}
