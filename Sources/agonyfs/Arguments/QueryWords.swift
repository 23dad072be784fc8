/// Orders the words of a command that takes a query, where a leading minus means "not".
enum QueryWords {
  /// Options with a value, as `--name value`. A test compares them with the command's options.
  static let optionsWithValue: Set<String> = [
    "--format", "--group", "--sort", "--limit", "--after", "--password-file", "--password-command",
  ]
  /// Those of `export`.
  static let exportOptionsWithValue: Set<String> = [
    "--strip", "--resize", "--password-file", "--password-command", "--decoder-sandbox",
  ]
  /// Those of `tag`, which takes a query with `--shift`.
  static let tagOptionsWithValue: Set<String> = [
    "--add", "--remove", "--set", "--title", "--caption", "--rating", "--person", "--remove-person", "--taken",
    "--shift", "--position", "--stack", "--clear", "--files0-from", "--from", "--map",
  ]
  private static let letters: Set<Character> = ["0", "l", "r", "h"]

  /// Puts the options before all other words, so that the parser does not take a part of a query, such as
  /// `-type:video`, for an option.
  static func arranged(
    _ words: some Sequence<String>, _ optionsWithValue: Set<String> = optionsWithValue
  ) -> [String] {
    var options: [String] = []
    var others: [String] = []
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        others += rest
        break
      }
      if optionsWithValue.contains(word), let value = rest.popFirst() {
        // The value itself may begin with a minus.
        options.append(word + "=" + value)
      } else if word.hasPrefix("--") || isLetters(word) {
        options.append(word)
      } else {
        others.append(word)
      }
    }
    return options + ["--"] + others
  }

  private static func isLetters(_ word: String) -> Bool {
    word.count > 1 && word.first == "-" && word.dropFirst().allSatisfy { letters.contains($0) }
  }
}
