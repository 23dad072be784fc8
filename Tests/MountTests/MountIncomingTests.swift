import CMount
import CPlatform
import Crypto
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Mount

extension LiveMountTests {
  /// What importers use of a mount, through the kernel.
  @Suite struct MountIncomingTests {
    private func digest(_ file: Descriptor) throws -> (size: UInt64, hash: [UInt8]) {
      var digest = agonyfs_digest()
      unsafe withUnsafeMutableBytes(of: &digest.key) { unsafe $0.copyBytes(from: ContentKey.ofThisRun.bytes) }
      try systemCall { unsafe agonyfs_stored_digest(file.number, &digest) }
      return unsafe (digest.size, withUnsafeBytes(of: digest.hash) { unsafe Array($0) })
    }

    private func hash(_ bytes: [UInt8]) -> [UInt8] {
      var hasher = ContentHasher()
      unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
      return hasher.finish()
    }

    @Test func aFileIsWrittenVerifiedAndNamed() throws {
      let live = try LiveMount()
      let incoming = live.path(".agonyfs/incoming")
      #expect(try System.status(incoming).st_mode & 0o7777 == 0o700)
      #expect(try Directory.names(in: live.root) == [])
      #expect(try !Directory.names(in: live.path(".agonyfs")).contains(Array("incoming".utf8)))
      do {
        let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        let file = try Descriptor.open(incoming + "/.partial-1", O_RDWR | O_CREAT | O_EXCL)
        try file.writeAll(content)
        let found = try digest(file)
        #expect(found.size == 700_000)
        #expect(found.hash == hash(content))
        let directory = try Descriptor.open(incoming, O_RDONLY | O_DIRECTORY)
        #expect(try Directory.names(in: ".", of: directory) == [Array(".partial-1".utf8)])
        try System.check(unsafe rename(incoming + "/.partial-1", live.path("a.jpg")))
        #expect(try System.read(live.path("a.jpg")) == content)
        #expect(try Directory.names(in: live.root) == [Array("a.jpg".utf8)])
        #expect(try Directory.names(in: ".", of: directory) == [])
      }
      try live.end()
    }

    @Test func theDirectoryStays() throws {
      let live = try LiveMount()
      let incoming = live.path(".agonyfs/incoming")
      _ = try System.status(incoming)
      #expect(unsafe rmdir(incoming) == -1)
      #expect(unsafe rename(incoming, live.path("x")) == -1)
      #expect(unsafe mkdir(live.path("x"), 0o700) == 0)
      #expect(unsafe rename(live.path("x"), live.path(".agonyfs/y")) == -1)
      try live.end()
    }

    @Test func onlyFilesHaveADigest() throws {
      let live = try LiveMount()
      for path in [live.root, live.path(".agonyfs"), live.path(".agonyfs/status")] {
        let file = try Descriptor.open(path, O_RDONLY)
        var digest = agonyfs_digest()
        #expect(unsafe agonyfs_stored_digest(file.number, &digest) == -1)
      }
      try live.end()
    }
  }
}
