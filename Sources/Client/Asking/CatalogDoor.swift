internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// One open of the door to the catalog of a mounted space, `.agonyfs/query`.
package final class CatalogDoor: Sendable {
  /// Most bytes of a request to a space that is mounted read-only.
  package static let mostReadOnlyBytes = 8191

  private let file: Descriptor
  private let isReadOnly: Bool

  /// Opens the door of the space that is mounted at a path.
  ///
  /// - Throws: `ENOENT` or `ENOTDIR` if there is none.
  package convenience init(of mountPoint: [UInt8]) throws(Errno) { try self.init(of: SpaceRoot(at: mountPoint)) }

  /// Opens the door of a space.
  ///
  /// - Throws: as the other one.
  package init(of root: SpaceRoot) throws(Errno) {
    let name = Array(".agonyfs/query".utf8)
    do throws(Errno) {
      file = try root.open(name, O_RDWR)
      isReadOnly = false
    } catch .readOnlyFileSystem {
      // The kernel opens nothing for writing there.
      file = try root.open(name, O_RDONLY)
      isReadOnly = true
    }
  }

  /// Asks; the answer is read then.
  ///
  /// - Throws: `E2BIG` for a request that is too long.
  package func ask(_ request: [UInt8]) throws(Errno) {
    guard isReadOnly else { return try file.writeAll(request) }
    try systemCall { unsafe agonyfs_ask_catalog(file.number, request, request.count) }
  }

  /// The next bytes of the answer, at most so many; none at its end.
  package func read(most: Int) throws(Errno) -> [UInt8] { try file.readSome(most: most) }
}

/// The answer of a door.
package struct DoorStream: AnswerStream {
  private static let block = 512 << 10
  private let door: CatalogDoor

  /// The answer to what a door was asked.
  package init(_ door: CatalogDoor) { self.door = door }

  package func read() throws -> [UInt8] { try door.read(most: Self.block) }
}
