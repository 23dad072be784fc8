public import ArgumentParser
internal import Synchronization
internal import System
public import SystemPackage

/// A word of the command line that may be a path, so any bytes.
struct Word: ExpressibleByArgument, Equatable {
  /// What was typed.
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(argument: String) {
    bytes = ByteText.bytes(of: argument)
    Self.note(argument)
  }

  /// The path.
  var path: FilePath { FilePath(bytes: bytes) }

  /// The text, with U+FFFD for what is none.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The text that stands for it (`ByteText`).
  var coded: String { ByteText.text(of: bytes) }

  /// Whether it is text.
  var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// The words that were read as paths, as far as they are no text.
  private static let paths = Mutex<Set<String>>([])

  fileprivate static func note(_ argument: String) {
    if ByteText.isCoded(argument) { paths.withLock { _ = $0.insert(argument) } }
  }

  /// Whether what is no text in a word of the command line was read as a path: the whole of it, or its end as in
  /// `--option=PATH`.
  static func wasRead(_ word: String) -> Bool {
    !ByteText.isCoded(word) || paths.withLock { paths in paths.contains { word.hasSuffix($0) } }
  }
}

extension FilePath: @retroactive ExpressibleByArgument {
  /// The path of a word of the command line.
  public init?(argument: String) {
    self.init(bytes: ByteText.bytes(of: argument))
    Word.note(argument)
  }
}
