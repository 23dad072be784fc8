internal import CDecoder

/// The names and texts that a library finds in metadata.
struct MetadataTexts {
  /// The maximum number of bytes of all names and values together.
  private static let mostBytes = 4 << 20

  /// The texts with their names, in file order.
  private(set) var list: [(key: [UInt8], value: [UInt8])] = []
  private var bytes = 0

  /// Collects the texts that a C function passes to its callback.
  init(_ read: (UnsafePointer<agonyfs_texts>) -> Void) {
    unsafe withUnsafeMutablePointer(to: &self) { own in
      var taker = unsafe agonyfs_texts(context: UnsafeMutableRawPointer(own)) { context, key, keyCount, value, count in
        guard let context = unsafe context, let key = unsafe key, let value = unsafe value else { return }
        let texts = unsafe context.assumingMemoryBound(to: MetadataTexts.self)
        unsafe texts.pointee.take(
          UnsafeRawBufferPointer(start: key, count: keyCount), UnsafeRawBufferPointer(start: value, count: count))
      }
      unsafe read(&taker)
    }
  }

  private mutating func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    bytes += key.count + value.count
    if bytes <= Self.mostBytes { unsafe list.append((Array(key), Array(value))) }
  }

  /// The values by name, without item numbers: "dc:subject[2]" becomes "dc:subject[]".
  var byName: [String: [String]] {
    var result: [String: [String]] = [:]
    for (key, value) in list { result[Self.name(key), default: []].append(Self.text(value)) }
    return result
  }

  private static func name(_ key: [UInt8]) -> String {
    var name: [UInt8] = []
    var isInside = false
    for byte in key {
      if byte == UInt8(ascii: "]") { isInside = false }
      if !isInside { name.append(byte) }
      if byte == UInt8(ascii: "[") { isInside = true }
    }
    return String(decoding: name, as: UTF8.self)
  }

  /// Decodes a text up to the first zero: as UTF-8 if valid, otherwise as Latin-1.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes.prefix { $0 != 0 })
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
