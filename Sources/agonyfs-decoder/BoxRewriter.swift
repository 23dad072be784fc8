internal import Media

/// Rewrites an ISO base media file (ISO/IEC 14496-12, 4.2). The bytes that are kept stay at their offsets, so that the
/// file's tables remain valid. A removed box becomes a free box of zeros.
struct BoxRewriter {
  struct Box {
    var type: String
    /// The range with the header.
    var whole: Range<Int64>
    /// The range without the header.
    var content: Range<Int64>
  }

  /// A range of a data box that is kept or replaced.
  struct Part {
    var range: Range<Int64>
    /// The replacement, at most as long as the range and padded with zeros. Nil keeps the original bytes.
    var bytes: [UInt8]?
  }

  /// The maximum number of boxes in a box.
  private static let mostBoxes = 10_000
  /// The maximum size of a box that is read as a whole.
  private static let mostBytes: Int64 = 64 << 20

  let input: FileInput
  private(set) var recipe = ContentRecipe()

  init(_ input: FileInput) { self.input = input }

  /// The boxes in a range.
  ///
  /// - Parameter isFile: whether a damaged or incomplete box at the end is dropped instead of refused.
  func boxes(in range: Range<Int64>, isFile: Bool = false) throws(DecoderError) -> [Box] {
    var found: [Box] = []
    var at = range.lowerBound
    while at < range.upperBound {
      guard found.count < Self.mostBoxes else { throw .undecodable("the file has too many boxes") }
      guard let box = box(at: at, end: range.upperBound) else {
        // QuickTime ends some lists with a zero of four bytes.
        if isFile, found.contains(where: { $0.type == "moov" || $0.type == "meta" }) { break }
        if !isFile, range.upperBound - at == 4, input.exactly(4, at: at) == [0, 0, 0, 0] { break }
        throw .undecodable("the boxes of the file are damaged")
      }
      found.append(box)
      at = box.whole.upperBound
    }
    return found
  }

  /// The boxes up to the last one of the given types. Boxes after it are dropped without a free box, because no kept
  /// box follows that would move.
  static func withoutEnd(_ boxes: [Box], _ types: Set<String>) -> ArraySlice<Box> {
    boxes[...(boxes.lastIndex { types.contains($0.type) } ?? -1)]
  }

  private func box(at offset: Int64, end: Int64) -> Box? {
    guard end - offset >= 8, let head = input.exactly(8, at: offset) else { return nil }
    var count = Int64(head[..<4].reduce(0) { $0 << 8 | UInt64($1) })
    var header: Int64 = 8
    if count == 1 {
      guard let long = input.exactly(8, at: offset + 8) else { return nil }
      count = Int64(clamping: long.reduce(0) { $0 << 8 | UInt64($1) })
      header = 16
    } else if count == 0 {
      count = end - offset
    }
    guard count >= header, count <= end - offset else { return nil }
    return Box(
      type: String(decoding: head[4...], as: Unicode.ASCII.self), whole: offset..<(offset + count),
      content: (offset + header)..<(offset + count))
  }

  func content(_ box: Box) throws(DecoderError) -> [UInt8] {
    guard box.content.count <= Self.mostBytes,
      let bytes = input.exactly(box.content.count, at: box.content.lowerBound)
    else { throw .undecodable("the boxes of the file are damaged") }
    return bytes
  }

  // MARK: Writing, in the order of the file

  mutating func keep(_ range: Range<Int64>) { recipe.keep(range) }

  /// Replaces the next `count` bytes with zeros.
  mutating func zero(_ count: Int64) { recipe.putZeros(count) }

  /// Turns a box into a free box.
  mutating func blank(_ box: Box) {
    recipe.keep(box.whole.lowerBound..<(box.whole.lowerBound + 4))
    recipe.put(Array("free".utf8))
    recipe.keep((box.whole.lowerBound + 8)..<box.content.lowerBound)
    recipe.putZeros(Int64(box.content.count))
  }

  mutating func keepHeader(_ box: Box) { recipe.keep(box.whole.lowerBound..<box.content.lowerBound) }

  /// Keeps the header of a box and some parts of its content, in ascending order; the rest becomes zeros.
  mutating func keep(_ box: Box, only parts: ArraySlice<Part>) {
    keepHeader(box)
    var at = box.content.lowerBound
    for part in parts {
      recipe.putZeros(part.range.lowerBound - at)
      if let bytes = part.bytes {
        recipe.put(bytes)
        recipe.putZeros(Int64(part.range.count - bytes.count))
      } else {
        recipe.keep(part.range)
      }
      at = part.range.upperBound
    }
    recipe.putZeros(box.content.upperBound - at)
  }

  /// Keeps a box, but fills a range of its content with zeros. The range counts from the start of the content.
  mutating func keep(_ box: Box, withZerosIn range: Range<Int64>) {
    let start = min(box.content.lowerBound + range.lowerBound, box.content.upperBound)
    let end = min(box.content.lowerBound + range.upperBound, box.content.upperBound)
    recipe.keep(box.whole.lowerBound..<start)
    recipe.putZeros(end - start)
    recipe.keep(end..<box.whole.upperBound)
  }

  /// Whether any range of the first list overlaps any range of the second.
  static func overlap(_ one: [Range<Int64>], _ other: [Range<Int64>]) -> Bool {
    /// Sorts the ranges and joins those that touch or overlap.
    func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
      var result: [Range<Int64>] = []
      for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = result.last, range.lowerBound <= last.upperBound {
          result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          result.append(range)
        }
      }
      return result
    }
    let (first, second) = (merged(one), merged(other))
    var (index, place) = (0, 0)
    while index < first.count, place < second.count {
      if first[index].overlaps(second[place]) { return true }
      if first[index].upperBound <= second[place].upperBound { index += 1 } else { place += 1 }
    }
    return false
  }

  /// Assigns the parts to the data boxes that contain them, by the offset of each box. Throws if a part is in none.
  static func distribute(_ parts: [Part], to boxes: [Box]) throws(DecoderError) -> [Int64: ArraySlice<Part>] {
    let sorted = parts.filter { !$0.range.isEmpty }.sorted { $0.range.lowerBound < $1.range.lowerBound }
    var result: [Int64: ArraySlice<Part>] = [:]
    var rest = joined(sorted)[...]
    for box in boxes {
      let own = rest.prefix { $0.range.lowerBound < box.content.upperBound }
      guard let first = own.first, let last = own.last else { continue }
      guard first.range.lowerBound >= box.content.lowerBound, last.range.upperBound <= box.content.upperBound else {
        throw .undecodable("data of the file is not where it should be")
      }
      result[box.whole.lowerBound] = own
      rest = rest[own.endIndex...]
    }
    guard rest.isEmpty else { throw .undecodable("data of the file is not where it should be") }
    return result
  }

  /// Joins kept parts that overlap, because samples may share bytes. A kept part wins over a replaced part.
  private static func joined(_ parts: [Part]) -> [Part] {
    var joined: [Part] = []
    for part in parts {
      guard let last = joined.last, last.range.upperBound > part.range.lowerBound else {
        joined.append(part)
        continue
      }
      if last.bytes != nil { joined.removeLast() }
      if part.bytes != nil { continue }
      if last.bytes != nil {
        joined.append(part)
      } else {
        joined[joined.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, part.range.upperBound)
      }
    }
    return joined
  }
}
