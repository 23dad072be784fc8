import Catalog
import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// The gallery on a space that is really mounted.
@Suite(.serialized) struct GalleryMountTests: SendsUploads {
  private func path(_ text: String) throws -> SpacePath { try SpacePath(Array(text.utf8)) }

  /// A space with two albums: photos of two days, a TIFF, and a name that is no UTF-8.
  private func filled() throws -> MountedVault {
    let vault = try MountedVault()
    try vault.shell(
      """
      mkdir -p A/B
      vips black /tmp/$$.v 60 40 --bands 3
      vips linear /tmp/$$.v /tmp/$$-2.v 1 200,10,10 && vips cast /tmp/$$-2.v /tmp/$$-3.v uchar
      vips jpegsave /tmp/$$-3.v A/IMG_20190714_213005.jpg
      vips jpegsave /tmp/$$-3.v A/IMG_20190714_213006.jpg --Q 50
      vips jpegsave /tmp/$$-3.v A/B/IMG_20200101_000000.jpg --Q 60
      vips tiffsave /tmp/$$-3.v scan.tif
      vips jpegsave /tmp/$$-3.v "$(printf 'x\\377.jpg')" --Q 70
      touch -d '2000-02-03 12:00' scan.tif x*
      rm /tmp/$$.v /tmp/$$-2.v /tmp/$$-3.v
      """)
    try vault.examined()
    return vault
  }

  private func name(_ path: SpacePath) -> String { String(decoding: path.bytes, as: UTF8.self) }

  private func names(_ snapshot: Snapshot) throws -> [String] {
    try (0..<snapshot.count).map { name(try snapshot.path($0)) }
  }

