// Invariants
// 1. No String, and no copy that Swift makes of the command line, ever holds a password: this file reads the argument
//    vector first.
// 2. After `init` the process title no longer shows a password, only its length.
//
// Only this file reads arguments before the argument parser does, because the parser has no options with an optional
// value, such as `--password` (asks) and `--password=TEXT`.

internal import CPlatform
internal import Crypto
internal import Glibc
internal import Synchronization
internal import System

enum PasswordRole: String, CaseIterable {
  /// The password that opens a space, or the only one.
  case current = "password"
  /// The password that `password change` sets.
  case new = "new-password"
  /// The password of the hidden space that `create` makes.
  case hidden = "hidden-password"
  /// The password of the space that gives part of its cover to the new space of `space add`.
  case owner = "owner-password"

  /// The option as it is typed before its value: `--password=`.
  var optionWithValue: String { "--\(rawValue)=" }
  /// The hidden flag that the parser gets instead.
  var placeholder: String { "--\(rawValue)-from-line" }
}

/// The command line in the form for the argument parser.
@safe struct CommandArguments {
  /// The words after the program's name (`ByteText`).
  private(set) var words: [String] = []
  private(set) var passwords: [PasswordRole: Password] = [:]
  /// The words of the program that `agonyfs run` starts, as bytes; `words` does not contain them.
  private(set) var program: [[UInt8]] = []

  /// Reads this process's arguments and wipes passwords from them.
  static func ofProcess() -> CommandArguments {
    var count: CInt = 0
    guard let vector = unsafe agonyfs_arguments(&count) else { return CommandArguments() }
    return unsafe CommandArguments(wiping: vector, count: Int(count))
  }

  /// Reads `count` arguments, beginning with the program's name, and wipes passwords from them.
  init(wiping vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, count: Int) {
    var optionsAreOver = false
    var runWords: RunWords?
    for index in 1..<max(count, 1) {
      guard let word = unsafe vector[index] else { break }
      // The program's words may hold any bytes, and nothing in them is a password of this command.
      if runWords?.isOver == true {
        program.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        continue
      }
      if !optionsAreOver, let role = unsafe takePassword(from: word) {
        words.append(role.placeholder)
        runWords?.pass(role.placeholder)
        continue
      }
      if runWords?.beginsProgram(unsafe word.pointee) == true {
        program.append(unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
        continue
      }
      let text = ByteText.text(of: unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
      if text == "--" {
        optionsAreOver = true
        if runWords?.pass(text) == true { continue }
      } else if index == 1, text == RunCommand.name {
        runWords = RunWords()
      } else {
        runWords?.pass(text)
      }
      words.append(text)
    }
  }

  private init() {}

  private mutating func takePassword(from word: UnsafeMutablePointer<CChar>) -> PasswordRole? {
    for role in PasswordRole.allCases {
      let prefix = role.optionWithValue
      guard unsafe strncmp(word, prefix, prefix.utf8.count) == 0 else { continue }
      let value = unsafe UnsafeMutableRawBufferPointer(
        start: word + prefix.utf8.count, count: strlen(word) - prefix.utf8.count)
      passwords[role] = unsafe Password(copying: UnsafeRawBufferPointer(value))
      unsafe Sodium.wipe(value)
      return role
    }
    return nil
  }
}

/// The passwords from the command line. They are kept here because the parser creates the commands itself and cannot
/// pass them on.
enum LinePasswords {
  private static let waiting = Mutex<[PasswordRole: Password]>([:])

  static func keep(_ passwords: [PasswordRole: Password]) {
    waiting.withLock { $0 = passwords }
  }

  /// Returns a password and forgets it.
  static func take(_ role: PasswordRole) -> Password? {
    waiting.withLock { $0.removeValue(forKey: role) }
  }
}
