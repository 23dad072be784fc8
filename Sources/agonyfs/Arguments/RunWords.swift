internal import Synchronization

/// Finds where the words of `agonyfs run` end, and those of the program begin: options of ours come before it only, and
/// the vault is the first word that is none.
struct RunWords {
  /// Options with a value, as `--name value`. A test compares them with what the command has.
  static let optionsWithValue: Set<String> = [
    "-o", "--keep", "--at", "--thumbnails", "--decoder-sandbox", "--decoders", "--places", "--copy-window",
    "--password-file", "--password-command",
  ]

  private var hasVault = false
  private var awaitsValue = false
  private var optionsAreOver = false
  /// Whether all words that follow are the program's.
  private(set) var isOver = false

  /// Whether the word that begins with this character is the program's first.
  mutating func beginsProgram(_ first: CChar) -> Bool {
    guard hasVault, !awaitsValue, optionsAreOver || first != CChar(bitPattern: UInt8(ascii: "-")) else { return false }
    isOver = true
    return true
  }

  /// Takes a word that is ours. True for the `--` after the vault, which the parser must not see.
  @discardableResult
  mutating func pass(_ word: String) -> Bool {
    if awaitsValue {
      awaitsValue = false
    } else if word == "--", !optionsAreOver {
      optionsAreOver = true
      isOver = hasVault
      return hasVault
    } else if !optionsAreOver, word.hasPrefix("-") {
      awaitsValue = Self.optionsWithValue.contains(word)
    } else {
      hasVault = true
    }
    return false
  }
}

/// The program of the command line. The parser creates the commands itself and cannot pass it on, so it waits here.
enum LineProgram {
  private static let waiting = Mutex<[[UInt8]]>([])

  static func keep(_ words: [[UInt8]]) { waiting.withLock { $0 = words } }

  /// The program and its arguments, as bytes; empty if there is none.
  static var words: [[UInt8]] { waiting.withLock { $0 } }
}
