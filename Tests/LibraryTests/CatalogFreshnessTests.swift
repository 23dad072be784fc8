import AlbumsSupport
import Catalog
import Index
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Answers are of the files as they are, also after a listing, another mount, or a change of rights.
@Suite struct CatalogFreshnessTests {
  /// The kernel knows names from listings, and opens what it never looked up.
  @Test func sidecarsThatWereNotLookedUpAreReadAgain() throws {
    let vault = try CatalogVault()
    let photo = try vault.photo("a.jpg", "title=inside")
    let sidecar = try vault.text("a.jpg.xmp", "title=beside")
    for (write, title) in [
      ({ try vault.files.put(Array("title=rewrit".utf8), sidecar) }, "rewrit"),
      ({ _ = try vault.files.resize(sidecar, 8) }, "re"),
    ] as [(() throws -> Void, String)] {
      try vault.vault.reopen()
      try write()
      try vault.settle()
      #expect(try vault.item(photo)?.words.title == title)
    }
    try vault.vault.reopen()
    try vault.files.change(sidecar) { $0.mode = 0o600 }
    // Whoever asks does not wait for the decoder.
    #expect(try vault.item(photo)?.words.title == "inside")
    try vault.files.close()
  }

  private func set(_ inode: InodeNumber, _ mode: UInt32, group: UInt32, in vault: CatalogVault) throws {
    try vault.files.change(inode, as: Caller(user: 0, group: 0)) { ($0.mode, $0.group) = (mode, group) }
  }

  /// A sidecar speaks only if whoever may read the photo may read it.
  @Test func sidecarsSpeakToNobodyWhoMayNotReadThem() throws {
    let vault = try CatalogVault()
    let photo = try vault.photo("a.jpg", "title=inside")
    let sidecar = try vault.text("a.jpg.xmp", "title=beside")
    for (modes, groups, title) in [
      ([0o640, 0o640], [1000, 1000], "beside"), ([0o640, 0o640], [1000, 2000], "inside"),
      ([0o640, 0o644], [1000, 2000], "beside"), ([0o604, 0o604], [1000, 2000], "inside"),
      ([0o600, 0o600], [1000, 2000], "beside"), ([0o644, 0o644], [1000, 2000], "beside"),
    ] as [([UInt32], [UInt32], String)] {
      try set(photo, modes[0], group: groups[0], in: vault)
      try set(sidecar, modes[1], group: groups[1], in: vault)
      #expect(try vault.item(photo)?.words.title == title, "\(modes) \(groups)")
    }
    // Where a file is from is no list of rights.
    try set(sidecar, 0o644, group: 1000, in: vault)
    try vault.set("user.xdg.origin.url", of: sidecar, to: "somewhere")
    #expect(try vault.item(photo)?.words.title == "beside")
    // One more user may read the photo, who may not read the sidecar; then everybody may, then this one again.
    let list = AccessControlList.value([(1, 6, -1), (2, 4, 1001), (4, 0, -1), (0x10, 4, -1), (0x20, 0, -1)])
    func give(_ inode: InodeNumber, _ list: [UInt8]) throws {
      try vault.files.setExtendedAttribute(
        AccessControlList.accessName, of: inode, value: list, flags: [], caller: caller)
    }
    try set(sidecar, 0o640, group: 1000, in: vault)
    try give(photo, list)
    #expect(try vault.item(photo)?.words.title == "inside")
    try give(sidecar, list)
    #expect(try vault.item(photo)?.words.title == "beside")
    try vault.files.removeExtendedAttribute(AccessControlList.accessName, of: sidecar)
    #expect(try vault.item(photo)?.words.title == "inside")
    // By another name it is the same file.
    try vault.set("user.xdg.comment", of: photo, to: "said")
    try set(sidecar, 0o644, group: 1000, in: vault)
    try set(photo, 0o644, group: 1000, in: vault)
    #expect(try vault.item(photo)?.words.title == "beside")
    _ = try vault.files.link(sidecar, named: .of("kept"), in: .root)
    _ = try vault.files.find("kept")
    try set(sidecar, 0o600, group: 1000, in: vault)
    #expect(try vault.item(photo)?.words.title == "inside")
    try vault.files.close()
  }

