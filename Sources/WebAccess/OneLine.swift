/// Text of other programs as a terminal may show it.
public enum OneLine {
  /// The text in one line. What would move the cursor, change colours or turn the direction of the text is left out.
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
