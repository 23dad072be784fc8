import Storage
import SystemPackage
import Testing
import Vault

@testable import agonyfs

/// What `info` says of the file system under a vault.
@Suite struct HostReportTests {
  @Test func aHostThatHasEverythingIsNotMentioned() {
    #expect(HostReport(isLocal: true, lacks: []).paragraph == nil)
    #expect(HostReport(ofVaultAt: "/the/vault").paragraph == nil)
  }

  /// Without a rename that replaces nothing, a link does the same.
  @Test(arguments: HostAbility.allCases)
  func eachLackHasASentence(_ lack: HostAbility) throws {
    let report = HostReport(isLocal: true, lacks: [lack])
    if lack == .renameWithoutReplacing {
      #expect(report.paragraph == nil)
      return
    }
    let paragraph = try #require(report.paragraph)
    #expect(paragraph.hasPrefix("The file system of the vault ") && paragraph.hasSuffix("."))
    #expect(!paragraph.contains("\n"))
  }

  @Test func allLacksAreOneParagraph() throws {
    let all = try #require(HostReport(isLocal: false, lacks: HostAbility.allCases).paragraph)
    for words in [
      "no creation times", "no files without a name", "neither rename nor link", "cannot link files",
      "holds no room", "no modes", "no locks", "in steps of more than a second", "Other machines",
    ] { #expect(all.contains(words), "\(all)") }
    #expect(all.components(of: "agonyfs refresh") == 1, "\(all)")
  }

  /// Only what other machines can reach may be in use there.
  @Test func whereASpaceIsInUse() {
    let failure = CommandFailure(VaultError.spaceInUse, vault: "/the/vault")
    #expect(failure.status == .spaceInUse && failure.status.rawValue == 15)
    #expect(!failure.message.contains("another machine"))
    // No machine but this one has /proc, and no list of the file systems of disks has it.
    let elsewhere = CommandFailure(VaultError.spaceInUse, vault: "/proc")
    #expect(elsewhere.status == .spaceInUse && elsewhere.message.contains("on another machine that reaches /proc;"))
  }
}

extension String {
  /// How often words are in a text.
  fileprivate func components(of words: String) -> Int {
    var (count, rest) = (0, self[...])
    while let found = rest.firstRange(of: words) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }
}
