/// What `check` found.
package struct CheckReport: Sendable {
  /// Something wrong.
  package struct Problem: Sendable, Equatable {
    /// The path, inside the space, of the file or directory that is hurt, with bytes that are not printable escaped;
    /// nil when none is, or when it has no name any more.
    package let path: String?
    /// What is wrong, as a clause.
    package let text: String
  }

  /// Everything wrong, in the order in which it was found.
  package internal(set) var problems: [Problem] = []
  /// What is no damage, but good to know.
  package internal(set) var notes: [String] = []
  /// Regular files.
  package internal(set) var files = 0
  /// Directories, the root included.
  package internal(set) var directories = 0
  /// Symbolic links, devices, pipes and sockets.
  package internal(set) var others = 0
  /// Bytes of file data that the extents name.
  package internal(set) var dataBytes: Int64 = 0
  /// Bytes of file data that were read and authenticated.
  package internal(set) var readBytes: Int64 = 0

  /// Whether nothing is wrong.
  package var isClean: Bool { problems.isEmpty }
}
