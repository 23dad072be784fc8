import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// Archives of photos.
@Suite struct ZipTests {
  private let space: PlainSpace

  init() throws { space = try PlainSpace() }

  /// What a script of Python says of an archive of these photos, which is `z` there and `all.zip` in the folder.
  private func said(_ script: String, on items: [Int], of snapshot: Snapshot) throws -> Outcome {
    var bytes: [UInt8] = []
    try ZipStream(ZipNumbers(items, of: snapshot), of: snapshot, in: space.gallery()).write { bytes += $0 }
    try HostFile.write(bytes, to: space.folder.path("all.zip"))
    let head = "import sys, unicodedata, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n"
    return try Outcome("/usr/bin/python3", arguments: ["-c", head + script, space.folder.path("all.zip")])
  }

  @Test func anArchiveHasEveryPhotoUnderANameOfItsOwn() throws {
    for name in ["A", "B"] { try space.folder.makeDirectory("space/" + name) }
    try space.write([1, 2, 3], to: "A/x.jpg")
    try space.write([4], to: "B/x.jpg")
    try space.write([], to: "ü.jpg")
    let snapshot = space.snapshot(["A/x.jpg", "B/x.jpg", "ü.jpg"])
    let listed = try said(
      "print(z.testzip(), [(i.filename, z.read(i)) for i in z.infolist()])", on: [2, 0, 1, 0], of: snapshot)
    #expect(
      listed.output == "None [('ü.jpg', b''), ('x.jpg', b'\\x01\\x02\\x03'), ('x (2).jpg', b'\\x04')]\n", "\(listed)")
  }

  /// A browser says only that a download failed.
  @Test func whatBreaksOffSaysAtWhichPhoto() throws {
    for name in ["a.jpg", "b.jpg"] { try space.write([1, 2, 3], to: name) }
    let snapshot = space.snapshot(["a.jpg", "b.jpg"])
    let gallery = try space.gallery()
    let zip = try ZipStream(ZipNumbers([0, 1], of: snapshot), of: snapshot, in: gallery)
    space.fail { $0 == .read ? .ioError : nil }
    #expect(firstWord { try zip.write { _ in } } == "a.jpg")
    space.fail(nil)
    _ = unsafe unlink(space.path("b.jpg"))
    #expect(firstWord { try zip.write { _ in } } == "b.jpg")
    let tickets = ZipTickets()
    let shelf = SnapshotShelf()
    shelf.put(snapshot)
    let ticket = try tickets.put(ZipNumbers([0], of: snapshot), of: snapshot)
    #expect(try tickets.progress(ticket) == .waiting)
    _ = try tickets.take(ticket, shelf)
    #expect(try tickets.progress(ticket) == .reading)
    tickets.note(ticket, .ended(reason: "b.jpg"))
    #expect(try tickets.progress(ticket) == .ended(reason: "b.jpg"))
    #expect(kind { _ = try tickets.progress("other") } == .gone)
    tickets.removeAll()
    #expect(kind { _ = try tickets.progress(ticket) } == .gone)
  }

  /// The first word of why something failed.
  private func firstWord(_ body: () throws -> Void) -> String? {
    do { try body() } catch let error as GalleryError {
      return error.detail.split { $0 == " " || $0 == ":" }.first.map(String.init)
    } catch { return "\(error)" }
    return nil
  }

  @Test func whoeverStopsReadingEndsIt() throws {
    struct Stop: Error {}
    try space.write([UInt8](repeating: 1, count: 1 << 20), to: "x.jpg")
    let snapshot = space.snapshot(["x.jpg"])
    let zip = try ZipStream(ZipNumbers([0], of: snapshot), of: snapshot, in: space.gallery())
    var count = 0
    #expect(throws: Stop.self) {
      try zip.write { bytes in
        count += bytes.count
        if count > 300_000 { throw Stop() }
      }
    }
    #expect(count < 1 << 20)
    #expect(kind { _ = try ZipNumbers([], of: snapshot) } == .badRequest)
    for wrong in [1, -1, .max, .min] { #expect(kind { _ = try ZipNumbers([0, wrong], of: snapshot) } == .notFound) }
  }

  /// Whatever file system the archive is unpacked on.
  @Test func namesThatDifferInCaseOrNormalFormGetNumbers() throws {
    let names = ["a/X.jpg", "b/x.JPG", "c/\u{C9}.jpg", "d/E\u{301}.jpg", "e/e\u{301}.JPG", "f/E.jpg", "g/x (2).jpg"]
    for (index, name) in names.enumerated() {
      try space.folder.makeDirectory("space/" + name.prefix(1))
      try space.write([UInt8(index)], to: name)
    }
    let snapshot = space.snapshot(names)
    let listed = try said(
      """
      assert z.testzip() is None
      names = z.namelist()
      assert len({unicodedata.normalize('NFD', name).casefold() for name in names}) == 7, names
      assert [z.read(name) for name in names] == [bytes([i]) for i in range(7)]
      print(ascii(names))
      """, on: Array(names.indices), of: snapshot)
    #expect(
      listed.output
        == "['X.jpg', 'x (2).JPG', '\\xc9.jpg', 'E\\u0301 (2).jpg', 'e\\u0301 (3).JPG', 'E.jpg', 'x (2) (2).jpg']\n",
      "\(listed)")
  }

  /// Whoever unpacks it may have Windows.
  @Test func namesThatWindowsRefusesAreReplaced() throws {
    let names = ["a:b.jpg", "a_b.jpg", "CON.jpg", "c.jpg"]
    for (index, name) in names.enumerated() { try space.write([UInt8(index)], to: name) }
    let snapshot = space.snapshot(names)
    let listed = try said("print(z.namelist(), [z.read(n)[0] for n in z.namelist()])", on: [0, 1, 2, 3], of: snapshot)
    #expect(listed.output == "['a_b.jpg', 'a_b (2).jpg', 'CON_.jpg', 'c.jpg'] [0, 1, 2, 3]\n", "\(listed)")
    let refused = try ZipNumbers([0, 1, 2, 3], of: snapshot).refusedNames(of: snapshot, most: 1)
    #expect(refused.first == [Array("a:b.jpg".utf8)] && refused.count == 2)
  }

  /// More of one name than any list of numbers was made for, and more entries than ZIP without 64 bits can count.
  @Test func anyNumberOfPhotosMayHaveOneName() throws {
    try space.write([7], to: "x.jpg")
    let count = 66_000
    let snapshot = space.snapshot([String](repeating: "x.jpg", count: count))
    let listed = try said(
      """
      names = z.namelist()
      assert len(set(names)) == 66000 and names[-1] == 'x (66000).jpg' and z.read(names[-1]) == b'\\7'
      """, on: Array(0..<count), of: snapshot)
    #expect(listed.status == 0, "\(listed)")
    let tested = try Outcome("/usr/bin/env", arguments: ["unzip", "-qt", space.folder.path("all.zip")])
    #expect(tested.status == 0, "\(tested)")
  }

  @Test func ticketsAreBounded() throws {
    let shelf = SnapshotShelf(most: 2)
    let snapshot = space.snapshot([String](repeating: "x.jpg", count: 10))
    shelf.put(snapshot)
    let tickets = ZipTickets(most: 3, mostPhotos: 10)
    func put(_ items: [Int]) throws -> String { try tickets.put(ZipNumbers(items, of: snapshot), of: snapshot) }
    let names = try [[0], [1], [2], [3, 3, 9]].map(put)
    #expect(kind { _ = try tickets.take(names[0], shelf) } == .gone)
    let (numbers, found) = try tickets.take(names[3], shelf)
    #expect(numbers.all == [3, 9] && found === snapshot)
    #expect(kind { _ = try tickets.take(names[3], shelf) } == .gone)
    // Its photos take the room of the others.
    let large = try put(Array(0..<9))
    #expect(kind { _ = try tickets.take(names[1], shelf) } == .gone)
    _ = try tickets.take(names[2], shelf)
    for _ in 0..<2 { shelf.put(space.snapshot([])) }
    #expect(kind { _ = try tickets.take(large, shelf) } == .gone)
    let few = ZipTickets(mostPhotos: 2)
    #expect(kind { _ = try few.put(ZipNumbers([0, 1, 2], of: snapshot), of: snapshot) } == .tooLarge)
  }

  @Test func onlySoManyAreReadAtATime() throws {
    // More than waits between the two ends, so that the place is taken as long as nobody reads.
    try space.write([UInt8](repeating: 1, count: 8 << 20), to: "x.jpg")
    let gallery = try space.gallery()
    let snapshot = space.snapshot(["x.jpg"])
    let places = ZipPlaces(most: 2)
    func archive() throws -> ZipStream {
      try ZipStream(ZipNumbers([0], of: snapshot), of: snapshot, in: gallery, at: places.take())
    }
    let first = try archive()
    var reader: ZipReader? = try ZipReader(archive())
    #expect(kind { _ = try archive() } == .busy)
    while try reader?.next() != nil {}
    reader = nil
    // Its thread may have something to clean up still.
    try waitUntil("the place of the second one is free") { (try? archive()) != nil }
    try first.write { _ in }
    withExtendedLifetime(first) {}
  }

  @Test func aReaderGetsTheSameAndMayStop() throws {
    try space.write((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 >> 8) }, to: "x.jpg")
    try space.write([1], to: "y.jpg")
    let gallery = try space.gallery()
    let snapshot = space.snapshot(["x.jpg", "y.jpg", "none.jpg"])
    let archive = try ZipStream(ZipNumbers([0, 1], of: snapshot), of: snapshot, in: gallery)
    var whole: [UInt8] = []
    try archive.write { whole += $0 }
    var reader = try ZipReader(archive)
    var bytes: [UInt8] = []
    while let block = try reader.next() { bytes += block }
    #expect(bytes == whole)
    reader = try ZipReader(archive)
    #expect(try reader.next() != nil)
    reader.stop()
    #expect(throws: (any Error).self) { while try reader.next() != nil {} }
    reader = try ZipReader(ZipStream(ZipNumbers([1, 2], of: snapshot), of: snapshot, in: gallery))
    #expect(kind { while try reader.next() != nil {} } == .notFound)
  }
}
