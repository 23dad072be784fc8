import Client
import Crypto
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Files that are received, on a plain folder.
@Suite struct UploadTests: SendsUploads {
  private let space: PlainSpace
  private let gallery: Gallery

  init() throws {
    space = try PlainSpace()
    gallery = try space.gallery()
  }

  @Test func aFileIsThereWhenItIsWholeAndVerified() throws {
    let content = bytes(10_000)
    let began = try gallery.uploads.begin(description(content.count, album: "2019", path: "Trip/Day 1/a.jpg"))
    #expect(began.offset == 0 && began.path == nil)
    #expect(try send(content[..<4000], began.identifier, at: 0, gallery).offset == 4000)
    #expect(try space.names(".") == [".agonyfs"])
    let done = try send(content[4000...], began.identifier, at: 4000, gallery)
    #expect(done.path == (try SpacePath(Array("2019/Trip/Day 1/a.jpg".utf8))))
    #expect(try space.read("2019/Trip/Day 1/a.jpg") == content)
    var status = stat()
    _ = unsafe stat(space.path("2019/Trip/Day 1/a.jpg"), &status)
    #expect(status.st_mtim.tv_sec == 1_565_872_496 && status.st_mtim.tv_nsec == 789_000_000)
    #expect(status.st_mode & 0o777 == 0o644)
    #expect(try space.names(Self.incoming) == [".partial-web-\(began.identifier).log"])
    #expect(try gallery.uploads.status(of: began.identifier) == done)
  }

  @Test func aPieceMayHaveASHA1() throws {
    let identifier = try gallery.uploads.begin(description(3)).identifier
    // FIPS 180-4: that of "abc".
    let hash = try #require(Hexadecimal.bytes(of: "a9993e364706816aba3e25717850c26c9cd0d89d".utf8))
    let abc = Array("abc".utf8)
    #expect(kind { try send(abc[...], identifier, at: 0, gallery, checksum: hash.reversed()) } == .wrongChecksum)
    #expect(try gallery.uploads.status(of: identifier).offset == 0)
    #expect(try send(abc[...], identifier, at: 0, gallery, checksum: hash).path != nil)
    #expect(try space.read("a.jpg") == abc)
  }

  /// A server that lets a piece go, as when its session ends, counts nothing of it and goes on.
  @Test func aPieceThatIsLetGoCountsAsNothing() throws {
    let content = bytes(3000)
    let identifier = try gallery.uploads.begin(description(3000)).identifier
    var piece: UploadPiece? = try UploadPiece(of: identifier, at: 0, checksum: nil, in: gallery)
    try piece?.append(Array(content[..<1000]))
    piece = nil
    #expect(try gallery.uploads.status(of: identifier).offset == 0)
    #expect(try send(content[...], identifier, at: 0, gallery).path != nil)
    #expect(try space.read("a.jpg") == content)
  }

  @Test func namesThatAreTakenStay() throws {
    try space.write([9], to: "a.jpg")
    for number in 2...4 {
      let content = bytes(100, seed: number % 3)
      // Of the same name, length and time, but with other bytes.
      let before = try gallery.uploads.begin(description(100))
      if before.path != nil { try gallery.uploads.end(before.identifier) }
      let began = try gallery.uploads.begin(description(100))
      let done = try send(content[...], began.identifier, at: 0, gallery)
      #expect(done.path?.bytes == Array("a (\(number)).jpg".utf8))
      #expect(try space.read("a (\(number)).jpg") == content)
    }
    #expect(try space.read("a.jpg") == [9])
  }

  @Test func anEmptyFileIsWholeAtOnce() throws {
    let done = try space.gallery().uploads.begin(description(0, "empty.txt"))
    #expect(done.path?.bytes == Array("empty.txt".utf8))
    #expect(try space.read("empty.txt").isEmpty && space.names(Self.incoming).count == 1)
  }

