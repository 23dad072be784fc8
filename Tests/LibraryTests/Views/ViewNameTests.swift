import AlbumsSupport
import FaultyStorage
import Index
import Media
import Testing
import Vault

@testable import Albums
@testable import Library

@Suite struct ViewNameTests {
  private func inode(_ number: UInt64) -> InodeNumber { InodeNumber(rawValue: number) }

  @Test func theInodeStandsBeforeTheEnding() {
    let cases: [(String, String)] = [
      ("IMG_1.jpg", "IMG_1~57.jpg"), ("README", "README~57"), (".jpg", ".jpg~57"), ("a.b.c", "a.b~57.c"),
      ("a~5.jpg", "a~5~57.jpg"), ("a.", "a~57."), ("x.a~b", "x.a~b~57"),
      ("a.seventeen-letters-long", "a.seventeen-letters-long~57"),
    ]
    for (plain, marked) in cases {
      #expect(ViewName.marked(.of(plain), with: inode(57)) == .of(marked))
      #expect(ViewName.inode(in: .of(marked)) == inode(57), "\(marked)")
    }
    for plain in ["a~.jpg", "a~05.jpg", "a~x5.jpg", "a~5x.jpg", "~", "a", "a~99999999999999999999.jpg"] {
      #expect(ViewName.inode(in: .of(plain)) == nil, "\(plain)")
    }
  }

  /// Whatever files are called, no two links of a directory have one name, and every name leads to its file.
  @Test func markedNamesAreValidAndTellTheirInode() throws {
    var random = SeededGenerator(seed: 16)
    let bytes: [UInt8] = [0x7E, 0x2E, 0x35, 0x30, 0x61, 0x0A, 0xFF, 0xC3, 0xA9, 0x20]
    for _ in 0..<20_000 {
      let length: Int =
        random.next() % 8 == 0 ? Int.random(in: 230...255, using: &random) : Int.random(in: 1...12, using: &random)
      let letters: [UInt8] = (0..<length).map { _ in bytes.randomElement(using: &random) ?? 0 }
      let name = try #require(FileName(letters))
      let largest: UInt64 = random.next() % 2 == 0 ? 100 : 1 << 50
      let number = inode(UInt64.random(in: 1...largest, using: &random))
      let marked = try #require(ViewName.marked(name, with: number))
      #expect(marked.count <= 255)
      #expect(ViewName.inode(in: marked) == number, "\(name) \(marked)")
    }
  }

  @Test func charactersAreNotCut() throws {
    let name = FileName.of(String(repeating: "é", count: 125) + ".jpg")
    let marked = try #require(ViewName.marked(name, with: inode(57)))
    #expect(marked == .of(String(repeating: "é", count: 124) + "~57.jpg"))
  }

  @Test func directoriesOfTextsGiveThemBack() throws {
    let cases: [(String, String)] = [
      ("Places/Paris", "Places%2FParis"), ("50 %", "50 %25"), (".hidden", "%2Ehidden"), ("..", "%2E."),
      ("a\0b", "a%00b"), ("new\nline", "new\nline"), ("%2F", "%252F"), ("Ünï", "Ünï"),
    ]
    for (text, name) in cases {
      #expect(ViewName.folder(text, number: 9) == .of(name))
      #expect(ViewName.text(of: .of(name)) == text)
    }
    #expect(ViewName.text(of: .of("a%2fb%zz%")) == "a/b%zz%")
    #expect(ViewName.text(of: .of("name:%")) == "name:%")
    #expect(ViewName.text(of: try #require(FileName([0xFF]))) == nil)
    #expect(ViewName.text(of: .of("%FF")) == nil)
    #expect(ViewName.folder("", number: 9) == nil)
  }

  @Test func textsThatAreTooLongEndWithTheirNumber() throws {
    for text in [
      String(repeating: "x", count: 256), String(repeating: "/", count: 65_536), String(repeating: "é", count: 200),
    ] {
      let name = try #require(ViewName.folder(text, number: 1234))
      #expect((250...255).contains(name.count))
      #expect(ViewName.number(ofCut: name) == 1234)
    }
    #expect(ViewName.folder(String(repeating: "x", count: 255), number: 1)?.count == 255)
  }

