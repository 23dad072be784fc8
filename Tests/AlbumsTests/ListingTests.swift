import AlbumsSupport
import Index
import Testing
import Vault

@testable import Albums

@Suite struct ListingTests {
  @Test func renamingEveryEntryWhileListingComesToAnEnd() throws {
    let vault = try TestVault()
    let files = vault.files
    for number in 0..<200 { _ = try files.make("file\(number)") }
    var cookie: UInt64 = 0
    var seen = 0
    // Entry by entry, as a program does that renames what it finds to another name and back.
    while seen <= 1000 {
      var found: FileName?
      try files.list(.root, after: cookie) { name, _, _, place in
        found = copy name
        cookie = place
        return false
      }
      guard let name = found else { break }
      seen += 1
      if cookie <= 2 { continue }
      try files.rename(name, in: .root, to: .of("temporary"), in: .root, flags: [])
      try files.rename(.of("temporary"), in: .root, to: name, in: .root, flags: [])
    }
    #expect(seen == 202)
    try files.close()
  }
}
