internal import Synchronization

/// Finds the place where the words of `agonyfs run` end and those of the program begin. Options of `run` stand only
/// before the program; the vault is the first word that is not an option.
struct RunWords {
  /// Options with a value, as `--name value`. A test compares them with the command's options.
  static let optionsWithValue: Set<String> = [
    "-o", "--keep", "--at", "--thumbnails", "--decoder-sandbox", "--decoders", "--places", "--copy-window",
    "--password-file", "--password-command",
  ]

  private var hasVault = false
  private var awaitsValue = false
  private var optionsAreOver = false
  /// Whether all further words belong to the program.
  private(set) var isOver = false

  /// Whether a word that begins with this character is the program's first word.
  mutating func beginsProgram(_ first: CChar) -> Bool {
    guard hasVault, !awaitsValue, optionsAreOver || first != CChar(bitPattern: UInt8(ascii: "-")) else { return false }
    isOver = true
    return true
  }

  /// Takes a word of `run`. Returns true for the `--` after the vault, which must not reach the parser.
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

/// The program of the command line. It is kept here because the parser creates the commands itself and cannot pass it
/// on.
enum LineProgram {
  private static let waiting = Mutex<[[UInt8]]>([])

  static func keep(_ words: [[UInt8]]) { waiting.withLock { $0 = words } }

  /// The program and its arguments, as bytes; empty if there is none.
  static var words: [[UInt8]] { waiting.withLock { $0 } }
}
