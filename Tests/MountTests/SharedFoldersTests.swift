import Testing
import Vault

@testable import Mount

/// Who made which directory.
@Suite struct SharedFoldersTests {
  /// Whoever copies a large album makes its folder for thumbnails last, perhaps.
  @Test func whoMadeManyDirectoriesIsRemembered() {
    let folders = SharedFolders()
    let numbers = (1...3 * UInt64(SharedFolders.mostMakers)).map(InodeNumber.init(rawValue:))
    for (index, number) in numbers.enumerated() {
      folders.note(number, madeBy: 7)
      if index == 10_000 { #expect(folders.made(numbers[0], by: 7) && !folders.made(numbers[0], by: 8)) }
    }
    #expect(!folders.made(numbers[0], by: 7), "there is an end to it")
    #expect(numbers.suffix(SharedFolders.mostMakers / 2).allSatisfy { folders.made($0, by: 7) })
  }
}
