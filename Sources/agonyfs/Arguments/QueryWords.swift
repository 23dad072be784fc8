/// The words of a command that takes a query, in which a minus is "not".
enum QueryWords {
  /// Options with a value, as `--name value`. A test compares them with what the command has.
  static let optionsWithValue: Set<String> = [
    "--format", "--group", "--sort", "--limit", "--after", "--password-file", "--password-command",
  ]
  /// The same of `export`.
  static let exportOptionsWithValue: Set<String> = [
    "--strip", "--resize", "--password-file", "--password-command", "--decoder-sandbox",
  ]
  /// The same of `tag`, which takes a query with `--shift`.
  static let tagOptionsWithValue: Set<String> = [
    "--add", "--remove", "--set", "--title", "--caption", "--rating", "--person", "--remove-person", "--taken",
    "--shift", "--position", "--stack", "--clear", "--files0-from", "--from", "--map",
  ]
  private static let letters: Set<Character> = ["0", "l", "r", "h"]

  /// The words with options before everything else, so that the parser takes none of a query for an option:
  /// `-type:video` is none.
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
        // A value may begin with a minus, too.
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