  @Test func aWrongHashOffsetOrLengthChangesNothing() throws {
    let content = bytes(5000)
    let identifier = try gallery.uploads.begin(description(5000)).identifier
    try send(content[..<2000], identifier, at: 0, gallery)
    let wrong = [UInt8](repeating: 0, count: 32)
    #expect(kind { try send(content[2000...], identifier, at: 2000, gallery, checksum: wrong) } == .wrongChecksum)
    #expect(kind { try send(content[2000...], identifier, at: 2000, gallery, checksum: [1]) } == .badRequest)
    for offset in [0, 1999, 2001, 5000, -1, Int.max] {
      #expect(kind { try send(content[2000...], identifier, at: offset, gallery) } == .conflict, "\(offset)")
    }
    #expect(kind { try send(content[2000...] + [1], identifier, at: 2000, gallery) } == .tooLarge)
    #expect(kind { try send(content[...], "0123", at: 0, gallery) } == .notFound)
    for name in ["", "../x", "a/b", ".log", "A", String(repeating: "a", count: 65)] {
      #expect(kind { _ = try gallery.uploads.status(of: name) } == .notFound, "\(name)")
    }
    #expect(try gallery.uploads.status(of: identifier).offset == 2000)
    try send(content[2000...], identifier, at: 2000, gallery)
    #expect(try space.read("a.jpg") == content)
  }

  @Test func badDescriptionsAreRefused() throws {
    for (name, album, path) in [
      ("", "", ""), ("..", "", ""), ("a/b", "", ""), ("a\0", "", ""), (String(repeating: "x", count: 300), "", ""),
      ("a", "..", ""), ("a", ".agonyfs/incoming", ""), ("a", ".Trash-0/files", ""), ("a", "", "../a"),
      ("a", "", "/etc/a"), ("a", "", ".agonyfs/a"), ("a", "", ".Trash-0/a"), (".agonyfs", "", ""),
      (".Trash-1000", "", ""), (".Trash", "", ""), (".sh_thumbnails", "A", ""), ("a", "", ".Trash/a"),
    ] {
      #expect(kind { _ = try description(1, name, album: album, path: path) } != nil, "\(name) \(album) \(path)")
    }
    #expect(kind { _ = try description(-1) } == .badRequest)
    #expect(kind { _ = try description(1, modified: .max) } == .badRequest)
    #expect(kind { _ = try space.gallery().uploads.begin(try description(.max)) } == .full)
  }

  /// The server is killed after any number of pieces, with bytes of the next one in the file.
  @Test func aKilledServerGoesOn() throws {
    let content = bytes(8000)
    let one = try space.gallery()
    let identifier = try one.uploads.begin(description(8000)).identifier
    try send(content[..<3000], identifier, at: 0, one)
    let piece = try UploadPiece(of: identifier, at: 3000, checksum: SHAHasher.sha256(of: []), in: one)
    try piece.append(Array(content[3000..<4000]))
    // Another process; the first one has done nothing since.
    let other = try space.gallery()
    #expect(try other.uploads.status(of: identifier).offset == 3000)
    #expect(kind { try send(content[3000...], identifier, at: 3000, other) } == .busy)
    try piece.cut()
    // A line that was cut, and more than the log knows.
    let names = try space.names(Self.incoming)
    #expect(names == [".partial-web-\(identifier)", ".partial-web-\(identifier).log"])
    try Descriptor.open(space.path(Self.incoming + "/" + names[0]), O_WRONLY | O_APPEND).writeAll([1, 2, 3])
    try Descriptor.open(space.path(Self.incoming + "/" + names[1]), O_WRONLY | O_APPEND).writeAll(Array("500 00".utf8))
    let third = try space.gallery()
    #expect(try third.uploads.status(of: identifier).offset == 3000)
    try send(content[3000..<5000], identifier, at: 3000, third)
    let fourth = try space.gallery()
    try send(content[5000...], identifier, at: 5000, fourth)
    #expect(try space.read("a.jpg") == content && space.names(Self.incoming) == [names[1]])
  }

  @Test func bytesThatChangedMeanwhileAreFound() throws {
    let content = bytes(4000)
    let identifier = try space.gallery().uploads.begin(description(4000)).identifier
    try send(content[..<2000], identifier, at: 0, space.gallery())
    let file = try Descriptor.open(space.path(Self.incoming + "/.partial-web-\(identifier)"), O_WRONLY)
    try file.writeAll([content[0] ^ 1])
    #expect(kind { try send(content[2000...], identifier, at: 2000, gallery) } == .failed)
    // Nothing is kept that is wrong, and the file can be sent again.
    #expect(try space.names(".") == [".agonyfs"] && space.names(Self.incoming) == [])
    #expect(try gallery.uploads.begin(description(4000)).offset == 0)
  }

  @Test func storageThatLiesIsFound() throws {
    space.falsify(true)
    let identifier = try gallery.uploads.begin(description(10)).identifier
    #expect(kind { try send(bytes(10)[...], identifier, at: 0, gallery) } == .failed)
    #expect(try space.names(".") == [".agonyfs"] && space.names(Self.incoming) == [])
  }

