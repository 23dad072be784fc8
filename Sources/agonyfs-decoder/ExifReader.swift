internal import Catalog

/// What EXIF says (CIPA DC-008, Exif 2.32), as texts by its directories and tags.
struct ExifReader {
  private typealias Part = (file: TIFFFile, entries: [UInt16: TIFFFile.Entry])
  private var parts: [ExifKey.Directory: Part] = [:]

  /// From a block of a picture's metadata, with or without the leading name.
  init?(block: [UInt8]) {
    let isNamed = block.starts(with: Array("Exif\0\0".utf8))
    guard let file = TIFFFile(MemoryBytes(content: block), base: isNamed ? 6 : 0) else { return nil }
    self.init(file)
  }

  /// From the first directory of a TIFF and the directories that it refers to.
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

  /// From separate directories, as in CR3.
  init?(main: TIFFFile?, details: TIFFFile?, places: TIFFFile?) {
    for (directory, file) in [(ExifKey.Directory.main, main), (.details, details), (.places, places)] {
      guard let file, let (entries, _) = file.directory(at: file.first) else { continue }
      parts[directory] = (file, entries)
    }
    if parts.isEmpty { return nil }
  }

  /// Notes of makers that are directories. The offsets of Apple's and Fujifilm's count from the note, and those of
  /// Fujifilm's have their lowest byte first.
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

  /// 1 to 8; nil if not given.
  var orientation: Int? {
    guard let main = parts[.main], let value = main.file.number(main.entries[274]) else { return nil }
    return (1...8).contains(value) ? Int(value) : nil
  }

  /// A block of other metadata in the main directory.
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

  /// Longest text that is read.
  private static let mostBytes = 65_536

  private static func text(_ file: TIFFFile, _ entry: TIFFFile.Entry, _ tag: UInt16) -> String? {
    switch (entry.type, tag) {
    case (2, _): file.bytes(entry, most: mostBytes).map { MetadataTexts.text($0) }
    // The fields of Windows.
    case (1, 40091...40095), (7, 40091...40095): file.bytes(entry, most: mostBytes).map { paired($0, isLittle: true) }
    case (7, 37510): file.bytes(entry, most: mostBytes).flatMap { comment($0, file) }
    case (5, _), (10, _): file.quotients(entry, most: 4).map { $0.joined(separator: " ") }
    default: file.number(entry).map { "\($0)" }
    }
  }

  /// A comment of the user's begins with the name of its encoding, which programs do not always mean.
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

  /// UTF-16 up to a zero.
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
