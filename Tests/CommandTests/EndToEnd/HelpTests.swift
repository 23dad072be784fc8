import ArgumentParser
import TestSupport
import Testing

@testable import agonyfs

/// `agonyfs --help`, and the pages of `agonyfs help`.
@Suite struct HelpTests {
  @Test(arguments: [
    "", "create", "mount", "unmount", "space add", "space shrink", "space remove", "password change", "check", "info",
    "speed",
  ])
  func helpTeaches(_ command: String) throws {
    let outcome = try Workspace().shell("agonyfs \(command) --help")
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output.contains("USAGE: agonyfs"))
    #expect(!outcome.output.contains("as-daemon"))
    #expect(!outcome.output.contains("from-line"))
  }

  @Test func helpHasPagesOfStatusesAndLimits() throws {
    let statuses = try Workspace().agonyfs("help", "statuses").output
    for status in CommandStatus.allCases { #expect(statuses.contains("\(status.rawValue)  \(status.explanation)")) }
    let limits = try Workspace().agonyfs("help", "limits").output.split { $0.isWhitespace }.joined(separator: " ")
    for words in ["about U/32", "93 %", "99 %", "cover does not change by itself", "--delete-after"] {
      #expect(limits.contains(words), "\(words)")
    }
  }

  /// A page that is named and not there shows the help of the program.
  @Test func rootHelpNamesThePagesThatThereAre() throws {
    let root = try Workspace().agonyfs("--help").output
    for page in ["queries", "fields", "mount-options", "statuses", "limits"] {
      #expect(root.contains(page))
      let outcome = try Workspace().agonyfs("help", page)
      #expect(outcome.status == 0 && outcome.output.contains("USAGE: agonyfs help \(page)\n"), "\(outcome)")
      #expect(try Workspace().agonyfs(page).output == outcome.output)
    }
    for group in ["ALBUM", "PASSWORD AND SPACE", "PHOTO", "PHONE", "UPKEEP"] {
      #expect(root.contains("\n\(group) SUBCOMMANDS:\n"))
    }
    #expect(!root.contains("prove"))
  }

  /// A longer one is not read; what is rare is in an article.
  @Test func noHelpIsLongerThanAScreen() throws {
    func check(_ command: any ParsableCommand.Type) {
      let help = AgonyfsCommand.helpMessage(for: command, columns: 80)
      #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 61, "\(help)")
      for each in command.configuration.subcommands { check(each) }
    }
    check(AgonyfsCommand.self)
  }
}
