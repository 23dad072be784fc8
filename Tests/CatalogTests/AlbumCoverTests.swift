import Testing

@testable import Catalog

/// What a directory says of its cover.
@Suite struct AlbumCoverTests {
  @Test(
    arguments: [
      ("a.jpg", "a.jpg", nil), ("a.jpg/12", "a.jpg", 12), ("a/b", "a/b", nil), ("a/b/7", "a/b", 7), ("", "", nil),
    ]
      as [(String, String, UInt64?)])
  func nameAndInode(_ value: String, _ name: String, _ inode: UInt64?) {
    let cover = AlbumCover(Array(value.utf8))
    #expect(cover.name == Array(name.utf8) && cover.inode == inode)
    #expect(cover.value == Array(value.utf8))
  }
}
