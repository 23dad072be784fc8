internal import Catalog

/// Reads EXIF (CIPA DC-008, Exif 2.32) as texts by directory and tag.
struct ExifReader {
  private typealias Part = (file: TIFFFile, entries: [UInt16: TIFFFile.Entry])
  private var parts: [ExifKey.Directory: Part] = [:]

  /// Reads a picture's EXIF block, with or without the prefix "Exif\0\0".
  init?(block: [UInt8]) {
    let isNamed = block.starts(with: Array("Exif\0\0".utf8))
    guard let file = TIFFFile(MemoryBytes(content: block), base: isNamed ? 6 : 0) else { return nil }
    self.init(file)
  }

  /// Reads the first directory of a TIFF and the directories to which it points.
  init?(_ file: TIFFFile) {
    guard let (entries, _) = file.directory(at: file.first) else { return nil }
    parts[.main] = (file, entries)
    if let details = file.number(entries[34665]).flatMap({ file.directory(at: $0) }) {
      parts[.details] = (file, details.entries)
    }
    if let places = file.number(entries[34853]).flatMap({ file.directory(at: $0) }) {
      parts[.places] = (file, places.entries)
    }
    readNote()
  }

  /// Reads separate directories: CR3 has a TIFF for each.
  init?(main: TIFFFile?, details: TIFFFile?, places: TIFFFile?) {
    for (directory, file) in [(ExifKey.Directory.main, main), (.details, details), (.places, places)] {
      guard let file, let (entries, _) = file.directory(at: file.first) else { continue }
      parts[directory] = (file, entries)
    }
    if parts.isEmpty { return nil }
  }

  /// Reads the maker notes that are directories. In Apple's and Fujifilm's notes, offsets count from the start of the
  /// note, and Fujifilm's note is always little-endian.
  private mutating func readNote() {
    guard let details = parts[.details], let note = details.entries[37500],
      let head = details.file.source.exactly(14, at: note.offset)
    else { return }
    func read(_ directory: ExifKey.Directory, _ file: TIFFFile, at offset: Int64) {
      if let (entries, _) = file.directory(at: offset) { parts[directory] = (file, entries) }
    }
    if head.starts(with: "Apple iOS\0".utf8) {
      let isLittleEndian = head[12] == 0x49
      let file = TIFFFile(details.file, base: note.offset, first: 14, isLittleEndian: isLittleEndian)
      read(.apple, file, at: 14)
    } else if head.starts(with: "FUJIFILM".utf8) {
      let first = Int64(head.number(4, at: 8))
      let file = TIFFFile(details.file, base: note.offset, first: first, isLittleEndian: true)
      read(.fujifilm, file, at: first)
    } else if ["SONY DSC", "SONY CAM", "SONY MOBILE"].contains(where: { head.starts(with: $0.utf8) }) {
      read(.sony, details.file, at: note.offset + 12 - details.file.base)
    }
  }

  /// The orientation from 1 to 8; nil if it is missing or invalid.
  var orientation: Int? {
    guard let main = parts[.main], let value = main.file.number(main.entries[274]) else { return nil }
    return (1...8).contains(value) ? Int(value) : nil
  }

  /// A block of XMP or IPTC in the main directory.
  func block(_ tag: UInt16) -> [UInt8]? {
    guard let main = parts[.main], let entry = main.entries[tag] else { return nil }
    return main.file.bytes(entry, most: 1 << 20)
  }

  /// The text of a field, or its numbers as a text.
  func texts(_ key: ExifKey) -> [String] {
    guard let part = parts[key.directory], let entry = part.entries[key.tag],
      let text = Self.text(part.file, entry, key.tag)
    else { return [] }
    return [text]
  }

  /// The maximum number of bytes of a text.
  private static let mostBytes = 65_536

  private static func text(_ file: TIFFFile, _ entry: TIFFFile.Entry, _ tag: UInt16) -> String? {
    switch (entry.type, tag) {
    case (2, _): file.bytes(entry, most: mostBytes).map { MetadataTexts.text($0) }
    // Windows Explorer stores title, comment, author, keywords and subject in UTF-16.
    case (1, 40091...40095), (7, 40091...40095): file.bytes(entry, most: mostBytes).map { paired($0, isLittle: true) }
    case (7, 37510): file.bytes(entry, most: mostBytes).flatMap { comment($0, file) }
    case (5, _), (10, _): file.quotients(entry, most: 4).map { $0.joined(separator: " ") }
    default: file.number(entry).map { "\($0)" }
    }
  }

  /// `UserComment` begins with the name of its encoding in 8 bytes. Some programs state a wrong encoding, so ASCII may
  /// be UTF-8 or Latin-1.
  private static func comment(_ bytes: [UInt8], _ file: TIFFFile) -> String? {
    let text = bytes.dropFirst(8)
    switch bytes.prefix(8) {
    case let name where name.starts(with: Array("UNICODE".utf8)):
      return paired(Array(text), isLittle: file.isLittleEndian)
    case let name where name.starts(with: Array("ASCII".utf8)) || name.allSatisfy({ $0 == 0 }):
      return MetadataTexts.text(text)
    default: return nil
    }
  }

  /// Decodes UTF-16 up to the first zero.
  private static func paired(_ bytes: [UInt8], isLittle: Bool) -> String {
    var units: [UInt16] = []
    for start in stride(from: 0, to: bytes.count - 1, by: 2) {
      let (one, two) = (UInt16(bytes[start]), UInt16(bytes[start + 1]))
      let unit = isLittle ? two << 8 | one : one << 8 | two
      if unit == 0 { break }
      units.append(unit)
    }
    return String(decoding: units, as: UTF16.self)
  }
}
