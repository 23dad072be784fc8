import AlbumsSupport
import Catalog
import FaultyStorage
import Index
import SystemPackage
import Testing
import Vault

@testable import Albums
@testable import Library

/// What users see of the catalog who may not see everything.
@Suite struct CatalogRightsTests {
  /// A row that could not be brought up to date any more tells nobody what its file does not.
  @Test func whereNothingIsMergedTheFilesCount() throws {
    let vault = try CatalogVault()
    let album = try vault.files.folder("album")
    let photo = try vault.photo("a.jpg", in: album)
    let gone = try vault.photo("b.jpg", "title=b", in: album)
    let rows = try vault.files.locked { files in
      try [photo, gone].map { try #require(try files.index.catalog.item($0)) }
    }
    try vault.files.change(photo) { $0.mode = 0o600 }
    try vault.files.unlink(.of("b.jpg"), in: album)
    try vault.settle()
    // As if the mount had ended before the rows were merged.
    try vault.files.locked { files in
      for row in rows {
        try files.index.catalog.setItem(row, words: "a", tags: [], replacing: [])
        try files.index.catalog.addStale(row.inode, .merge)
      }
    }
    vault.vault.options.isReadOnly = true
    vault.vault.library.thumbnails = nil
    try vault.vault.reopen()
    #expect(try vault.files.questions.count(of: CatalogQuestion(.all), for: Self.stranger) == 0)
    #expect(
      try vault.files.questions.count(of: CatalogQuestion(.all), for: Opener(user: 1000, group: 1000)) == 1)
    try vault.files.close()
  }

