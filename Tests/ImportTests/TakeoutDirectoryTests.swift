import Testing

@testable import Import

@Suite struct TakeoutDirectoryTests {
  private static func matches(_ paths: [String], titles: [String: String] = [:]) -> TakeoutMatches {
    .of(paths.map { TakeoutInput(path: Array($0.utf8), title: titles[$0].map { Array($0.utf8) }) })
  }

  @Test(arguments: [
    "Photos from 2019", "Fotos von 2019", "Photos de 2019", "Fotos de 2019", "Foto's uit 2019",
    "Foto\u{2019}s uit 2019",
    "Foto dal 2019", "Zdjęcia z 2019", "Фото за 2019", "Фотографии за 2019", "2019 年の写真", "2019年の写真", "2019년의 사진",
    "2019年的照片", "Foton från 2019", "Foton fra\u{30A}n 2019", "Bilder fra 2019", "Billeder fra 2019", "Fotky z 2019",
  ])
  func years(_ name: String) {
    #expect(TakeoutDirectories.year(Array(name.utf8)) == 2019)
    #expect(Self.matches(["Takeout/Google Photos/\(name)/a.jpg"]).directories[0].kind == .year(2019))
  }

  @Test(arguments: [
    "2019", "Photos from 19", "Photos from 20190", "Photos from 2019 (1)", "Rome 2019", "Photos from", "",
  ])
  func noYears(_ name: String) { #expect(TakeoutDirectories.year(Array(name.utf8)) == nil) }

  @Test(arguments: [
    "metadata.json", "Metadaten.json", "métadonnées.json", "me\u{301}tadonne\u{301}es.json", "metadatos.json",
    "metadati.json", "metadáta.json", "метаданные.json", "метаданни.json", "METADATA.JSON", "metadata(1).json",
  ])
  func albums(_ name: String) {
    let matches = Self.matches(["T/Google Fotos/Rome/\(name)", "T/Google Fotos/Rome/metadata.jpg"])
    #expect(matches.states == [.albumMetadata, .unmatched])
    #expect(matches.directories == [TakeoutDirectory(path: Array("Rome".utf8), kind: .album(metadata: 0))])
  }

  @Test func albumsOfLanguagesThatAreNotKnown() {
    let json = "Takeout/Google Photos/Rome_ May/xyz.json"
    let paths = ["Takeout/Google Photos/Rome_ May/a.jpg", json]
    #expect(Self.matches(paths, titles: [json: "Rome: May"]).states == [.unmatched, .albumMetadata])
    #expect(Self.matches(paths, titles: [json: "Paris"]).states == [.unmatched, .unused])
    #expect(Self.matches(paths).directories[0].kind == .other)
  }

  @Test func aYearsOwnJSONMakesItNoAlbum() {
    let matches = Self.matches(["Takeout/Google Photos/Photos from 2019/metadata.json"])
    #expect(matches.states == [.albumMetadata] && matches.directories[0].kind == .year(2019))
  }

  @Test(arguments: ["Trash", "Bin", "Papierkorb", "Corbeille", "Papelera", "Cestino", "ゴミ箱", "Корзина"])
  func trash(_ name: String) {
    #expect(Self.matches(["Takeout/Google Photos/\(name)/a.jpg"]).directories[0].kind == .trash)
    // The user's own album of this name.
    let own = Self.matches(["Takeout/Google Photos/\(name)/a.jpg", "Takeout/Google Photos/\(name)/metadata.json"])
    #expect(own.directories[0].kind == .album(metadata: 1))
  }

  @Test func jsonOfTheAccount() {
    let names = ["print-subscriptions.json", "shared_album_comments.json", "user-generated-memory-titles.json"]
    #expect(
      Self.matches(names.map { "Takeout/Google Photos/" + $0 }).states == Array(repeating: .accountMetadata, count: 3))
  }

  @Test func whatIsATakeout() {
    let year = "Photos from 2019"
    #expect(
      Self.matches(["Takeout/Google Photos/\(year)/a.jpg", "Takeout/Google Photos/\(year)/a.jpg.json"]).isTakeout)
    #expect(Self.matches(["\(year)/a.jpg", "\(year)/a.jpg.json"]).isTakeout)
    #expect(Self.matches(["a.jpg", "a.jpg.supplemental-metadata.json"]).isTakeout)
    #expect(Self.matches(["Takeout/Google 相册/Rome/a.jpg", "Takeout/Google 相册/Rome/元数据.json"]).isTakeout)
    // Other programs write JSON beside photos as well.
    #expect(!Self.matches(["DCIM/a.jpg", "DCIM/a.jpg.json"]).isTakeout)
    #expect(!Self.matches(["DCIM/a.jpg", "DCIM/a.jpg.metadata.json", "DCIM/b.jpg", "DCIM/b.jpg.s.json"]).isTakeout)
    #expect(!Self.matches(["Rome/a.jpg", "Rome/metadata.json"]).isTakeout)
    #expect(!Self.matches(["Takeout/Mail/a.mbox", "\(year)/a.jpg"]).isTakeout)
    #expect(!Self.matches([]).isTakeout)
  }

  /// The same directory may lie in several parts, below names of archives that were unpacked.
  @Test func aJSONMayLieInAnotherPart() {
    let inputs: [TakeoutInput] = [
      ("Takeout/Google Photos/Photos from 2019/a.jpg", 1), ("Takeout/Google Photos/Photos from 2019/a.jpg.json", 2),
      ("takeout-001/Takeout/Google Photos/Photos from 2019/b.jpg", 0),
      ("takeout-002/Takeout/Google Photos/Photos from 2019/b.jpg.json", 0),
      ("Takeout/Google Photos/Photos from 2020/b.jpg", 1),
      // Both are in two parts: each has that of its own.
      ("Takeout/Google Photos/Photos from 2019/c.jpg", 5), ("Takeout/Google Photos/Photos from 2019/c.jpg", 3),
      ("Takeout/Google Photos/Photos from 2019/c.jpg.json", 3),
      ("Takeout/Google Photos/Photos from 2019/c.jpg.json", 5),
    ].map { TakeoutInput(path: Array($0.0.utf8), part: $0.1) }
    let matches = TakeoutMatches.of(inputs)
    func exact(_ json: Int) -> TakeoutState { .matched(json: json, rule: .exactName) }
    #expect(
      matches.states == [
        exact(1), .used(files: 1), exact(3), .used(files: 1), .unmatched, exact(8), exact(7), .used(files: 1),
        .used(files: 1),
      ])
    #expect(
      matches.directories.map { String(decoding: $0.path, as: UTF8.self) } == ["Photos from 2019", "Photos from 2020"])
    #expect(matches.directory(of: 4).kind == .year(2020))
  }

  @Test func albumsFollowTheYears() {
    let matches = Self.matches(
      [
        "Bin/a.jpg", "A/metadata.json", "A/a.jpg", "Unsorted/a.jpg", "Photos from 2020/a.jpg", "Photos from 2019/a.jpg",
      ].map { "Takeout/Google Photos/" + $0 })
    #expect(matches.order == [5, 4, 3, 2, 0])
  }

  @Test func titlesMayBeSaidLater() {
    var tree = TakeoutTree()
    tree.add(path: Array("Photo 1.jpg".utf8))
    let json = tree.add(path: Array("x.json".utf8))
    #expect(tree.matched().states == [.unmatched, .unused])
    tree.setTitle(Array("Photo 1.jpg".utf8), of: json)
    #expect(tree.matched().states == [.matched(json: 1, rule: .title), .used(files: 1)])
  }
}
