/// An invalid mount option. The description is one sentence that says what to do.
package enum MountOptionError: Error, Equatable, CustomStringConvertible {
  /// The option is unknown.
  case unknown(String)
  /// The options of an existing mount would change.
  case remount
  /// The option needs `=VALUE`.
  case valueMissing(String)
  /// The value is not a duration.
  case malformedDuration(String)
  /// The option would override owners or modes, which agonyfs stores.
  case ownersAreKept(String)
  /// The option needs a path that begins with a slash.
  case notAbsolute(name: String, value: String)
  /// The option's value is not UTF-8.
  case notText(String)
  /// The option accepts only these values.
  case unknownValue(name: String, value: String, allowed: [String])
  /// The option needs a number in this range.
  case outOfRange(name: String, value: String, allowed: ClosedRange<Int>)

  package var description: String {
    switch self {
    case .unknown(let name):
      "The mount option \"\(name)\" is unknown; agonyfs mount --help lists the options."
    case .remount:
      "The options of a mounted space cannot be changed; unmount it with agonyfs unmount, then mount it with others."
    case .valueMissing(let name):
      "The mount option \"\(name)\" needs a value; write \(name)=VALUE."
    case .malformedDuration(let text):
      "\"\(text)\" is not a length of time; write a number and a unit, such as 90s, 15m, 2h or 1d."
    case .notAbsolute(let name, let value):
      "\"\(value)\" is not an absolute path; write \(name)=/PATH."
    case .notText(let name):
      "The value of the mount option \"\(name)\" is not UTF-8 text; type it in UTF-8."
    case .unknownValue(let name, let value, let allowed):
      "\"\(value)\" is not a value of \(name); write \(name)= and one of \(allowed.joined(separator: ", "))."
    case .outOfRange(let name, let value, let allowed):
      "\"\(value)\" is not a value of \(name); write \(name)= and a number from \(allowed.lowerBound) to "
        + "\(allowed.upperBound)."
    case .ownersAreKept(let name):
      "The mount option \"\(name)\" is not supported, because agonyfs stores owners and modes of files;"
        + " leave it out and use chown or chmod inside the mount."
    }
  }
}
