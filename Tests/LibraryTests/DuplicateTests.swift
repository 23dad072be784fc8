import AlbumsSupport
import Catalog
import Testing
import Vault

@testable import Albums
@testable import Index
@testable import Library

@Suite struct DuplicateTests {
  private let vault: CatalogVault

  init() throws { vault = try CatalogVault() }

  /// Groups as the names of their files.
  private func groups(_ kind: DuplicateKind) throws -> [[String]] {
    try vault.files.duplicates.groups(kind).map { group in
      try vault.files.duplicates.seen(among: group, for: .everything).map { $0.names[0].nameText }
    }.filter { !$0.isEmpty }
  }

  @Test func equalContentsAreFound() throws {
    let album = try vault.files.folder("album")
    _ = try vault.photo("a.jpg", "title=1")
    _ = try vault.photo("b.jpg", "title=2")
    let copy = try vault.photo("c.jpg", "title=1", in: album)
    _ = try vault.photo("d.jpg", "title=1")
    #expect(try groups(.exact).map(Set.init) == [["a.jpg", "c.jpg", "d.jpg"]])
    #expect(try groups(.pixels) == [])
    // A second name is no second file, and what was thrown away is no duplicate.
    _ = try vault.files.link(copy, named: .of("e.jpg"), in: .root)
    let trash = try vault.files.folder(".Trash-1000")
    try vault.files.rename(.of("d.jpg"), in: .root, to: .of("d.jpg"), in: trash, flags: [])
    #expect(try groups(.exact).map(\.count) == [2])
    try vault.set("user.agonyfs.distinct", of: copy, to: "1")
    #expect(try groups(.exact) == [])
    try vault.files.close()
  }

  /// A copy that was thrown away makes no duplicate of the one that is left, whoever asks.
  @Test func whatIsInTheTrashMakesNoDuplicate() throws {
    for name in ["a.jpg", "b.jpg"] { _ = try vault.photo(name, "title=1") }
    let query = try QueryParser.parse("is:duplicate")
    func count(_ user: UInt32) throws -> Int {
      try vault.files.questions.count(of: CatalogQuestion(query), for: Opener(user: user, group: user))
    }
    #expect(try [count(0), count(1000)] == [2, 2])
    let trash = try vault.files.folder(".Trash-1000")
    try vault.files.rename(.of("b.jpg"), in: .root, to: .of("b.jpg"), in: trash, flags: [])
    #expect(try [count(0), count(1000)] == [0, 0])
    try vault.files.close()
  }

  /// Files that say different things of the same pixels. Only what looks the same is decoded, and once.
  @Test func equalPixelsAreFound() throws {
    let contents = [
      "look=f0f0;title=1;|same|", "look=f0f0;title=2;|same|", "look=f0f0;title=3;|other|", "look=f;title=4;|same|",
      "look=f0f0;title=1;|same|",
    ]
    for (number, content) in contents.enumerated() { _ = try vault.photo("\(number).jpg", content) }
    #expect(try groups(.pixels).map(Set.init) == [["0.jpg", "1.jpg", "4.jpg"]])
    let asked = vault.maker.asked
    #expect(asked == 4)
    #expect(try groups(.pixels).count == 1 && vault.maker.asked == asked)
    let one = try vault.files.find("1.jpg").inode
    #expect(try vault.item(one)?.links.isDuplicate == true)
    #expect(try vault.item(vault.files.find("2.jpg").inode)?.links.isDuplicate == false)
    try vault.files.close()
  }

  /// Pictures that look alike, but those of one stack are one picture.
  @Test func similarPicturesAreFound() throws {
    let looks = ["0f0f0f0f0f0f0f0f", "0f0f0f0f0f0f0f1c", "ffff0000ff0000ff", "0f0f0f0f0f0f0f0e"]
    let photos = try looks.enumerated().map { try vault.photo("\($0.offset).jpg", "look=\($0.element)") }
    #expect(try groups(.similar).map(Set.init) == [["0.jpg", "1.jpg", "3.jpg"]])
    try vault.files.locked { files in
      for photo in [photos[0], photos[1], photos[3]] {
        var row = try #require(try files.index.catalog.item(photo))
        row.stack = photos[0]
        try files.index.catalog.updateItem(row)
      }
    }
    #expect(try groups(.similar) == [])
    try vault.files.close()
  }

