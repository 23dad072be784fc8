import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Files that the space has when they are sent.
@Suite struct UploadThereTests: SendsUploads {
  private let space: PlainSpace
  private let gallery: Gallery

  init() throws {
    space = try PlainSpace()
    gallery = try space.gallery()
  }

  private func name(_ status: UploadStatus) -> String { String(decoding: status.path?.bytes ?? [], as: UTF8.self) }

  @Test func nothingIsStoredTwiceUnderItsName() throws {
    let (content, other) = (bytes(100_000), bytes(100_000, seed: 2))
    // They begin alike.
    let third = Array(content.dropLast()) + [content[99_999] ^ 1]
    #expect(try !sent(content, to: gallery).wasThere)
    for _ in 0..<2 {
      let done = try sent(content, to: gallery)
      #expect(name(done) == "a.jpg" && done.wasThere && done.offset == 100_000)
      // Who did not get the last answer asks again.
      #expect(try space.gallery().uploads.status(of: done.identifier) == done)
    }
    for (number, changed) in [other, third].enumerated() {
      for isAgain in [false, true] {
        let done = try sent(changed, to: gallery)
        #expect(name(done) == "a (\(number + 2)).jpg" && done.wasThere == isAgain)
      }
    }
    for isAgain in [false, true] {
      #expect(try sent([], "empty.txt", to: gallery).wasThere == isAgain)
      // In another album it is another file.
      #expect(try sent(content, album: "B", to: gallery).wasThere == isAgain)
    }
    #expect(try space.names(".") == [".agonyfs", "B", "a (2).jpg", "a (3).jpg", "a.jpg", "empty.txt"])
    #expect(try space.read("a.jpg") == content && space.read("a (2).jpg") == other && space.read("a (3).jpg") == third)
    #expect(try space.names(Self.incoming).allSatisfy { $0.hasSuffix(".log") })
  }

  @Test func whatComesMeanwhileIsNotStoredTwice() throws {
    let content = bytes(100)
    let identifier = try gallery.uploads.begin(description(100)).identifier
    try space.write(content, to: "a.jpg")
    let done = try send(content[...], identifier, at: 0, space.gallery())
    #expect(try done.wasThere && gallery.uploads.begin(description(100)) == done)
    // Another file that gets the name later is not what was sent.
    try systemCall { unsafe unlink(space.path("a.jpg")) }
    try space.write([1], to: "a.jpg")
    #expect(kind { _ = try gallery.uploads.status(of: identifier) } == .gone)
    #expect(try gallery.uploads.begin(description(100)).offset == 0)
    #expect(try name(send(content[...], identifier, at: 0, gallery)) == "a (2).jpg")
  }

  @Test func whatCannotBeReadBackIsNoReason() throws {
    let content = bytes(100)
    try space.write(content, to: "a.jpg")
    let digests = Counter()
    space.fail { $0 == .digest && digests.next() == 1 ? .ioError : nil }
    let done = try sent(content, to: gallery)
    #expect(try name(done) == "a (2).jpg" && !done.wasThere && space.read("a (2).jpg") == content)
  }

  /// Another user may delete it.
  @Test(.enabled(if: geteuid() == 0, "needs root, to give files away"))
  func whatBelongsToAnotherUserIsNoReason() throws {
    let content = bytes(100)
    try space.write(content, to: "a.jpg")
    try systemCall { unsafe chown(space.path("a.jpg"), 1, 1) }
    let done = try sent(content, to: gallery)
    #expect(try name(done) == "a (2).jpg" && !done.wasThere && space.read("a (2).jpg") == content)
  }

  /// Another program takes the file away after it was read back.
  @Test(arguments: [false, true]) func whatGoesMeanwhileIsNoReason(isReplaced: Bool) throws {
    let content = bytes(100)
    try space.write(content, to: "a.jpg")
    try space.write(bytes(100, seed: 2), to: "other")
    let (from, to) = (space.path("other"), space.path("a.jpg"))
    let flushes = Counter()
    space.fail { call in
      guard call == .flush, flushes.next() == 0 else { return nil }
      return unsafe (isReplaced ? rename(from, to) : unlink(to)) == 0 ? nil : .ioError
    }
    let done = try sent(content, to: gallery)
    #expect(try name(done) == "a (2).jpg" && !done.wasThere && space.read("a (2).jpg") == content)
  }

  /// What was received stays until it is certain that the other file does.
  @Test(arguments: [FileCall.flush, .unlink]) func anEndThatFailsLosesNothing(call: FileCall) throws {
    let content = bytes(100)
    try space.write(content, to: "a.jpg")
    let identifier = try gallery.uploads.begin(description(100)).identifier
    let calls = Counter()
    space.fail { $0 == call && calls.next() == 0 ? .noSpace : nil }
    #expect(kind { try send(content[...], identifier, at: 0, gallery) } == .full)
    #expect(try space.read("\(Self.incoming)/.partial-web-\(identifier)") == content)
    #expect(try gallery.uploads.status(of: identifier).path == nil)
    let done = try gallery.uploads.begin(description(100))
    #expect(done.identifier == identifier && name(done) == "a.jpg" && done.wasThere)
    #expect(try space.names(Self.incoming) == [".partial-web-\(identifier).log"])
  }

  /// A space that cannot say what it has elsewhere stores what comes.
  @Test func withoutAnAnswerItIsStored() throws {
    try space.write(bytes(100), to: "b.jpg")
    #expect(try name(sent(bytes(100), skipsDuplicates: true, to: gallery)) == "a.jpg")
  }

  @Test func whatAnotherAlbumHasIsNotStoredIfThatIsChosen() throws {
    let vault = try MountedVault()
    let gallery = try vault.gallery()
    let content = bytes(300_000)
    let changed = Array(content.dropLast()) + [content[299_999] ^ 1]
    func sent(_ content: [UInt8], _ name: String, _ album: String, skips: Bool = true) throws -> UploadStatus {
      try self.sent(content, name, album: album, skipsDuplicates: skips, to: gallery)
    }
    #expect(try name(sent(content, "a.jpg", "A")) == "A/a.jpg")
    let done = try sent(content, "b.jpg", "B")
    #expect(name(done) == "A/a.jpg" && done.wasThere)
    // Also for another server, and no album is made for nothing.
    #expect(try vault.gallery().uploads.status(of: done.identifier) == done)
    #expect(try vault.shell("ls; ls A; ls -A .agonyfs/incoming | grep -vc log || true") == "A\na.jpg\n0\n")
    // Without the choice, with another content, and for what describes a photo it is another file.
    #expect(try name(sent(content, "b.jpg", "B", skips: false)) == "B/b.jpg")
    #expect(try name(sent(content, "c.jpg", "B")) == "B/b.jpg", "the one in the album, if there is one")
    #expect(try name(sent(changed, "c.jpg", "B")) == "B/c.jpg")
    #expect(try name(sent(content, "a.xmp", "C")) == "C/a.xmp")
    // What is in the trash is not there.
    #expect(try name(sent(bytes(5000, seed: 7), "t.jpg", "A")) == "A/t.jpg")
    try vault.shell("mkdir -p .Trash-$(id -u)/files && mv A/t.jpg .Trash-$(id -u)/files/")
    #expect(try name(sent(bytes(5000, seed: 7), "t.jpg", "B")) == "B/t.jpg")
    #expect(try HostFile.read(vault.root + "/A/a.jpg") == content)
  }
}
