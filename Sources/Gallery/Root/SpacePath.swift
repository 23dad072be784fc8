// Invariants
// 1. A path leads to a file or directory that users see in the space: it stays below the root, and does not lead into
//    the mount's own directories, such as `.agonyfs`.

internal import Client

/// A path from the root of the space, as a browser sends it, without a slash at either end; empty for the root.
public struct SpacePath: Hashable, Sendable {
  static let mostNameBytes = 255
  /// The most bytes of a path that system calls accept.
  private static let mostBytes = 4095
  /// The mount's own directories, in its root and in every directory, which no listing shows.
  private static let madeUp = [Array(".agonyfs".utf8), Array(".sh_thumbnails".utf8)]

  /// The bytes of the path.
  public let bytes: [UInt8]

  /// The root.
  public static let root = SpacePath(trusted: [])

  /// A path from the catalog or from a listing, which is not checked.
  init(trusted bytes: [UInt8]) { self.bytes = bytes }

  /// Checks and takes a path.
  public init(_ bytes: [UInt8]) throws(GalleryError) {
    guard bytes.count <= Self.mostBytes else {
      throw GalleryError(.badRequest, "The path is too long: a path has at most \(Self.mostBytes) bytes.")
    }
    if !bytes.isEmpty {
      for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        try Self.check(name: Array(part))
      }
    }
    self.bytes = bytes
  }

  /// Throws if no file of the space can have this name.
  public static func check(name: [UInt8]) throws(GalleryError) {
    if name.isEmpty { throw GalleryError(.emptyName, "The name is empty.") }
    if name.contains(0) { throw GalleryError(.badName, "A name cannot contain a zero byte.") }
    if name.contains(UInt8(ascii: "/")) { throw GalleryError(.badName, "A name cannot contain \"/\".") }
    if name == [0x2E] || name == [0x2E, 0x2E] {
      throw GalleryError(.badName, "\"\(String(decoding: name, as: UTF8.self))\" is not a valid name.")
    }
    if name.count > mostNameBytes {
      throw GalleryError(.nameTooLong, "A name has at most \(mostNameBytes) bytes; this one has \(name.count).")
    }
    if madeUp.contains(name) {
      throw GalleryError(.badName, "\"\(String(decoding: name, as: UTF8.self))\" is reserved for the mount.")
    }
  }

  /// The path of a name in this directory.
  public func appending(_ name: [UInt8]) throws(GalleryError) -> SpacePath {
    try Self.check(name: name)
    return try SpacePath(bytes.isEmpty ? name : bytes + [UInt8(ascii: "/")] + name)
  }

  /// Its last name; empty for the root.
  public var name: [UInt8] { Array(bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]) }

  /// The parent directory; the root for the root.
  public var parent: SpacePath {
    SpacePath(trusted: bytes.lastIndex(of: UInt8(ascii: "/")).map { Array(bytes[..<$0]) } ?? [])
  }

  var parts: [[UInt8]] { bytes.split(separator: UInt8(ascii: "/")).map { Array($0) } }

  func isBelow(_ other: SpacePath) -> Bool {
    other.bytes.isEmpty ? !bytes.isEmpty : bytes.starts(with: other.bytes + [UInt8(ascii: "/")])
  }

  /// Whether the path is a trash folder in the root, `.Trash` or `.Trash-UID`, or below one.
  public var isInTrash: Bool {
    guard let first = bytes.split(separator: UInt8(ascii: "/")).first else { return false }
    let trash = Array(".Trash".utf8)
    if first.elementsEqual(trash) { return true }
    guard first.starts(with: trash + [UInt8(ascii: "-")]), case let digits = first.dropFirst(7) else { return false }
    return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Throws for a path in the trash, because files there may only be restored or deleted.
  func notInTrash() throws(GalleryError) -> SpacePath {
    if isInTrash { throw GalleryError(.badRequest, "The trash is not an album.") }
    return self
  }
}