  /// The door tells them a group a line, the best first, and says when it is at the end.
  @Test func theDoorTellsThem() throws {
    for name in ["a.jpg", "b.jpg", "c.jpg"] { _ = try vault.photo(name, "title=\(name == "c.jpg" ? 2 : 1)") }
    let exact = vault.files.answer("duplicates exact\n\n")
    #expect(exact.count == 3 && exact.first == "ok")
    #expect(
      exact[1].hasPrefix(#"{"kind":"exact","members":[{"path":"a.jpg","#) && exact[1].contains(#"{"path":"b.jpg","#))
    #expect(exact[2].hasPrefix(#"{"end":true,"count":1,"next":null"#))
    #expect(vault.files.answer("duplicates similar\n\n").count == 2)
    #expect(vault.files.answer("duplicates other\n\n").first == "error")
    // How many files wait, also such as nobody else sees, is told to the owner only.
    let trailers = [1000, 5].map { vault.files.answer("", for: Opener(user: $0, group: $0)).last }
    #expect(trailers[0]?.hasPrefix(#"{"end":true,"count":3,"next":null,"pending":"#) == true)
    #expect(trailers[1] == #"{"end":true,"count":3,"next":null}"#)
    // What has to be decoded is decoded a few at a time; one read never takes long.
    for name in 1...6 { _ = try vault.photo("same \(name).jpg", "look=f0f0;title=\(name);|same|") }
    let pixels = vault.files.answer("duplicates pixels\n\n")
    #expect(pixels.dropFirst().prefix(2) == [#"{"kind":"pixels","left":2}"#, #"{"kind":"pixels","left":0}"#])
    #expect(pixels.count == 5 && pixels[3].hasPrefix(#"{"kind":"pixels","members":[{"path":"same "#))
    #expect(vault.files.answer("duplicates pixels\n\n").count == 3)
    #expect(vault.files.answer("duplicates exact\n\ntag:a").first == "error")
    try vault.files.close()
  }

  /// What the camera said comes before more pixels and bytes, then the earliest; the door says what that is decided by.
  @Test func theCamerasOwnFileIsTheBest() throws {
    _ = try vault.photo("copy.jpg", "look=f0f0;title=long title of a copy;|same|")
    _ = try vault.photo("late.jpg", "look=f0f0;make=Canon;taken=2020-01-02T00:00:00;|same|")
    let own = try vault.photo("own.jpg", "look=f0f0;make=Canon;taken=2020-01-01T00:00:00;|same|")
    try vault.text("own.jpg.xmp", "make=Canon;caption=Words")
    #expect(try groups(.pixels) == [["own.jpg", "late.jpg", "copy.jpg"]])
    #expect(try vault.item(own)?.ownFacts == 3)
    // What the user says of the time takes nothing from a file that names its camera.
    try vault.set("user.agonyfs.taken", of: own, to: "2019-01-01")
    #expect(try vault.item(own)?.ownFacts == 3)
    let line = try #require(vault.files.answer("duplicates pixels\n\n").first { $0.contains("members") })
    #expect(line.contains(#""ownFacts":3,"look":"000000000000f0f0","sidecars":["own.jpg.xmp"]"#))
    try vault.files.close()
  }

  @Test func whoMayNotReadSeesNoDuplicate() throws {
    let photo = try vault.photo("a.jpg", "title=1")
    let copy = try vault.photo("b.jpg", "title=1")
    let group = try #require(try vault.files.duplicates.groups(.exact).first)
    #expect(group == [photo, copy])
    let stranger = Opener(user: 5, group: 5)
    #expect(try vault.files.duplicates.seen(among: group, for: stranger).count == 2)
    try vault.files.change(copy) { $0.mode = 0o600 }
    #expect(try vault.files.duplicates.seen(among: group, for: stranger).isEmpty)
    // Nor does the other one tell that there is one.
    let query = Query.condition(.flag(.duplicate))
    #expect(try vault.files.questions.count(of: CatalogQuestion(query), for: stranger) == 0)
    #expect(try vault.files.questions.count(of: CatalogQuestion(query), for: .everything) == 2)
    #expect(try vault.files.duplicates.seen(among: group, for: Opener(user: 1000, group: 1)).count == 2)
    try vault.files.close()
  }
}
