import CMount
import Catalog
import Glibc
import Index
import Library
import Media
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Mount

extension LiveMountTests {
  /// Views as programs see them.
  @Suite struct MountViewTests {
    private let live: LiveMount

    init() throws {
      var thumbnails = ThumbnailOptions(maker: PlainMaker())
      thumbnails.quietTime = 0
      var library = LibraryOptions()
      library.thumbnails = thumbnails
      live = try LiveMount(library: library)
    }

    private var files: FileSystem { live.fileSystem }

    private func view(_ name: String) -> String { live.path(".agonyfs/views/" + name) }

    /// A favourite of 2024-08-15.
    private func photo(_ path: String) throws {
      try System.write(Array("photo \(path)".utf8), to: live.path(path))
      try System.setAttribute("user.agonyfs.favourite", of: live.path(path), to: Array("1".utf8))
      try System.setAttribute("user.agonyfs.taken", of: live.path(path), to: Array("2024-08-15T12:00:00".utf8))
      try waitUntilKnown()
    }

    private func waitUntilKnown() throws {
      try waitUntil("they were looked at") { try files.thumbnailer.mediaCounts().pending == 0 }
      try files.cataloguer.settle()
    }

    private func names(of path: String) throws -> [String] {
      try Listing.names(of: path).sorted().filter { $0 != "." && $0 != ".." }
    }

