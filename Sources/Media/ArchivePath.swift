/// The checked path of an archive's entry: it leads to a place below the directory of the extraction.
///
/// 1. None of its parts is empty, `.` or `..`, contains a slash or a NUL, or has more than 255 bytes.
package struct ArchivePath: Sendable, Hashable {
  /// Why a name is not an acceptable path.
  package enum Refusal: Error, Sendable, Equatable {
    /// It begins with a slash.
    case absolute
    /// A part is `..`.
    case parent
    /// It lacks parts, or one of them is empty.
    case empty
    /// It contains a NUL.
    case nul
    /// It has more than 4096 bytes, or a part of more than 255.
    case tooLong
  }

  /// Most bytes of a path.
  package static let mostBytes = 4096
  /// Most bytes of a part.
  package static let mostPartBytes = 255

  /// The names along the path; they need not be UTF-8. Without any, it is the directory itself.
  package let parts: [[UInt8]]

  /// Checks a name. Parts that are `.` are dropped, because archives of the current directory contain them.
  ///
  /// - Parameter isDirectory: whether it may end with a slash, and may consist only of `.`.
  package init(_ name: [UInt8], isDirectory: Bool) throws(Refusal) {
    let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
    guard name.count <= Self.mostBytes else { throw .tooLong }
    if name.contains(0) { throw .nul }
    if name.first == slash { throw .absolute }
    var found = name.split(separator: slash, omittingEmptySubsequences: false)
    if isDirectory, found.count > 1, found.last == [] { found.removeLast() }
    var parts: [[UInt8]] = []
    for part in found where part != [dot] {
      if part.isEmpty { throw .empty }
      if part == [dot, dot] { throw .parent }
      guard part.count <= Self.mostPartBytes else { throw .tooLong }
      parts.append(Array(part))
    }
    guard isDirectory || !parts.isEmpty, found.last != [dot] || isDirectory else { throw .empty }
    self.parts = parts
  }
}
