import AlbumsSupport
import Catalog
import Index
import Testing
import Vault

@testable import Albums
@testable import Library

/// Fields of the user's own in the catalog: the attribute has them, and rows say that it does.
@Suite struct OwnFieldRowTests {
  private let vault: CatalogVault

  init() throws { vault = try CatalogVault() }

  private func answer(_ format: String, _ query: String = "") -> [String] {
    Array(vault.files.answer("format \(format)\nsort name\n\n\(query)").dropFirst().dropLast())
  }

  /// Also in a row that version 1.0.0 wrote, which knows nothing of them.
  @Test(arguments: [false, true]) func theyAreShownAndFound(isOld: Bool) throws {
    let photo = try vault.photo("a.jpg", "title=A")
    _ = try vault.photo("b.jpg", "title=B")
    let other = try vault.photo("c.jpg", "title=C")
    try vault.set("user.agonyfs.fields", of: photo, to: "approval=\"yes\"\ncustomer=Acme 7")
    try vault.set("user.agonyfs.fields", of: other, to: "Customer=Other")
    #expect(try vault.item(photo)?.words.fields.map(\.line) == ["approval=\"yes\"", "customer=Acme 7"])
    #expect(try vault.item(other)?.words.fields.count == 1)
    if isOld { for inode in [photo, other] { try vault.files.ageRow(of: inode) } }
    let lines = answer("json")
    #expect(lines.count == 3 && lines[0].contains(#","x.approval":"\"yes\"","x.customer":"Acme 7""#), "\(lines)")
    #expect(!lines[1].contains("\"x."))
    #expect(answer("paths", "x.customer:acme") == ["a.jpg"])
    #expect(answer("paths", "x.customer:=\"acme 7\"") == ["a.jpg"])
    #expect(answer("paths", "x.customer:yes") == [])
    #expect(answer("paths", "has:x.customer") == ["a.jpg", "c.jpg"])
    #expect(answer("paths", "-has:x.approval") == ["b.jpg", "c.jpg"])
    #expect(answer("paths", "acme") == ["a.jpg"])
    try vault.files.removeExtendedAttribute(Array("user.agonyfs.fields".utf8), of: photo)
    #expect(try vault.item(photo)?.words.fields == [])
    #expect(answer("paths", "has:x.customer") == ["c.jpg"])
    #expect(answer("paths", "acme") == [])
    try vault.files.close()
  }

  /// What is said of a photo stays when other things are said of it, and comes to a copy.
  @Test func theyStay() throws {
    let photo = try vault.photo("a.jpg", "make=Canon")
    try vault.set("user.agonyfs.fields", of: photo, to: "customer=7")
    let copy = try vault.photo("b.jpg", "make=Canon")
    try vault.set("user.agonyfs.title", of: photo, to: "Title")
    for inode in [photo, copy] { #expect(try vault.item(inode)?.words.fields.map(\.line) == ["customer=7"]) }
    try vault.files.rename(.of("a.jpg"), in: .root, to: .of("c.jpg"), in: .root, flags: [])
    _ = try vault.item(photo)
    #expect(answer("paths", "x.customer:7") == ["b.jpg", "c.jpg"])
    try vault.files.close()
  }
}
