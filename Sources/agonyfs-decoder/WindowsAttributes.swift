/// Reads the box `Xtra`, in which Windows stores attributes in the user data of a video. An attribute consists of its
/// length, the length of its name, its name, the number of values, and the values. A value consists of its length, its
/// type, and its bytes. Lengths are big-endian, numbers little-endian. The layout is documented by ExifTool, "Microsoft
/// Xtra Tags".
enum WindowsAttributes {
  /// The type of an 8-byte number.
  private static let number: Int64 = 19
  /// The maximum number of attributes.
  private static let most = 256

  /// The first value of each attribute, if it is a number.
  static func numbers(_ box: [UInt8]) -> [String: [String]] {
    let source = MemoryBytes(content: box)
    var found: [String: [String]] = [:]
    var at: Int64 = 0
    for _ in 0..<most {
      guard let head = source.exactly(8, at: at) else { break }
      let (size, name) = (ordered(head[..<4]), ordered(head[4...]))
      guard size >= 8, name <= size - 8, let attribute = source.exactly(Int(size), at: at) else { break }
      at += size
      let value = Array(attribute.dropFirst(8 + Int(name)))
      guard value.count >= 18, ordered(value[4..<8]) == 14, ordered(value[8..<10]) == number else { continue }
      let key = String(decoding: attribute[8..<(8 + Int(name))], as: UTF8.self)
      if found[key] == nil { found[key] = ["\(value.number(8, at: 10))"] }
    }
    return found
  }

  private static func ordered(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