  @Test func everyNodeNumberLeadsBack() {
    var folders: [ViewFolder] = [
      .views, .dates, .undated, .places, .tags, .cameras, .types, .ratings, .favourites, .duplicates, .search,
      .year(1), .year(9999), .month(year: 2024, 8), .day(year: 2024, month: 8, 15), .day(year: 9999, month: 12, 31),
      .undatedIn(year: 1, month: nil), .undatedIn(year: 9999, month: 12),
      .country(0x4652), .group(inode(7)), .group(inode(1 << 52 - 1)), .query(1), .query(1 << 52 - 1),
    ]
    folders += (1...15).map { .type($0) } + (1...7).map { .rating($0) }
    folders += [1, 99, 1 << 40].flatMap { [ViewFolder.tag($0), .camera($0), .town($0)] }
    var nodes: [VirtualNode] = []
    for folder in folders {
      nodes += [.view(folder), .viewShared(folder)] + SharedSize.allCases.map { .viewSharedSize($0, folder) }
    }
    for number in [1, 2, 1 << 56 - 1].map(inode) {
      nodes += [
        .covers(number), .cover(number), .full(number), .motion(number), .tree(.small, number),
      ]
      nodes += ViewFolder.linkDepths.map { .link(depth: $0, number) }
    }
    let albums = [1, 2, 1 << 48 - 1].map(inode)
    var shared: [VirtualNode] = albums.map { .shared($0) }
    for size in SharedSize.allCases { shared += albums.map { .sharedSize(size, $0) } }
    nodes += shared
    for node in nodes { #expect(VirtualNode(node.number) == node) }
    // It is the same folder under another number.
    for node in shared {
      let numbers = [0, 1, 255].map { node.number(afterRemovals: $0) }
      #expect(numbers.allSatisfy { VirtualNode($0) == node && VirtualNode.isVirtual($0) } && Set(numbers).count == 3)
    }
    #expect(Set(nodes.map(\.number)).count == nodes.count)
  }

  @Test func numbersOfNothingAreNoNodes() {
    for number: UInt64 in [0, 1 << 40] { #expect(VirtualNode(inode(number)) == nil) }
    for kind: UInt64 in [27, 31, 32, 34, 39, 44, 63] {
      #expect(VirtualNode(inode(1 << 62 | kind << 56 | 1)) == nil, "\(kind)")
    }
    // A thirteenth month, and a part of a directory that there is not.
    #expect(VirtualNode(inode(1 << 62 | 17 << 56 | 2024 << 9 | 13 << 5)) == nil)
    #expect(VirtualNode(inode(1 << 62 | 16 << 56 | 6 << 52)) == nil)
  }

  @Test func tableFindsAndCounts() {
    let hashes = ["a", "b", "a", "c"].map { ViewTable.hash(Array($0.utf8)) }
    let table = ViewTable(zip([9, 5, 7, 6].map { inode($0) }, hashes).map { ($0, $1) })
    #expect(table.inodes == [5, 6, 7, 9])
    #expect(table.photos(withHash: hashes[0]) == [inode(7), inode(9)])
    #expect(table.isShared(hashes[0]) && !table.isShared(hashes[1]) && !table.isShared(hashes[3]))
    #expect(table.photos(withHash: ViewTable.hash(Array("z".utf8))) == [])
    #expect(table.photos(after: 5, limit: 2) == [inode(6), inode(7)])
    #expect(table.photos(after: 9, limit: 2) == [])
    #expect(table.contains(inode(6)) && !table.contains(inode(8)))
  }

  @Test func oldSearchesAreForgottenAndTheirNumbersStayTheirs() {
    var texts = SearchTexts()
    let first = texts.number(of: "paris")
    #expect(texts.number(of: "paris") == first)
    for number in 0..<SearchTexts.limit { _ = texts.number(of: "\(number)") }
    #expect(texts.text(first) == nil)
    let again = texts.number(of: "paris")
    #expect(again > first && texts.text(again) == "paris")
  }
}