  /// On a full disk rows wait, since they could take the room of what users wrote; the files say what is so meanwhile.
  @Test func withoutRoomTheFilesCount() throws {
    let storage = FaultyStorage()
    let vault = try CatalogVault(storage: storage)
    let photo = try vault.photo("a.jpg")
    storage.setLimit(48 << 20)
    let filling = try vault.files.make("filling")
    var size = 0
    while (try? vault.files.put(pattern(1 << 20, size), filling, at: size)) != nil { size += 1 << 20 }
    for small in 0..<64 { _ = try? vault.files.put(pattern(16 << 10, small), filling, at: size + small << 14) }
    try vault.files.change(photo) { $0.mode = 0o600 }
    for query in [Query.all, try QueryParser.parse("a.jpg")] {
      #expect(try vault.files.questions.count(of: CatalogQuestion(query), for: Self.stranger) == 0)
      #expect(
        try vault.files.questions.count(of: CatalogQuestion(query), for: Opener(user: 1000, group: 1000)) == 1)
    }
    #expect(vault.files.locked { $0.catalogUpdates.hasStaleItems })
    storage.setLimit(.max)
    try vault.files.cataloguer.settle()
    #expect(!vault.files.locked { $0.catalogUpdates.hasStaleItems })
    #expect(try vault.files.questions.count(of: CatalogQuestion(.all), for: Self.stranger) == 0)
    try vault.files.close()
  }

  /// An answer is read in pieces, of the state that it was asked in: what is closed, hidden or moved away between two of them
  /// is in it as it was, and not in the next answer.
  @Test(arguments: [SortOrder.standard, SortOrder(.name, isDescending: false)])
  func anAnswerIsOfTheStateThatItWasAskedIn(_ order: SortOrder) throws {
    let vault = try CatalogVault()
    let (album, closed) = (try vault.files.folder("album"), try vault.files.folder("closed"))
    try vault.files.change(closed) { $0.mode = 0o700 }
    let photos = try (0..<8).map { try vault.photo("\($0).jpg", "title=secret", in: album) }
    try vault.settle()
    // Nothing brings rows up to date by itself, and no segment goes.
    vault.vault.library.thumbnails = nil
    vault.vault.options.cleans = false
    try vault.vault.reopen()
    let files = vault.files
    let question = CatalogQuestion(.all, order: order)
    var reader = CatalogReader(question, for: Self.stranger, from: files, writing: .facts)
    var asked = AskedMoment()
    var answers: [CatalogAnswer] = []
    func read() throws {
      var piece: [CatalogAnswer] = []
      try files.questions.piece(&reader, of: &asked, room: 1, into: &piece, isOfOne: true)
      answers += piece
    }
    try files.questions.prepareToAnswer()
    try read()
    let told = try #require(answers.first).inode
    let others = photos.filter { $0 != told }
    try files.change(others[0]) { $0.mode = 0o600 }
    let name = { (photo: InodeNumber) in FileName.of("\(photos.firstIndex(of: photo) ?? 0).jpg") }
    try files.rename(name(others[1]), in: album, to: .of(".hidden"), in: album, flags: [])
    try files.rename(name(others[2]), in: album, to: name(others[2]), in: closed, flags: [])
    try files.synchronize()
    while !reader.isAtEnd { try read() }
    #expect(Set(answers.map(\.inode)) == Set(photos))
    let lines = String(decoding: reader.text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.count { $0.contains("secret") } == 8)
    #expect(try files.questions.count(of: question, for: Self.stranger) == 5)
    try files.close()
  }

  private static let stranger = Opener(user: 5, group: 6)
  private static let member = Opener(user: 5, group: 6, groups: [7, 1000])

  /// The paths that somebody gets, in every way in which answers come.
  private func paths(_ library: CatalogLibrary, _ opener: Opener, _ query: String = "") throws -> [String] {
    let query = try QueryParser.parse(query)
    var found: Set<String> = []
    var items: Set<String> = []
    let questions = library.files.questions
    var view = CatalogView(CatalogQuestion(query), for: opener)
    try questions.answers(to: CatalogQuestion(query), for: opener) { answer throws(Errno) in
      found.insert(String(decoding: answer.path, as: UTF8.self))
      let item = try questions.present { files throws(Errno) in try view.item(answer.inode, files) }
      for name in item?.names ?? [] { items.insert(String(decoding: name.path, as: UTF8.self)) }
      return true
    }
    #expect(found.isSubset(of: items))
    #expect(try library.files.questions.count(of: CatalogQuestion(query), for: opener) == found.count)
    let groups = try library.files.questions.groups(of: CatalogQuestion(query), by: .type, for: opener)
    #expect(groups.reduce(0) { $0 + $1.count } == found.count)
    return items.sorted()
  }

  @Test func modesOfFilesAndDirectoriesCount() throws {
    let library = try CatalogLibrary()
    let files = library.files
    let open = try files.folder("open")
    let listed = try files.folder("listed")
    let searched = try files.folder("searched")
    let closed = try files.folder("closed")
    let inner = try files.folder("inner", in: searched)
    try files.change(listed) { $0.mode = 0o744 }
    try files.change(searched) { $0.mode = 0o711 }
    try files.change(closed) { $0.mode = 0o700 }
    for (name, folder) in [("a", open), ("b", listed), ("c", searched), ("d", closed), ("e", inner)] {
      try library.add(name + ".jpg", in: folder)
    }
    try library.add("private.jpg", in: open, mode: 0o600)
    try library.add("group.jpg", in: open, mode: 0o640)
    // Worse than for everybody else.
    try library.add("not the group.jpg", in: open, mode: 0o604)
    let all = [
      "closed/d.jpg", "listed/b.jpg", "open/a.jpg", "open/group.jpg", "open/not the group.jpg", "open/private.jpg",
      "searched/c.jpg", "searched/inner/e.jpg",
    ]
    #expect(try paths(library, .everything) == all)
    #expect(try paths(library, Opener(user: 1000, group: 1000)) == all)
    #expect(try paths(library, Self.stranger) == ["open/a.jpg", "open/not the group.jpg", "searched/inner/e.jpg"])
    #expect(try paths(library, Self.member) == ["open/a.jpg", "open/group.jpg", "searched/inner/e.jpg"])
    try files.change(.root) { $0.mode = 0o700 }
    #expect(try paths(library, Self.stranger).isEmpty)
    try files.close()
  }

  @Test func accessControlListsCount() throws {
    let library = try CatalogLibrary()
    let files = library.files
    func limit(_ inode: InodeNumber, user: Int? = nil, group: Int? = nil, mask: Int = 7) throws {
      var entries = [(1, 7, -1)]
      if let user { entries.append((2, user, 5)) }
      entries.append((4, 0, -1))
      if let group { entries.append((8, group, 7)) }
      entries += [(0x10, mask, -1), (0x20, 0, -1)]
      let list = AccessControlList.value(entries)
      try files.setAttribute("system.posix_acl_access", of: inode, to: list)
      if library.photos.contains(inode) { try library.store(try #require(try library.item(inode))) }
    }
    let folder = try files.folder("folder")
    let photo = try library.add("a.jpg", in: folder)
    for (user, group, mask, stranger, member) in [
      (nil, nil, 7, false, false), (5, nil, 7, true, true), (5, nil, 2, false, false), (4, nil, 5, false, false),
      (nil, 5, 7, false, true), (nil, 5, 1, false, false), (0, 7, 7, false, false),
    ] as [(Int?, Int?, Int, Bool, Bool)] {
      try limit(folder, user: user, group: group, mask: mask)
      #expect(try paths(library, Self.stranger).count == (stranger ? 1 : 0), "\(user ?? 9) \(group ?? 9) \(mask)")
      #expect(try paths(library, Self.member).count == (member ? 1 : 0), "\(user ?? 9) \(group ?? 9) \(mask)")
    }
    try limit(folder, user: 5)
    try limit(photo, user: 4)
    #expect(try paths(library, Self.stranger).count == 1)
    try limit(photo, user: 3)
    #expect(try paths(library, Self.stranger).isEmpty)
    try limit(photo, group: 4)
    #expect(try paths(library, Self.stranger).isEmpty)
    #expect(try paths(library, Self.member).count == 1)
    try files.close()
  }

  /// A name that somebody may not see finds nothing, is not shown, and is in no group.
  @Test func namesThatAreHiddenDoNotCount() throws {
    let library = try CatalogLibrary()
    let files = library.files
    let secret = try files.folder("secret")
    try files.change(secret) { $0.mode = 0o700 }
    let photo = try library.add("plain.jpg", in: secret)
    _ = try files.link(photo, named: .of("holiday.jpg"), in: .root)
    try library.store(try #require(try library.item(photo)))
    #expect(try paths(library, .everything) == ["holiday.jpg", "secret/plain.jpg"])
    #expect(try paths(library, Self.stranger) == ["holiday.jpg"])
    for query in ["secret", "plain", "name:plain", "album:secret", "name:*plain*"] {
      #expect(try paths(library, Self.stranger, query).isEmpty, "\(query)")
      #expect(try paths(library, .everything, query).count == 2, "\(query)")
      #expect(try paths(library, Self.stranger, "-" + query) == ["holiday.jpg"], "\(query)")
    }
    let albums = try files.questions.groups(of: CatalogQuestion(.all), by: .album, for: Self.stranger)
    #expect(albums.map(\.title) == [""])
    #expect(albums.map(\.query) == ["album:=/"])
    try files.close()
  }

  @Test func trashIsAskedForOrNotThere() throws {
    let library = try CatalogLibrary()
    let files = library.files
    let trash = try #require(try files.names(of: .root)[".Trash-1000"])
    let gone = try library.add("gone.jpg", in: trash)
    let both = try library.add("both.jpg", in: trash)
    _ = try files.link(both, named: .of("kept.jpg"), in: .root)
    try library.store(try #require(try library.item(both)))
    #expect(try paths(library, .everything) == ["kept.jpg"])
    #expect(try paths(library, .everything, "both").isEmpty)
    #expect(try paths(library, .everything, "is:trashed") == [".Trash-1000/gone.jpg"])
    #expect(
      try paths(library, .everything, "is:trashed | kept") == [
        ".Trash-1000/both.jpg", ".Trash-1000/gone.jpg", "kept.jpg",
      ])
    var all: [InodeNumber] = []
    try files.questions.answers(to: CatalogQuestion(.all, includesTrash: true), for: .everything) { answer in
      all.append(answer.inode)
      return true
    }
    #expect(Set(all) == [gone, both])
    try files.close()
  }

  @Test func factsOfAPath() throws {
    let library = try CatalogLibrary()
    let files = library.files
    let folder = try files.folder("folder")
    try files.change(folder) { $0.mode = 0o711 }
    try library.add("a.jpg", in: folder) { $0.words.title = "Title" }
    try library.add("b.jpg", in: folder, mode: 0o600)
    _ = try files.make("no photo", in: folder)
    func facts(_ path: String, _ opener: Opener) throws -> String? {
      var text = JSONText()
      try files.questions.writeFacts(ofPath: Array(path.utf8), for: opener, to: &text)
      return String(decoding: text.bytes, as: UTF8.self).contains("\"title\":\"Title\"") ? "Title" : nil
    }
    // Whoever knows the name may ask, as the kernel has it.
    #expect(try facts("folder/a.jpg", Self.stranger) == "Title")
    #expect(try facts("/folder//a.jpg", .everything) == "Title")
    expect(.permissionDenied) { _ = try facts("folder/b.jpg", Self.stranger) }
    // What is there and has no facts is told apart.
    for path in ["", "folder"] { expect(.isDirectory) { _ = try facts(path, .everything) } }
    expect(.noData) { _ = try facts("folder/no photo", .everything) }
    for path in ["folder/none", "folder/a.jpg/b", "folder/\0"] {
      expect(.noSuchFileOrDirectory) { _ = try facts(path, .everything) }
    }
    try files.change(folder) { $0.mode = 0o700 }
    expect(.permissionDenied) { _ = try facts("folder/a.jpg", Self.stranger) }
    expect(.permissionDenied) { _ = try facts("folder/none", Self.stranger) }
    try files.close()
  }
}
