import Client
import Crypto
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Uploads that several sessions know, one after the other or at the same time.
@Suite struct UploadSessionTests: SendsUploads {
  private let space: PlainSpace
  private let gallery: Gallery

  init() throws {
    space = try PlainSpace()
    gallery = try space.gallery()
  }

  @Test func whoDidNotGetTheLastAnswerAsksAgain() throws {
    let content = bytes(100)
    let first = try space.gallery()
    let identifier = try first.uploads.begin(description(100)).identifier
    let done = try send(content[...], identifier, at: 0, first)
    #expect(done.path?.bytes == Array("a.jpg".utf8) && done.offset == 100 && done.checksum != nil)
    // Also after a new login.
    for gallery in [first, try space.gallery()] {
      #expect(try gallery.uploads.status(of: identifier) == done && gallery.uploads.begin(description(100)) == done)
      #expect(kind { try send(content[...], identifier, at: 0, gallery) } == .conflict)
    }
    // Who has another file says so.
    try first.uploads.end(identifier)
    #expect(try space.names(Self.incoming) == [] && space.read("a.jpg") == content)
    #expect(try first.uploads.begin(description(100)).offset == 0)
  }

  /// "Verified" is said of what is there, and of nothing that has its name by now.
  @Test func whatIsNotThereAnyMoreIsNotVerified() throws {
    for change in ["removed", "renamed", "replaced", "changed", "a directory"] {
      let space = try PlainSpace()
      let gallery = try space.gallery()
      let content = bytes(100)
      let identifier = try gallery.uploads.begin(description(100)).identifier
      try send(content[...], identifier, at: 0, gallery)
      #expect(try gallery.uploads.status(of: identifier).path != nil)
      let path = space.path("a.jpg")
      switch change {
      case "renamed": try systemCall { unsafe rename(path, space.path("b.jpg")) }
      case "changed": try Descriptor.open(path, O_WRONLY).writeAll([content[0] ^ 1])
      default: try systemCall { unsafe unlink(path) }
      }
      if change == "replaced" { try space.write(content, to: "a.jpg") }
      if change == "a directory" { try space.folder.makeDirectory("space/a.jpg") }
      #expect(kind { _ = try gallery.uploads.status(of: identifier) } == .gone, "\(change)")
      #expect(kind { try send(content[...], identifier, at: 0, gallery) } == .gone, "\(change)")
      // It is sent again, and what is there stays.
      #expect(try gallery.uploads.begin(description(100)).offset == 0, "\(change)")
      let done = try send(content[...], identifier, at: 0, gallery)
      let name = ["changed", "a directory"].contains(change) ? "a (2).jpg" : "a.jpg"
      #expect(try done.path?.bytes == Array(name.utf8) && space.read(name) == content, "\(change)")
      #expect(done.wasThere == (change == "replaced"), "\(change)")
    }
  }

  /// The disk goes while the album is written: the name is there, but perhaps not after the next mount.
  @Test func aNameThatMayBeLostIsNotVerified() throws {
    let content = bytes(100)
    let identifier = try gallery.uploads.begin(description(100)).identifier
    space.fail { $0 == .flush ? .ioError : nil }
    #expect(kind { try send(content[...], identifier, at: 0, gallery) } != nil)
    #expect(try space.names(".") == [".agonyfs", "a.jpg"])
    #expect(kind { _ = try gallery.uploads.status(of: identifier) } != nil)
    #expect(kind { _ = try gallery.uploads.begin(description(100)) } != nil)
    space.fail(nil)
    #expect(try gallery.uploads.status(of: identifier).path?.bytes == Array("a.jpg".utf8))
    #expect(try space.read("a.jpg") == content)
  }

  /// Another program takes the name while the album is written, which fails.
  @Test func whatTookTheNameMeanwhileStays() throws {
    let content = bytes(100)
    let identifier = try gallery.uploads.begin(description(100)).identifier
    try space.write([9], to: "other")
    let (from, to) = (space.path("other"), space.path("a.jpg"))
    let flushes = Counter()
    space.fail { call in
      guard call == .flush, flushes.next() == 0 else { return nil }
      return unsafe rename(from, to) == 0 ? .noSpace : .ioError
    }
    #expect(kind { try send(content[...], identifier, at: 0, gallery) } == .full)
    space.fail(nil)
    #expect(try space.read("a.jpg") == [9])
    #expect(try space.names(Self.incoming) == [".partial-web-\(identifier).log"])
    #expect(kind { _ = try gallery.uploads.status(of: identifier) } == .gone)
    try gallery.uploads.end(identifier)
    #expect(try space.read("a.jpg") == [9])
  }

  @Test func bytesWithoutALogAreNoUpload() throws {
    let content = bytes(100)
    let description = try description(100)
    try space.write([9, 9], to: "\(Self.incoming)/.partial-web-\(description.identifier)")
    let identifier = try gallery.uploads.begin(description).identifier
    #expect(identifier == description.identifier)
    #expect(try send(content[...], identifier, at: 0, gallery).path?.bytes == Array("a.jpg".utf8))
    #expect(try space.read("a.jpg") == content)
  }