  /// Whoever asks a vault that is not mounted has what was stored at the end of a mount.
  @Test func theEndOfAMountBringsRowsUpToDate() throws {
    let vault = try CatalogVault()
    let photo = try vault.photo("a.jpg")
    // Nobody merges in the background.
    vault.vault.library.thumbnails = nil
    try vault.vault.reopen()
    try vault.set("user.xdg.tags", of: photo, to: "beach")
    try vault.vault.reopen()
    #expect(try vault.files.locked { try $0.index.catalog.stale(for: .merge, limit: 1) }.isEmpty)
    #expect(vault.files.answer("format paths\n\ntag:beach").prefix(2) == ["ok", "a.jpg"])
    try vault.files.close()
  }

  /// A catalog that was emptied by a repair, and is filled by no mount yet, says so.
  @Test func whatIsNotKnownIsCounted() throws {
    let vault = try CatalogVault()
    for name in ["a.jpg", "b.jpg"] { _ = try vault.photo(name) }
    #expect(vault.files.answer("").last?.contains(#""pending":0"#) == true)
    vault.vault.library.thumbnails = nil
    try vault.vault.reopen()
    try vault.files.locked { files in
      try files.waitToChange()
      try files.index.catalog.emptyCatalog()
      files.committer.noteChange()
    }
    #expect(vault.files.answer("").last?.contains(#""pending":2"#) == true)
    try vault.files.close()
  }

  /// Nobody waits for what cannot be asked at this mount.
  @Test func whatIsPassedOverIsNotBeingExamined() throws {
    let vault = try CatalogVault()
    let killing = try vault.photo("killing.jpg", "title=killing")
    try vault.files.locked { files in
      try files.waitToChange()
      try files.index.catalog.addStale(killing, .look)
      files.committer.noteChange()
    }
    try vault.vault.reopen()
    try waitUntil("it was passed over") { vault.files.locked { !$0.catalog.passedOver.isEmpty } }
    #expect(vault.files.answer("").last?.contains(#""pending":1,"examining":false}"#) == true)
    try vault.files.close()
  }

  /// A photo that is asked for its facts is looked at by no other thread, which would make what was asked out of date.
  @Test func whatIsWrittenWhileAPhotoIsAskedCounts() throws {
    let vault = try CatalogVault(jobsAtOnce: 2)
    let files = vault.files
    let photo = try vault.photo("a.jpg", "hold;title=before")
    vault.maker.isHeld = true
    let asked = vault.maker.asked
    try files.locked { files in
      try files.waitToChange()
      try files.index.catalog.addStale(photo, .look)
      files.committer.noteChange()
      files.signals[.sinkWork].signal()
    }
    try waitUntil("it is asked") { vault.maker.asked > asked }
    try files.put(Array("photo fold;title=behind".utf8), photo)
    // Whoever takes this one has passed over the other.
    let other = try files.make("b.jpg", with: Array("photo title=other".utf8))
    try waitUntil("the other was looked at") {
      files.locked { (try? $0.index.media.row(other))?.state == .known }
    }
    #expect(try files.thumbnailer.mediaCounts().pending == 1)
    vault.maker.isHeld = false
    try vault.settle()
    #expect(try vault.item(photo)?.words.title == "behind")
    try files.close()
  }

  /// Whoever opens photos in one view does not wait until another one was looked for.
  @Test func whatViewsRememberIsAnsweredWhileAnotherIsLookedFor() throws {
    let vault = try CatalogVault()
    let memory = ViewMemory()
    let files = vault.files
    func entries(_ folder: ViewFolder, _ find: () throws(Errno) -> [ViewEntry]) throws(Errno) -> [ViewEntry] {
      try memory.value(of: folder, in: memory.lists, files, isNew: false, size: \.count, find)
    }
    _ = try entries(.dates) { () throws(Errno) in [] }
    var isAnswered = false
    _ = try entries(.places) { () throws(Errno) in
      isAnswered = try entries(.dates) { () throws(Errno) in throw .ioError }.isEmpty
      return []
    }
    #expect(isAnswered)
    try files.close()
  }

  @Test func directoriesOfViewsAreOthersOnAnotherDay() throws {
    let day = Mutex(CivilDate(year: 2024, month: 2, day: 29) as CivilDate?)
    let memory = ViewMemory { day.withLock(\.self) }
    let first = memory.time(of: 7)
    #expect(memory.time(of: 7) == first)
    day.withLock { $0 = CivilDate(year: 2024, month: 3, day: 1) }
    #expect(memory.time(of: 7) > first)
  }
}
