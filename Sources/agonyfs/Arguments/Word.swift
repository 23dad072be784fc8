public import ArgumentParser
internal import System
public import SystemPackage

/// A word of the command line that may be a path and so may hold any bytes.
struct Word: ExpressibleByArgument, Equatable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(argument: String) {
    bytes = ByteText.bytes(of: argument)
  }

  var path: FilePath { FilePath(bytes: bytes) }

  /// The text, with U+FFFD for bytes that are not UTF-8.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The bytes as a text (`ByteText`).
  var coded: String { ByteText.text(of: bytes) }

  var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// The first parsed text that stands for bytes that are not UTF-8. Only paths may hold such bytes.
  static func codedText(in parsed: Any) -> String? {
    switch parsed {
    case let text as String: return ByteText.isCoded(text) ? text : nil
    case is Word, is FilePath, is FileArgument: return nil
    default: break
    }
    let mirror = Mirror(reflecting: parsed)
    for child in mirror.children {
      if let text = codedText(in: child.value) { return text }
    }
    return mirror.superclassMirror?.children.lazy.compactMap { codedText(in: $0.value) }.first
  }
}

/// The path of a file. A word that ends with a slash is refused: it names a directory, and `FilePath` would drop the
/// slash.
struct FileArgument: ExpressibleByArgument {
  let path: FilePath

  init?(argument: String) {
    let bytes = ByteText.bytes(of: argument)
    guard let last = bytes.last, last != UInt8(ascii: "/") else { return nil }
    path = FilePath(bytes: bytes)
  }
}

extension FilePath: @retroactive ExpressibleByArgument {
  /// The path that a word of the command line gives.
  public init?(argument: String) {
    self.init(bytes: ByteText.bytes(of: argument))
  }
}