  @Test func sectionsDetailsAndContents() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let snapshot = try gallery.snapshot(SectionsRequest())
    #expect(snapshot.count == 5 && snapshot.pending == 0)
    #expect(
      try names(snapshot).prefix(3) == [
        "A/B/IMG_20200101_000000.jpg", "A/IMG_20190714_213006.jpg", "A/IMG_20190714_213005.jpg",
      ])
    #expect(snapshot.sections.map(\.title) == ["2020-01-01", "2019-07-14", "2000-02-03"])
    #expect(snapshot.sections.map(\.count) == [1, 2, 2])
    #expect(snapshot.months.map(\.month) == ["2020-01", "2019-07", "2000-02"])
    // 60 by 40, red, a photo, and days from 1900.
    #expect(Array(snapshot.geometry[..<2]) == [0xDC, 0x05])
    #expect(snapshot.geometry[2] > 150 && snapshot.geometry[3] < 60 && snapshot.kind(0) == 0)
    #expect(Int(snapshot.geometry[6]) | Int(snapshot.geometry[7]) << 8 == 25_567 + 18_262)
    let items = try gallery.section(1, of: snapshot)
    let first = items[0].facts
    #expect(items.map(\.index) == [1, 2] && first["kind"]?.text == "jpeg")
    #expect(first["width"]?.whole == 60 && first["height"]?.whole == 40)
    #expect(first["taken"]?.text == "2019-07-14T21:30:06" && items[0].name.starts(with: Array("IMG".utf8)))
    #expect(kind { _ = try gallery.section(3, of: snapshot) } == .notFound)
    let facts = try gallery.facts(0, of: snapshot).sections
    #expect(facts.map(\.title) == ["place", "file"], "\(facts)")
    #expect(facts[0].facts[0].sources.contains("name"))

    let strange = try #require(try (0..<5).first { try snapshot.path($0).name == [0x78, 0xFF] + Array(".jpg".utf8) })
    for index in 0..<5 {
      let path = try snapshot.path(index)
      let small = try #require(try gallery.thumbnail(of: path, pixels: 256))
      #expect(small.starts(with: [0xFF, 0xD8]), "\(path)")
      let preview = try gallery.open(.preview, of: path)
      #expect(preview.type == "image/jpeg" && preview.size > 0)
      let full = try gallery.open(.full, of: path)
      #expect(full.type == "image/jpeg" && full.isShowable)
      #expect(full.size > 0)
      #expect(try full.bytes(at: 0, count: 1 << 20).count == Int(full.size), "\(name(path)) \(full.size)")
      let original = try gallery.open(.original, of: path)
      let stored = try HostFile.read(vault.root + "/" + (index == strange ? "scan.tif" : name(path)))
      if index != strange {
        #expect(try original.bytes(at: 0, count: 1 << 20) == stored && original.size == stored.count)
      }
      #expect(try original.bytes(at: original.size - 3, count: 100).count == 3)
    }
    let scan = try path("scan.tif")
    #expect(try gallery.open(.original, of: scan).type == "image/tiff")
    #expect(try !gallery.open(.original, of: scan).isShowable)
    #expect(try gallery.open(.full, of: scan).name == Array("scan.jpg".utf8))
    #expect(kind { _ = try gallery.open(.motion, of: scan) } == .notFound)
    #expect(kind { _ = try gallery.open(.original, of: try path("none.jpg")) } == .notFound)
    #expect(try gallery.thumbnail(of: path("none.jpg"), pixels: 256) == nil)

    // Without a cover of its own an album has the newest photo below it.
    let albums = try gallery.albums(in: .root)
    #expect(albums == [AlbumSummary(path: try path("A"), count: 2, allCount: 3, albums: 1, hasCover: true)])
    #expect(try gallery.cover(of: path("A")).starts(with: [0xFF, 0xD8]))
    #expect(try gallery.albums(in: path("A")).map(\.count) == [1])
    var request = SectionsRequest()
    request.album = try path("A")
    #expect(try gallery.snapshot(request).count == 2)
    request.query = "img"
    #expect(try gallery.snapshot(request).count == 3)
    request.query = "camra:x"
    do throws(GalleryError) {
      _ = try gallery.snapshot(request)
    } catch {
      #expect(error.kind == .badRequest && error.place == 0..<5, "\(error)")
    }
  }

  @Test func editsTagsFavouritesAndSuggestions() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let snapshot = try gallery.snapshot(SectionsRequest())
    var edit = ItemEdit()
    edit.title = "Lake"
    edit.rating = 4
    edit.isFavourite = true
    edit.addedTags = ["Places/Paris", "Sun"]
    #expect(try gallery.edit([0, 1], of: snapshot, edit).isEmpty)
    edit = ItemEdit()
    edit.removedTags = ["sun"]
    #expect(try gallery.edit([1], of: snapshot, edit).isEmpty)
    // The command sees the same.
    let shown = try vault.shell("\"$AGONYFS\" show A/B/IMG_20200101_000000.jpg")
    #expect(shown.contains("Lake") && shown.contains("Places/Paris, Sun"), "\(shown)")
    var request = SectionsRequest()
    request.grouping = .tag
    let byTag = try gallery.snapshot(request)
    #expect(Set(byTag.sections.map(\.title)) == ["Places/Paris", "Sun", ""])
    #expect(byTag.sections.filter { $0.title == "Places/Paris" }.map(\.count) == [2])
    #expect(byTag.count == 2 + 1 + 3)
    request = SectionsRequest()
    request.query = "is:favourite"
    let favourites = try gallery.snapshot(request)
    #expect(favourites.count == 2 && favourites.kind(0) == 16 | 32)
    #expect(try gallery.items(0..<1, of: favourites)[0].facts["tags"]?.words == "Places/Paris, Sun")
    #expect(try gallery.suggestions(for: "pAr").map(\.text) == ["Places/Paris"])
    #expect(try gallery.suggestions(for: " ").isEmpty)
    edit = ItemEdit()
    edit.rating = 6
    #expect(kind { _ = try gallery.edit([0], of: snapshot, edit) } == .badRequest)
    edit = ItemEdit()
    edit.addedTags = ["a,b"]
    #expect(kind { _ = try gallery.edit([0], of: snapshot, edit) } == .badRequest)
    edit = ItemEdit()
    edit.title = ""
    edit.caption = "two\nlines"
    #expect(try gallery.edit([0], of: snapshot, edit).isEmpty)
    let facts = try gallery.items(0..<1, of: snapshot)[0].facts
    #expect(facts["title"] == nil && facts["caption"]?.text == "two\nlines")
  }

  @Test func albumsAndTypesAreGroups() throws {
    let vault = try filled()
    // A photo in two albums whose names differ in case, and an album whose name is no text.
    try vault.shell(
      """
      strange=$(printf 'y\\377')
      mkdir a "$strange"
      ln A/IMG_20190714_213005.jpg a
      mv scan.tif "$strange"
      """)
    try vault.examined()
    let gallery = try vault.gallery()
    var request = SectionsRequest()
    request.grouping = .album
    let snapshot = try gallery.snapshot(request)
    #expect(snapshot.count == 6)
    var albums: Set<[UInt8]> = []
    for section in snapshot.sections {
      let paths = try (section.first..<section.first + section.count).map { try snapshot.path($0) }
      let parents = Set(paths.map(\.parent.bytes))
      #expect(parents.count == 1 && albums.isDisjoint(with: parents))
      albums.formUnion(parents)
    }
    #expect(albums == [Array("A".utf8), Array("A/B".utf8), Array("a".utf8), [0x79, 0xFF], []])
    #expect(Set(snapshot.sections.map(\.title)).isSuperset(of: ["A", "A/B", "a", ""]))
    // Of an album with what is below it.
    request.album = try path("A")
    request.query = "type:photo"
    #expect(Set(try gallery.snapshot(request).sections.map(\.title)) == ["A", "A/B"])
    request = SectionsRequest()
    request.grouping = .type
    let types = try gallery.snapshot(request).sections
    #expect(types.map(\.title) == ["jpeg", "tiff"] && types.map(\.count) == [4, 1])
  }

  @Test func aPhotoIsTheCoverOfItsAlbumUntilItGoes() throws {
    let vault = try filled()
    try vault.shell("vips black A/IMG_20180101_000000.jpg 90 30 --bands 3")
    try vault.examined()
    let gallery = try vault.gallery()
    let album = try path("A")
    let newest = try gallery.cover(of: album)
    var request = SectionsRequest()
    request.album = album
    let snapshot = try gallery.snapshot(request)
    let older = 2
    #expect(try names(snapshot)[older] == "A/IMG_20180101_000000.jpg")
    #expect(try gallery.makeCover(older, of: snapshot) == album)
    let chosen = try gallery.cover(of: album)
    #expect(chosen != newest)
    try vault.shell("mv A/IMG_20180101_000000.jpg A/renamed.jpg; \"$AGONYFS\" thumbnails . > /dev/null")
    #expect(try gallery.cover(of: album) == chosen)
    #expect(kind { _ = try gallery.makeCover(older, of: snapshot) } == .notFound)
    let now = try gallery.snapshot(request)
    let renamed = try #require(try (0..<now.count).first { try now.path($0).name == Array("renamed.jpg".utf8) })
    #expect(try gallery.trash([renamed], of: now).isEmpty)
    #expect(try gallery.cover(of: album) == newest)
    // The top is no album, and what is in the trash is in none.
    let all = try gallery.snapshot(SectionsRequest())
    let top = try #require(try (0..<all.count).first { try all.path($0).name == Array("scan.tif".utf8) })
    #expect(kind { _ = try gallery.makeCover(top, of: all) } == .badRequest)
    request = SectionsRequest()
    request.isTrash = true
    #expect(kind { _ = try gallery.makeCover(0, of: try gallery.snapshot(request)) } == .badRequest)
  }

  /// A page that was loaded before a photo was replaced gets neither its facts nor its bytes for those of the other one.
  @Test func anotherFileIsNotShownForAPhoto() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let snapshot = try gallery.snapshot(SectionsRequest())
    let content = try gallery.open(.original, 0, of: snapshot)
    #expect(try content.bytes(at: 0, count: 1 << 20) == HostFile.read(vault.root + "/A/B/IMG_20200101_000000.jpg"))
    #expect(try gallery.facts(0, of: snapshot).item.index == 0)
    try vault.shell(
      """
      mv A/B/IMG_20200101_000000.jpg A/B/other.jpg
      cp A/IMG_20190714_213006.jpg A/B/IMG_20200101_000000.jpg
      "$AGONYFS" thumbnails . > /dev/null
      """)
    for form in [ItemForm.original, .full, .preview] {
      #expect(kind { _ = try gallery.open(form, 0, of: snapshot) } == .conflict, "\(form)")
    }
    #expect(kind { _ = try gallery.facts(0, of: snapshot) } == .conflict)
    #expect(try gallery.open(.preview, 1, of: snapshot).size > 0)
    #expect(kind { _ = try gallery.open(.preview, 99, of: snapshot) } == .notFound)
  }

  /// Names of albums are bytes, as those of directories are.
  @Test func albumsThatDifferInNormalFormOnlyAreTwo() throws {
    let vault = try filled()
    try vault.shell(
      """
      mkdir "$(printf '\\303\\211te')" "$(printf 'E\\314\\201te')"
      cp A/IMG_20190714_213005.jpg A/IMG_20190714_213006.jpg "$(printf '\\303\\211te')"
      cp A/B/IMG_20200101_000000.jpg "$(printf 'E\\314\\201te')"
      """)
    try vault.examined()
    let albums = try vault.gallery().albums(in: .root)
    #expect(albums.map(\.count) == [2, 1, 2] && albums.allSatisfy(\.hasCover), "\(albums)")
    #expect(albums[1].path.bytes != albums[2].path.bytes)
  }

  /// Texts of files are given as they are, for a page that shows texts.
  @Test func factsAreNotEscaped() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let snapshot = try gallery.snapshot(SectionsRequest())
    var edit = ItemEdit()
    edit.caption = "<b>one\\\n\u{202E}two"
    #expect(try gallery.edit([0], of: snapshot, edit).isEmpty)
    let facts = try gallery.facts(0, of: snapshot).sections.flatMap(\.facts)
    #expect(facts.contains { $0.label == "caption" && $0.value == edit.caption }, "\(facts)")
    #expect(try vault.shell("\"$AGONYFS\" show A/B/IMG_20200101_000000.jpg").contains("<b>one\\\\\\n\\u{202E}two"))
  }

  @Test func fieldsOfOnesOwnAreAmongTheWords() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let snapshot = try gallery.snapshot(SectionsRequest())
    let path = String(decoding: try snapshot.path(0).bytes, as: UTF8.self)
    _ = try vault.shell("setfattr -n user.agonyfs.fields -v customer=4711 '\(path)'")
    let words = try gallery.facts(0, of: snapshot).sections.first { $0.title == "words" }
    #expect(words?.facts.map(\.label) == ["x.customer"] && words?.facts.map(\.value) == ["4711"], "\(words as Any)")
  }

  @Test func trashAlbumsAndLinks() throws {
    let vault = try filled()
    let gallery = try vault.gallery()
    let all = try gallery.snapshot(SectionsRequest())
    let album = try gallery.makeAlbum(Array("Best".utf8), in: .root)
    #expect(try gallery.add([0, 1], of: all, to: album).isEmpty)
    var request = SectionsRequest()
    request.album = album
    // A photo with two names is shown under the one in the album, so that deleting it there leaves the other.
    let best = try gallery.snapshot(request)
    #expect(try names(best) == ["Best/IMG_20200101_000000.jpg", "Best/IMG_20190714_213006.jpg"])
    #expect(try gallery.trash([0], of: best).isEmpty)
    #expect(try names(gallery.snapshot(request)) == ["Best/IMG_20190714_213006.jpg"])
    #expect(try HostFile.read(vault.root + "/A/B/IMG_20200101_000000.jpg").count > 0)
    #expect(try gallery.trash([2], of: all).isEmpty)
    #expect(try gallery.snapshot(SectionsRequest()).count == 4)
    request = SectionsRequest()
    request.isTrash = true
    let trashed = try gallery.snapshot(request)
    #expect(try names(trashed) == [".Trash-\(getuid())/files/IMG_20190714_213005.jpg"])
    #expect(try gallery.thumbnail(of: trashed.path(0), pixels: 256) != nil)
    #expect(try gallery.restore([0], of: trashed).isEmpty)
    #expect(try names(gallery.snapshot(SectionsRequest())) == names(all))
    // Without an album a photo goes with all its names, and comes back with them.
    let now = try gallery.snapshot(SectionsRequest())
    let twice = try #require(
      try (0..<now.count).first { try now.path($0).name == Array("IMG_20190714_213006.jpg".utf8) })
    #expect(try gallery.trash([twice], of: now).isEmpty)
    #expect(try gallery.snapshot(SectionsRequest()).count == 4)
    let gone = try gallery.snapshot(request)
    #expect(gone.count == 1)
    #expect(try gallery.restore([0], of: gone).isEmpty)
    #expect(
      try vault.shell("test A/IMG_20190714_213006.jpg -ef Best/IMG_20190714_213006.jpg && ls .Trash-*/info") != "x")
    try gallery.deleteAlbum(path("A"))
    #expect(try gallery.albums(in: .root).map { name($0.path) } == ["Best"])
  }

  @Test func uploadsAreVerifiedAndSurviveTheMount() throws {
    let vault = try MountedVault()
    let content = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    let whole = try description(content.count, "big.bin", album: "Up", modified: 1_000_000_000_123)
    func send(_ range: Range<Int>, _ identifier: String, _ gallery: Gallery) throws -> UploadStatus {
      try self.send(content[range], identifier, at: range.lowerBound, gallery, step: content.count)
    }
    var gallery = try vault.gallery()
    let identifier = try gallery.uploads.begin(whole).identifier
    #expect(try send(0..<2_000_000, identifier, gallery).offset == 2_000_000)
    gallery.end()
    gallery = Gallery(root: try SpaceRoot(at: Array("/".utf8)), FileCalls())
    try vault.unmount()
    try vault.mount()
    gallery = try vault.gallery()
    #expect(try gallery.uploads.begin(whole).offset == 2_000_000)
    let done = try send(2_000_000..<content.count, identifier, gallery)
    #expect(done.path.map(name) == "Up/big.bin")
    #expect(try HostFile.read(vault.root + "/Up/big.bin") == content)
    #expect(try vault.shell("stat -c %.3Y Up/big.bin") == "1000000000.123\n")
    // One server from the first piece to the last.
    let again = try gallery.uploads.begin(whole).identifier
    _ = try send(0..<3_000_000, again, gallery)
    let there = try send(3_000_000..<content.count, again, gallery)
    #expect(there.path.map(name) == "Up/big.bin" && there.wasThere)
    #expect(try vault.shell("ls Up; ls -A .agonyfs/incoming | wc -l") == "big.bin\n2\n")
    #expect(try HostFile.read(vault.root + "/Up/big.bin") == content)
  }

  /// What was sent before the vault was full stays, and goes on when there is room again.
  @Test(.enabled(if: geteuid() == 0)) func aFullVaultLosesNothing() throws {
    let vault = try MountedVault("--segment-size 1M --cover 0", room: 100 << 20)
    let gallery = try vault.gallery()
    let size = 32 << 20
    let content = (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    let whole = try description(size, "a.bin", modified: nil)
    var begun: UploadStatus?
    /// Sends from where the upload is, in pieces by which it is known again.
    func sendRest() throws(GalleryError) -> UploadStatus {
      var status = try gallery.uploads.begin(whole)
      begun = status
      while status.path == nil {
        let offset = Int(status.offset)
        let part = content[offset..<min(size, offset + Int(Uploads.pieceBytes))]
        status = try send(part, status.identifier, at: offset, gallery, step: size)
      }
      return status
    }
    let first = try gallery.uploads.begin(whole)
    try vault.shell("dd if=/dev/urandom of=../Vault/ballast bs=1M count=200 2> /dev/null || true")
    // Some pieces have room, and never all.
    try vault.shell("truncate -s -28M ../Vault/ballast")
    // One that goes on needs no more room than what is left of it.
    #expect(try gallery.uploads.begin(whole).offset == 0)
    #expect(kind { _ = try sendRest() } == .full)
    #expect(try vault.shell("ls") == "")
    let received = try gallery.uploads.status(of: first.identifier).offset
    #expect(received > 0)
    try vault.shell("rm ../Vault/ballast")
    #expect(try sendRest().path.map(name) == "a.bin")
    #expect(begun?.identifier == first.identifier && begun?.offset == received)
    #expect(try HostFile.read(vault.root + "/a.bin") == content)
  }

  @Test func aSpaceThatIsReadOnlyAnswersAndRefuses() throws {
    let vault = try filled()
    try vault.unmount()
    try vault.mount("-o ro")
    let gallery = try vault.gallery()
    #expect(try gallery.isReadOnly())
    let snapshot = try gallery.snapshot(SectionsRequest())
    #expect(snapshot.count == 5)
    #expect(try gallery.section(0, of: snapshot).first?.facts["kind"]?.text == "jpeg")
    var edit = ItemEdit()
    edit.rating = 1
    #expect(kind { _ = try gallery.edit([0], of: snapshot, edit) } == .readOnly)
    #expect(kind { _ = try gallery.trash([0], of: snapshot) } == .readOnly)
    #expect(kind { _ = try gallery.makeAlbum([0x61], in: .root) } == .readOnly)
    #expect(
      kind { _ = try gallery.uploads.begin(UploadDescription(length: 1, name: [0x61], album: [])) } == .readOnly)
  }
}