  /// The digest makes durable what was sent before the file has a name, and one sync makes the name durable.
  @Test func aFileIsDurableBeforeItHasItsName() throws {
    let calls = Mutex<[FileCall]>([])
    let noted: Set<FileCall> = [.digest, .rename, .flush]
    space.fail { call in
      if noted.contains(call) { calls.withLock { $0.append(call) } }
      return nil
    }
    let identifier = try gallery.uploads.begin(description(10)).identifier
    calls.withLock { $0 = [] }
    try send(bytes(10)[...], identifier, at: 0, gallery)
    #expect(calls.withLock { $0 } == [.digest, .rename, .flush])
  }

  /// A full vault says so when it reads back: the file has no name then, and what was sent waits.
  @Test func whatIsNotDurableGetsNoName() throws {
    let identifier = try gallery.uploads.begin(description(10)).identifier
    space.fail { $0 == .digest ? .noSpace : nil }
    #expect(kind { try send(bytes(10)[...], identifier, at: 0, gallery) } == .full)
    space.fail(nil)
    #expect(try space.names(".") == [".agonyfs"])
    #expect(try gallery.uploads.status(of: identifier).path == nil)
  }

  @Test func aPieceThatIsCutCountsOnlyWithoutAHash() throws {
    let content = bytes(3000)
    let identifier = try gallery.uploads.begin(description(3000)).identifier
    var piece = try UploadPiece(of: identifier, at: 0, checksum: SHAHasher.sha256(of: content), in: gallery)
    try piece.append(Array(content[..<1000]))
    #expect(try piece.cut().offset == 0)
    piece = try UploadPiece(of: identifier, at: 0, checksum: nil, in: gallery)
    try piece.append(Array(content[..<1000]))
    #expect(try piece.cut().offset == 1000)
    #expect(try gallery.uploads.status(of: identifier).checksum != nil)
    piece = try UploadPiece(of: identifier, at: 1000, checksum: nil, in: gallery)
    try piece.append(Array(content[1000...]))
    #expect(try piece.finish().path != nil)
    #expect(try space.read("a.jpg") == content)
  }

  @Test func anUploadCanBeEnded() throws {
    let identifier = try gallery.uploads.begin(description(10)).identifier
    let piece = try UploadPiece(of: identifier, at: 0, checksum: nil, in: gallery)
    #expect(kind { try gallery.uploads.end(identifier) } == .busy)
    // Another browser sends the same file meanwhile.
    let other = try gallery.uploads.begin(description(10))
    #expect(other.identifier != identifier)
    try piece.cut()
    try gallery.uploads.end(identifier)
    try gallery.uploads.end(other.identifier)
    #expect(kind { try gallery.uploads.end(identifier) } == .notFound)
    #expect(try space.names(Self.incoming) == [])
  }

  /// Each system call of an upload fails once, by a full disk. Afterwards it goes on, or is sent again.
  @Test(arguments: [FileCall.create, .write, .truncate, .flush, .digest, .rename, .times, .open, .status])
  func afterAFullVaultItGoesOn(call: FileCall) throws {
    let content = bytes(2500)
    for place in 0..<30 {
      let space = try PlainSpace()
      let gallery = try space.gallery()
      let count = Counter()
      space.fail { call == $0 && count.next() == place ? .noSpace : nil }
      var kinds: [GalleryError.Kind] = []
      var done: UploadStatus?
      let whole = try description(2500)
      for _ in 0..<6 where done == nil {
        do throws(GalleryError) {
          let began = try gallery.uploads.begin(whole)
          var status = began
          while status.path == nil {
            let offset = Int(status.offset)
            status = try send(
              content[offset..<min(offset + 1000, 2500)], began.identifier, at: offset, gallery)
          }
          done = status
        } catch {
          kinds.append(error.kind)
        }
      }
      #expect(kinds.allSatisfy { $0 == .full } && kinds.count <= 1, "\(call) \(place): \(kinds)")
      #expect(try done.map { try space.read(String(decoding: $0.path?.bytes ?? [], as: UTF8.self)) } == content)
      #expect(try space.names(".") == [".agonyfs", "a.jpg"], "\(call) \(place)")
      space.fail(nil)
      if kinds.isEmpty { break }
    }
  }
}