  /// Two logins of one space: each upload has one that works on it.
  @Test func twoSessionsNeverHaveOneUpload() throws {
    let content = bytes(3000)
    let (one, other) = (try space.gallery(), try space.gallery())
    let identifier = try one.uploads.begin(description(3000)).identifier
    let piece = try UploadPiece(of: identifier, at: 0, checksum: nil, in: one)
    #expect(kind { _ = try UploadPiece(of: identifier, at: 0, checksum: nil, in: other) } == .busy)
    #expect(kind { try other.uploads.end(identifier) } == .busy)
    let second = try other.uploads.begin(description(3000))
    #expect(second.identifier != identifier)
    try piece.append(content)
    #expect(try piece.finish().path?.bytes == Array("a.jpg".utf8))
    // Another file, and the hash that the first session keeps is of what it wrote itself.
    let changed = bytes(3000, seed: 2)
    try send(changed[..<1000], second.identifier, at: 0, other)
    try one.uploads.end(second.identifier)
    #expect(try one.uploads.begin(description(3000)).identifier == identifier)
    try one.uploads.end(identifier)
    #expect(try other.uploads.begin(description(3000)).identifier == identifier)
    try send(changed[..<1000], identifier, at: 0, one)
    try other.uploads.end(identifier)
    #expect(try other.uploads.begin(description(3000)).offset == 0)
    try send(content[..<1000], identifier, at: 0, other)
    let last = try send(content[1000...], identifier, at: 1000, one)
    #expect(try last.path?.bytes == Array("a.jpg".utf8) && last.wasThere && space.read("a.jpg") == content)
  }

  /// Begins an upload, or goes on with it, up to its end.
  private static func sendAll(
    _ content: [UInt8], _ description: UploadDescription, _ gallery: Gallery
  ) throws -> SpacePath? {
    var status = try gallery.uploads.begin(description)
    while status.path == nil {
      let (start, end) = (Int(status.offset), min(Int(status.offset) + 5000, content.count))
      let piece = try UploadPiece(of: status.identifier, at: status.offset, checksum: nil, in: gallery)
      try piece.append(Array(content[start..<end]))
      status = try piece.finish()
    }
    return status.path
  }

  /// Many begin and send the same file at the same time: all are right, and it is stored once.
  @Test func manySessionsAtOnceLoseNothing() async throws {
    let content = bytes(20_000)
    let whole = try description(content.count)
    let galleries = try (0..<8).map { _ in try space.gallery() }
    let paths = await withTaskGroup(of: SpacePath?.self) { group in
      for gallery in galleries {
        group.addTask {
          for _ in 0..<1000 {
            // Another one has it for now.
            if let path = try? Self.sendAll(content, whole, gallery) { return path }
            sched_yield()
          }
          return nil
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(paths.allSatisfy { $0?.bytes == Array("a.jpg".utf8) }, "\(paths)")
    #expect(try space.read("a.jpg") == content && space.names(".") == [".agonyfs", "a.jpg"])
    let left = try space.names(Self.incoming)
    #expect(left.allSatisfy { $0.hasSuffix(".log") }, "\(left)")
  }

  @Test func aLogThatNobodyCanReadStays() throws {
    let identifier = try gallery.uploads.begin(description(10)).identifier
    let log = Self.incoming + "/.partial-web-\(identifier).log"
    try space.write(Array("nonsense".utf8), to: log)
    #expect(kind { _ = try gallery.uploads.status(of: identifier) } == .conflict)
    #expect(kind { try send(bytes(10)[...], identifier, at: 0, gallery) } == .conflict)
    let other = try gallery.uploads.begin(description(10)).identifier
    #expect(try other != identifier && space.read(log) == Array("nonsense".utf8))
    try send(bytes(10)[...], other, at: 0, gallery)
    try gallery.uploads.end(identifier)
    #expect(kind { _ = try gallery.uploads.status(of: identifier) } == .notFound)
  }

  /// Why the end failed is said, and no other upload is begun in its place.
  @Test func anEndThatFailsIsSaid() throws {
    let renames = Counter()
    // The log gets its name, and the file none.
    space.fail { $0 == .rename && renames.next() > 0 ? .directoryNotEmpty : nil }
    #expect(kind { _ = try gallery.uploads.begin(description(0)) } == .conflict)
    space.fail(nil)
    #expect(try space.names(Self.incoming).count == 2 && space.names(".") == [".agonyfs"])
    #expect(try gallery.uploads.begin(description(0)).path?.bytes == Array("a.jpg".utf8))
  }

  /// Clients that know tus alone begin at 0, and pieces of any length say nothing that could be compared.
  @Test func onlyWhoCanCompareGoesOn() throws {
    let content = bytes(3000)
    let one = try gallery.uploads.begin(description(3000), resumes: false).identifier
    try send(content[..<1000], one, at: 0, gallery)
    #expect(try gallery.uploads.begin(description(3000), resumes: false).offset == 0)
    let two = try gallery.uploads.begin(description(3000)).identifier
    try send(content[..<1000], two, at: 0, gallery)
    #expect(try gallery.uploads.begin(description(3000)).offset == 1000)
    try send(content[1000..<2000], two, at: 1000, gallery)
    let three = try gallery.uploads.begin(description(3000))
    #expect(try three.identifier != two && three.offset == 0 && gallery.uploads.status(of: two).offset == 2000)
    try send(content[2000...], two, at: 2000, gallery)
    #expect(try gallery.uploads.begin(description(3000)).identifier == three.identifier)
  }
}
