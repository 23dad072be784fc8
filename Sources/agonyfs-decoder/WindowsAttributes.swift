/// What Windows writes into the user's data of a video, in a box `Xtra`: attributes, each with its length, the length of
/// its name, its name, and how many values it has; of each value its length, its type, and its bytes. Lengths have their
/// highest byte first, and numbers their lowest. The layout is that of ExifTool's tag documentation, "Microsoft Xtra
/// Tags".
enum WindowsAttributes {
  /// The type of a number of eight bytes.
  private static let number: Int64 = 19
  /// Most attributes.
  private static let most = 256

  /// The first value of each attribute that is a number.
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
