import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

/// Which files get names, in two plain folders.
@Suite struct VerifiedPlacementTests {
  private let folder: TemporaryFolder
  private let incoming: Descriptor
  private let album: Descriptor

  init() throws {
    folder = try TemporaryFolder()
    for name in ["incoming", "album"] { try folder.makeDirectory(name) }
    incoming = try Descriptor.open(folder.path("incoming"), O_RDONLY | O_DIRECTORY)
    album = try Descriptor.open(folder.path("album"), O_RDONLY | O_DIRECTORY)
  }

  /// In the place of a mount: the content itself is the hash.
  private static let digest: FileCalls.Digester = { (file) throws(Errno) in
    let again = try Descriptor.open("/proc/self/fd/\(file.number)", O_RDONLY)
    let bytes = try again.readToEnd()
    return FileDigest(size: Int64(bytes.count), hash: bytes)
  }

  private static let partial = Array("partial".utf8)

  private func placement(_ calls: FileCalls) -> VerifiedPlacement { VerifiedPlacement(calls, incoming: incoming) }

  /// A file with some bytes, of which others may have been meant.
  private func written(_ bytes: [UInt8], for meant: [UInt8]? = nil, _ calls: FileCalls) throws -> IncomingFile {
    let file = try calls.create(Self.partial, in: incoming)
    try calls.append(bytes, to: file)
    let digest = FileDigest(size: Int64(bytes.count), hash: meant ?? bytes)
    return IncomingFile(Self.partial, file, digest: digest)
  }

  private func names(_ name: String) throws -> [String] {
    try Directory.names(in: folder.path(name)).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  @Test func whatIsStoredDecides() throws {
    let calls = FileCalls(digester: Self.digest)
    let file = try written([1, 2], for: [1, 3], calls)
    #expect(throws: VerificationFailure.differs) { _ = try placement(calls).verify(file) }
    #expect(try names("incoming") == ["partial"] && names("album") == [])
    try placement(calls).remove(Self.partial)
    #expect(try names("incoming") == [])
    // It may have been removed before.
    try placement(calls).remove(Self.partial)
  }

  @Test func whatCannotBeReadBackIsNotVerified() throws {
    let calls = FileCalls(digester: { (_) throws(Errno) in throw Errno.ioError })
    let file = try written([1, 2], calls)
    #expect(throws: VerificationFailure.system(.ioError)) { _ = try placement(calls).verify(file) }
    // Unless nothing of it is to be verified.
    let unhashed = IncomingFile(file.name, file.file, digest: nil)
    #expect(try placement(calls).verify(unhashed).digest == nil)
  }

  @Test func aNameReplacesNothing() throws {
    let calls = FileCalls(digester: Self.digest)
    try HostFile.write([9], to: folder.path("album/a.jpg"))
    let verified = try placement(calls).verify(written([1, 2], calls))
    #expect(try placement(calls).place(verified, as: Array("a.jpg".utf8), in: album) == false)
    #expect(try HostFile.read(folder.path("album/a.jpg")) == [9] && names("incoming") == ["partial"])
    #expect(try placement(calls).place(verified, as: Array("a (2).jpg".utf8), in: album))
    #expect(try HostFile.read(folder.path("album/a (2).jpg")) == [1, 2] && names("incoming") == [])
  }
}
