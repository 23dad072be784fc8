/// The path of an archive's entry, checked: it leads to a place below the directory that it is put into.
///
/// 1. It has no part that is empty, `.` or `..`, none with a slash or a NUL, and none of more than 255 bytes.
package struct ArchivePath: Sendable, Hashable {
  /// Why a name is no path.
  package enum Refusal: Error, Sendable, Equatable {
    /// It begins with a slash.
    case absolute
    /// A part is `..`.
    case parent
    /// It has no part, or an empty one.
    case empty
    /// It holds a NUL.
    case nul
    /// It has more than 4096 bytes, or a part of more than 255.
    case tooLong
  }

  /// Most bytes of a path.
  package static let mostBytes = 4096
  /// Most bytes of a part.
  package static let mostPartBytes = 255

  /// The names on the way, none of which need be UTF-8. Without any, it is the directory itself.
  package let parts: [[UInt8]]

  /// Checks a name. Parts that are `.` are left out, as archives of the current directory have them.
  ///
  /// - Parameter isDirectory: whether it may end with a slash, and may have no part but `.`.
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
