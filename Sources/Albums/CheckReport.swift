package import Vault

/// What a check found.
package struct CheckReport: Sendable {
  /// One thing that is wrong.
  package struct Problem: Sendable, Hashable {
    /// What is wrong, in words; without names from inside the space.
    package var text: String
    /// The inode concerned, where there is one.
    package var inode: InodeNumber?
    /// All paths of the inode, from the root of the space on; names are escaped for display.
    package var paths: [String] = []
  }

  /// Regular files.
  package var files = 0
  /// Directories, the root included.
  package var directories = 0
  /// Symbolic links, FIFOs, sockets and device nodes.
  package var others = 0
  /// Bytes of file data that extents hold.
  package var dataBytes: Int64 = 0
  /// Extents.
  package var extents = 0
  /// Segments of the space.
  package var segments = 0
  /// Pages of the database.
  package var databasePages = 0
  /// Unlinked inodes that are still to be deleted; that is no damage.
  package var orphans = 0
  /// What is wrong, at most `Checker.problemLimit` things.
  package var problems: [Problem] = []
  /// Problems that were found and are not in `problems`.
  package var furtherProblems = 0
  /// Paths of all files with unreadable data, each once.
  package var damagedPaths: [String] = []

  /// Whether nothing is wrong.
  package var isSound: Bool { problems.isEmpty }
}
