extension ZoneRules {
  /// Most bytes of a file; the largest real one has 4 KB.
  package static let mostBytes = 1 << 20

  /// Reads a file of the zone database. Nil if it is none: nothing in it is believed before it is checked.
  package init?(tzif bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes, let first = Header(bytes, at: 0) else { return nil }
    // The first version has 32-bit times. Later versions repeat everything with 64 bits after it.
    if first.version == 0 {
      self.init(bytes, at: Header.length, header: first, timeLength: 4, footer: nil)
      return
    }
    guard let firstLength = first.bodyLength(timeLength: 4), let second = Header(bytes, at: Header.length + firstLength)
    else { return nil }
    let start = 2 * Header.length + firstLength
    guard second.version != 0, let length = second.bodyLength(timeLength: 8), bytes.count - start >= length + 2 else {
      return nil
    }
    // A newline, the rule, a newline.
    let rest = bytes[(start + length)...]
    guard rest.first == 0x0A, let end = rest.dropFirst().firstIndex(of: 0x0A) else { return nil }
    let rule = rest[(rest.startIndex + 1)..<end]
    var footer: ZoneFooter?
    if !rule.isEmpty {
      guard let parsed = ZoneFooter(rule) else { return nil }
      footer = parsed
    }
    self.init(bytes, at: start, header: second, timeLength: 8, footer: footer)
  }

  private init?(_ bytes: [UInt8], at start: Int, header: Header, timeLength: Int, footer: ZoneFooter?) {
    guard let length = header.bodyLength(timeLength: timeLength), bytes.count - start >= length, header.types > 0,
      header.types <= 256, header.universalMarks == 0 || header.universalMarks == header.types,
      header.standardMarks == 0 || header.standardMarks == header.types
    else { return nil }
    let typeNumbers = start + header.times * timeLength
    let types = typeNumbers + header.times
    var typeOffsets: [Int32] = []
    for type in 0..<header.types {
      let offset = Int32(truncatingIfNeeded: bytes.bigEndian(at: types + type * 6, length: 4))
      guard abs(Int64(offset)) < 26 * 3600, bytes[types + type * 6 + 4] < 2 else { return nil }
      typeOffsets.append(offset)
    }
    var transitions: [Int64] = []
    var offsets: [Int32] = []
    for number in 0..<header.times {
      let time = bytes.bigEndian(at: start + number * timeLength, length: timeLength)
      let type = Int(bytes[typeNumbers + number])
      guard type < header.types, transitions.last ?? .min < time || number == 0 else { return nil }
      transitions.append(time)
      offsets.append(typeOffsets[type])
    }
    self.transitions = transitions
    self.offsets = offsets
    self.footer = footer
    firstOffset = typeOffsets[0]
  }

  private struct Header {
    static let length = 44
    let version: UInt8
    let universalMarks: Int
    let standardMarks: Int
    let leaps: Int
    let times: Int
    let types: Int
    let characters: Int

    init?(_ bytes: [UInt8], at start: Int) {
      guard start >= 0, bytes.count - start >= Self.length,
        bytes[start..<start + 4].elementsEqual([0x54, 0x5A, 0x69, 0x66])
      else { return nil }
      version = bytes[start + 4]
      guard version == 0 || version >= 0x32 else { return nil }
      func count(_ number: Int) -> Int {
        Int(UInt32(truncatingIfNeeded: bytes.bigEndian(at: start + 20 + 4 * number, length: 4)))
      }
      universalMarks = count(0)
      standardMarks = count(1)
      leaps = count(2)
      times = count(3)
      types = count(4)
      characters = count(5)
    }

    /// Nil if it is longer than a file may be.
    func bodyLength(timeLength: Int) -> Int? {
      let counts = [universalMarks, standardMarks, leaps, times, types, characters]
      guard counts.allSatisfy({ $0 <= ZoneRules.mostBytes }) else { return nil }
      let times = times * (timeLength + 1)
      let length = times + types * 6 + characters + leaps * (timeLength + 4) + standardMarks + universalMarks
      return length <= ZoneRules.mostBytes ? length : nil
    }
  }
}

extension [UInt8] {
  /// A signed number of 4 or 8 bytes, the highest first. The caller has checked that they are there.
  fileprivate func bigEndian(at start: Int, length: Int) -> Int64 {
    let value = self[start..<start + length].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return length == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }
}
