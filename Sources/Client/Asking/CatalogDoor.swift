internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// An open of a mounted space's query door, `.agonyfs/query`.
package final class CatalogDoor: Sendable {
  /// Longest request to a space that is mounted read-only, in bytes.
  package static let mostReadOnlyBytes = 8191

  private let file: Descriptor
  private let isReadOnly: Bool

  /// Opens the query door of the space that is mounted at a path.
  ///
  /// - Throws: `ENOENT` or `ENOTDIR` if the path is not a mounted space.
  package convenience init(of mountPoint: [UInt8]) throws(Errno) { try self.init(of: SpaceRoot(at: mountPoint)) }

  /// Opens the query door of a space.
  ///
  /// - Throws: `ENOENT` or `ENOTDIR` if it does not exist.
  package init(of root: SpaceRoot) throws(Errno) {
    let name = Array(".agonyfs/query".utf8)
    do throws(Errno) {
      file = try root.open(name, O_RDWR)
      isReadOnly = false
    } catch .readOnlyFileSystem {
      // The kernel refuses to open files for writing there.
      file = try root.open(name, O_RDONLY)
      isReadOnly = true
    }
  }

  /// Sends a request; `read(most:)` then returns the answer.
  ///
  /// - Throws: `E2BIG` for a request that is too long.
  package func ask(_ request: [UInt8]) throws(Errno) {
    guard isReadOnly else { return try file.writeAll(request) }
    try systemCall { unsafe agonyfs_ask_catalog(file.number, request, request.count) }
  }

  /// The next bytes of the answer, at most `most`; empty at its end.
  package func read(most: Int) throws(Errno) -> [UInt8] { try file.readSome(most: most) }
}

/// The answer of a query door.
package struct DoorStream: AnswerStream {
  private static let block = 512 << 10
  private let door: CatalogDoor

  /// The answer to the request that the door was sent.
  package init(_ door: CatalogDoor) { self.door = door }

  package func read() throws -> [UInt8] { try door.read(most: Self.block) }
}