    private func target(_ path: String) throws -> String {
      var bytes = [CChar](repeating: 0, count: 5000)
      let count = unsafe readlink(path, &bytes, bytes.count)
      if count < 0 { throw Errno.current }
      #expect(try System.status(path).st_size == count)
      return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What a shell command prints, and its status.
    private func shell(_ command: String, as user: UInt32? = nil) throws -> (status: Int32, text: String) {
      let output = live.folder.path("output")
      let prefix = user.map { "exec setpriv --reuid=\($0) --regid=\($0) --clear-groups " } ?? ""
      let process = try ChildProcess(
        "/bin/sh", arguments: ["sh", "-c", "\(prefix)sh -c '\(command)' > \(output) 2>&1"],
        descriptors: [nil, nil, nil])
      let ending = try process.ending()
      guard case .exited(let status) = ending else { throw Errno.interrupted }
      return (status, String(decoding: try System.read(output), as: UTF8.self))
    }

    @Test func linksOpenTheirPhotos() throws {
      try System.check(unsafe mkdir(live.path("Summer"), 0o755))
      try photo("Summer/a.jpg")
      try photo("b.jpg")
      #expect(try names(of: view("by-date/2024/08/15")) == ["a.jpg", "b.jpg"])
      #expect(try target(view("by-date/2024/08/15/a.jpg")) == "../../../../../../Summer/a.jpg")
      #expect(try System.read(view("by-date/2024/08/15/a.jpg")) == Array("photo Summer/a.jpg".utf8))
      #expect(try System.read(view("favourites/b.jpg")) == Array("photo b.jpg".utf8))
      #expect(try System.read(view("search/summer is:favourite/a.jpg")) == Array("photo Summer/a.jpg".utf8))
      #expect(try names(of: view("search")) == [])
      #expect(throws: Errno.invalidArgument) { try System.status(view("search/rating:many")) }
      #expect(throws: Errno.noSuchFileOrDirectory) { try System.status(view("by-date/2023")) }
      #expect(try names(of: live.path(".agonyfs")).contains("views"))
      try live.end()
    }

    /// The kernel keeps targets, names and listings; none of them may be of another time.
    @Test func viewsFollowChanges() throws {
      try photo("a.jpg")
      for round in 0..<3 {
        #expect(try names(of: view("favourites")) == ["a.jpg"])
        #expect(try target(view("favourites/a.jpg")) == (round == 0 ? "../../../a.jpg" : "../../../\(round)/a.jpg"))
        #expect(try System.read(view("favourites/a.jpg")) == Array("photo a.jpg".utf8))
        try System.check(unsafe mkdir(live.path("\(round + 1)"), 0o755))
        let now = round == 0 ? "a.jpg" : "\(round)/a.jpg"
        try System.check(unsafe rename(live.path(now), live.path("\(round + 1)/a.jpg")))
      }
      try photo("new.jpg")
      #expect(try names(of: view("favourites")) == ["a.jpg", "new.jpg"])
      try System.check(unsafe unlink(live.path("3/a.jpg")))
      #expect(throws: Errno.noSuchFileOrDirectory) { try System.status(view("favourites/a.jpg")) }
      #expect(try names(of: view("favourites")) == ["new.jpg"])
      try live.end()
    }

    @Test func nothingOfAViewCanBeChanged() throws {
      try photo("a.jpg")
      for path in ["favourites/a.jpg", "by-date/2024/08/15/a.jpg"] {
        #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe unlink(view(path))) }
        #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe rename(view(path), live.path("x"))) }
      }
      #expect(throws: Errno.readOnlyFileSystem) { try System.write([], to: view("favourites/new.jpg")) }
      #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe mkdir(view("search/.x"), 0o755)) }
      #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe rmdir(view("favourites"))) }
      #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe symlink("a", view("by-tag/x"))) }
      #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe chmod(view("favourites"), 0o777)) }
      #expect(try System.read(live.path("a.jpg")) == Array("photo a.jpg".utf8))
      try live.end()
    }

    /// Programs that walk through the mount neither count nor copy anything twice.
    @Test func walkersSeeNothingOfViews() throws {
      try System.check(unsafe mkdir(live.path("album"), 0o755))
      try photo("album/a.jpg")
      _ = try names(of: view("favourites"))
      #expect(try shell("cd \(live.root) && find . | sort").text == ".\n./album\n./album/a.jpg\n")
      let size = try shell("du -sb --apparent-size \(live.root)/album | cut -f1").text
      let whole = try shell("du -sb --apparent-size \(live.root) | cut -f1").text
      let own = try System.status(live.root).st_size
      #expect(Int(whole.dropLast()) == (Int(size.dropLast()) ?? 0) + own)
      if try shell("command -v rsync").status == 0 {
        #expect(try shell("rsync -a \(live.root)/ \(live.folder.path("copy"))").status == 0)
        #expect(try shell("cd \(live.folder.path("copy")) && find . | sort").text == ".\n./album\n./album/a.jpg\n")
      }
      // Whoever copies a view has links, or the photos that he asked for.
      #expect(try shell("find \(view("favourites")) -type l | wc -l").text == "1\n")
      #expect(try shell("cp -rL \(view("favourites")) \(live.folder.path("picked"))").status == 0)
      #expect(try System.read(live.folder.path("picked/a.jpg")) == Array("photo album/a.jpg".utf8))
      _ = try shell("chmod -R u+w \(live.folder.path("picked"))")
      try live.end()
    }

    /// The kernel does not ask again for another user what it was told for the owner.
    @Test(.enabled(if: getuid() == 0)) func othersMayNotEnter() throws {
      try live.end()
      try live.mount(["allow_other"])
      try System.check(unsafe chmod(live.folder.path(""), 0o755))
      try System.check(unsafe chown(live.root, 1234, 1234))
      try photo("a.jpg")
      _ = try names(of: view("favourites"))
      #expect(try shell("ls \(view("favourites"))", as: 1234).text == "a.jpg\n")
      for path in ["views", "views/favourites", "covers", "views/search/x"] {
        let outcome = try shell("ls \(live.path(".agonyfs/" + path))", as: 4321)
        #expect(outcome.status != 0 && outcome.text.contains("Permission denied"), "\(path): \(outcome.text)")
      }
      #expect(try shell("cat \(view("favourites/a.jpg"))", as: 4321).text.contains("Permission denied"))
      #expect(try shell("ls \(live.path(".agonyfs/motion"))", as: 4321).status == 0)
      try live.end()
    }

    @Test func longListingsAreCompleteWhilePhotosComeAndGo() throws {
      try System.check(unsafe mkdir(live.path("many"), 0o755))
      let name = "a name that is long enough for several requests "
      for number in 0..<1500 {
        let path = live.path("many/\(name)\(number)")
        try System.write(Array("photo \(number % 7)".utf8), to: path)
        try System.setAttribute("user.agonyfs.favourite", of: path, to: Array("1".utf8))
      }
      try waitUntilKnown()
      let listed = try Listing.names(of: view("favourites")) { count in
        if count == 100 { try photo("passing") }
        if count == 200 { try System.check(unsafe unlink(live.path("passing"))) }
      }
      let expected = Set((0..<1500).map { "\(name)\($0)" })
      #expect(Set(listed).isSuperset(of: expected) && listed.count <= 1503)
      #expect(Set(try names(of: view("favourites"))) == expected)
      try live.end()
    }

    @Test func coversAndPartsAreFiles() throws {
      try System.check(unsafe mkdir(live.path("album"), 0o755))
      try photo("album/a.jpg")
      let inode = InodeNumber(rawValue: UInt64(try System.status(live.path("album/a.jpg")).st_ino))
      #expect(try System.read(live.path(".agonyfs/covers/album.jpg")) == Array("large".utf8))
      #expect(try names(of: live.path(".agonyfs/covers")) == ["album", "album.jpg"])
      #expect(try System.read(live.path(".agonyfs/thumbnails/full/album/a.jpg")) == Array("photo album/a.jpg".utf8))
      try waitUntilKnown()
      try files.changing { files throws(Errno) in
        try files.withIndex { index throws(IndexError) in
          var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
          item.links.motion = 6..<11
          let names = try index.catalog.names(of: inode, limit: 1).map { (parent: $0.parent, name: $0.name.bytes) }
          let rights = ItemRights(mode: 0o644, owner: getuid(), group: getgid(), mayHaveList: false)
          try index.catalog.setMediaItem(
            item, at: ItemPlace(names: names, rights: rights), found: [], version: Int64(MediaItem.factsVersion))
        }
      }
      let video = live.path(".agonyfs/motion/album/a.jpg")
      #expect(try System.read(video) == Array("album".utf8))
      #expect(try System.status(video + ".mp4").st_size == 5)
      #expect(try shell("tail -c 2 \(video).mp4").text == "um")
      #expect(throws: Errno.readOnlyFileSystem) { try System.write([], to: video) }
      try live.end()
    }
  }
}

/// Takes everything for a photo.
private struct PlainMaker: DerivativeMaker {
  var confinement: String { "none" }
  func stop() {}
  func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool { true }
  func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    Derivatives(
      facts: MediaFacts(kind: .jpeg, width: 4, height: 3, orientation: 1), small: Array("small".utf8),
      large: Array("large".utf8))
  }
  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(DecoderError) -> [UInt8] { jpeg }
  func full(of source: any MediaSource) throws(DecoderError) -> [UInt8] { Array("full".utf8) }
}
