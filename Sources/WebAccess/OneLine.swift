/// Text of other programs that is safe to show in a terminal.
public enum OneLine {
  /// The text as one line. Characters that move the cursor, change colours or change the text direction become U+FFFD.
  public static func safe(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control where scalar == "\n" || scalar == "\t", .lineSeparator, .paragraphSeparator: line.append(" ")
      case .control, .format, .unassigned, .privateUse: line.append("\u{FFFD}")
      default: line.append(scalar)
      }
    }
    return String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed().map(Character.init))
  }
}
