import AlbumsSupport
import Crypto
import FaultyStorage
import Storage
import System
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What programs find that were made before spaces owned cover, and what is found of theirs.
@Suite struct OldProgramTests {
  /// What everybody can read is the same, whether a space owns the cover or nobody, but for what is drawn.
  @Test func theParametersAreTheSameEitherWay() throws {
    var found: Set<String> = []
    for hidden in [nil, "hidden"] {
      let storage = FaultyStorage(limit: 1 << 30)
      let vault = try SpaceManager.createVault(
        in: storage, options: .small(cover: 1 << 20), password: .of("first"), hiddenPassword: hidden.map { .of($0) })
      for password in ["first", hidden].compactMap(\.self) {
        try vault.use(.of(password)) { try $0.put(pattern(300_000, 1), $0.make("photo")) }
      }
      if let hidden {
        let again = vault.derivations
        try SpaceManager.changePassword(in: vault, old: .of(hidden), new: .of("another"))
        #expect(vault.derivations == again)
      }
      var text = String(decoding: try storage.readParameters(limit: 1 << 16), as: UTF8.self)
      let drawn = [vault.parameters.identifier] + vault.parameters.derivations.map(\.salt)
      for bytes in drawn {
        #expect(text.contains(Hexadecimal.text(of: bytes)))
        text = text.replacing(Hexadecimal.text(of: bytes), with: "drawn")
      }
      found.insert(text)
    }
    #expect(found.count == 1, "\(found)")
  }

  /// A space without a table of what it owns is read and written, also beside one that owns cover, and never gets one:
  /// a program that does not know the table goes on reading it.
  @Test func aSpaceWithoutAnOwnerTableStaysOne() throws {
    let fixture = try Fixture(.closed)
    let storage = try DirectoryStorage(path: FilePath(fixture.path))
    let vault = try Vault.open(in: storage)
    let parameters = try storage.readParameters(limit: 1 << 16)
    try vault.addSpace(.of("new"), ownFiles: 56)
    let old = fixture.spaces[0]
    for visit in 0..<3 {
      for password in [old.password, "new"] {
        try vault.use(.of(password)) { files in
          #expect(files.space.ownsCover == (password == "new"))
          try files.put(pattern(600_000, visit), files.make("visit \(visit)"))
          try files.synchronize(intoIndex: true)
          if visit > 0 { try files.delete("visit \(visit - 1)") }
        }
      }
    }
    let body = try vault.openSlot(vault.slotKeys(for: .of(old.password))).body
    #expect(body.incompatible == 0 && body.readOnlyCompatible == 0)
    let space = try vault.openSpace(body)
    #expect(space.owner == nil && space.log.locked { $0.ownBytes } == nil)
    #expect(throws: VaultError.self) { try space.changeOwner { $0.slots = [] } }
    #expect(throws: VaultError.self) { try space.cover.growCover(by: 1 << 20) }
    try space.close()
    #expect(try storage.readParameters(limit: 1 << 16) == parameters)
    let report = try SpaceManager.check(in: vault, passwords: [.of(old.password), .of("new")], readData: true)
    #expect(report.isClean && report.reports.compactMap(\.self).allSatisfy(\.notes.isEmpty), "\(report)")
    let owner = try SpaceManager.openSpace(in: vault, password: .of("new"), readOnly: true)
    #expect(try owner.missingFiles() == nil)
    try owner.close()
    // What it had is still there.
    try vault.use(.of(old.password)) { files in
      var found = try Fixture.contents(of: files)
      #expect(found.removeValue(forKey: "visit%202") != nil)
      found["."] = old.files["."]
      #expect(found == old.files)
    }
  }
}
