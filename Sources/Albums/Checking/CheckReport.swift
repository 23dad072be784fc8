/// The result of a check.
package struct CheckReport: Sendable {
  /// A problem.
  package struct Problem: Sendable, Equatable {
    /// The path in the space of the damaged file or directory, with unprintable bytes escaped. Nil if there is none, or
    /// if it has no name.
    package let path: String?
    /// The problem, as a clause.
    package let text: String
  }

  /// All problems, in the order in which they were found.
  package internal(set) var problems: [Problem] = []
  /// Observations that do not count as damage.
  package internal(set) var notes: [String] = []
  /// Regular files.
  package internal(set) var files = 0
  /// Directories, the root included.
  package internal(set) var directories = 0
  /// Symbolic links, devices, pipes and sockets.
  package internal(set) var others = 0
  /// Bytes of file data in extents.
  package internal(set) var dataBytes: Int64 = 0
  /// Bytes of file data that were read and authenticated.
  package internal(set) var readBytes: Int64 = 0
  /// The number of the checked state, which is that of its last commit. Numbers are consecutive, so a user who knows a
  /// higher number sees that this state is older.
  package internal(set) var stateNumber: UInt64 = 0
  /// The time of the last change in that state, in seconds since 1970; nil if the index does not say.
  package internal(set) var lastChange: Int64?

  /// A report of problems that belong to no path.
  init(_ texts: [String] = []) { problems = texts.map { Problem(path: nil, text: $0) } }

  /// Notes that a file was changed at a time, in seconds since 1970.
  mutating func noteChange(at time: Int64) { lastChange = max(lastChange ?? time, time) }

  /// Whether nothing is wrong.
  package var isClean: Bool { problems.isEmpty }
}
