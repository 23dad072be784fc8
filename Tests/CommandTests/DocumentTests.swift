import TestSupport
import Testing

@testable import agonyfs

/// What the documents name exists.
@Suite struct DocumentTests {
  private var root: String { #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } }

  /// A file of the source tree.
  private func text(of name: String) throws -> String {
    String(decoding: try HostFile.read(root + "/" + name), as: UTF8.self)
  }

  /// The source files below a folder with a line that an extended regular expression fits.
  private func files(in folder: String, with expression: String) throws -> Set<Substring> {
    let found = try Outcome("/bin/grep", arguments: ["-rlE", "--include=*.swift", expression, root + "/" + folder])
    #expect(found.status <= 1, "\(found)")
    return Set(found.output.split(separator: "\n"))
  }

  /// So that a failure, a promise and a filter mean one suite.
  @Test func everySuiteHasANameOfItsOwnAndPromisesNameThem() throws {
    let found = try Outcome(
      "/bin/grep", arguments: ["-rhoE", "--include=*.swift", "(struct|class) [A-Za-z]+Tests\\b", root + "/Tests"])
    let suites = found.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
    #expect(suites.count > 300)
    let counts = Dictionary(grouping: suites, by: { $0 }).mapValues(\.count)
    #expect(counts.filter { $0.value > 1 }.isEmpty)
    let promises = try text(of: "Sources/agonyfs/agonyfs.docc/Promises.md")
    let named = promises.split(separator: "`").filter {
      $0.hasSuffix("Tests") && !$0.contains(where: { $0.isWhitespace })
    }
    #expect(named.count > 100)
    for name in named where !name.contains("…") {
      #expect(counts[name] == 1, "Promises.md names \(name)")
    }
  }

  @Test func everyStatusIsNamed() throws {
    let article = try text(of: "Sources/agonyfs/agonyfs.docc/ExitStatuses.md")
    for status in CommandStatus.allCases { #expect(article.contains("\n| \(status.rawValue) | ")) }
  }

  @Test func readmeNamesTheTwoScripts() throws {
    let readme = try text(of: "README.md")
    #expect(readme.contains("scripts/agonyfs mount --password ~/Vault ~/Albums"))
    #expect(readme.contains("scripts/test"))
  }

  /// A backup without it piles up what hidden spaces gave up; and `--delete` alone may delete before all is there.
  @Test(arguments: [
    "README.md", "Sources/agonyfs/agonyfs.docc/Guide.md", "Sources/agonyfs/agonyfs.docc/ThreatModel.md",
  ])
  func backupsDeleteAfter(_ name: String) throws {
    let words = try text(of: name).split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.contains("rsync -a --delete-after"))
    #expect(!words.contains("rsync -a ~/Vault"))
  }

  /// Lines that people copy stay in the shell's history; these say that there is another space.
  @Test(arguments: [
    "README.md", "Sources/agonyfs/agonyfs.docc/Guide.md", "Sources/agonyfs/Help/HelpText.swift",
    "Sources/agonyfs/Help/HelpText+Spaces.swift", "Sources/agonyfs/Help/HelpText+Catalog.swift",
  ])
  func examplesTellOfNoOtherSpace(_ name: String) throws {
    let lines = try text(of: name).split(separator: "\n").filter { line in
      let words = line.split(separator: " ")
      return words.first == "agonyfs" || words.starts(with: ["$", "agonyfs"])
    }
    #expect(lines.count > 5)
    for line in lines {
      for words in ["--hidden", "--within", "--owner-password", "space grow", "space shrink", "cover add"] {
        #expect(!line.contains(words), "\(line)")
      }
    }
  }

  /// The cells of a row of a table.
  private func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map { cell in
      cell.split(separator: " ").joined(separator: " ")
    }
  }

  /// The rows of the tables of an article.
  private func rows(of article: String) throws -> [[String]] {
    let lines = try text(of: "Sources/agonyfs/agonyfs.docc/\(article).md").split(separator: "\n")
    return lines.filter { $0.hasPrefix("|") }.map { cells($0) }
  }

  /// What `Tests/Attacks/hosts.py` lets tell is what the threat model says of each host, in the same words.
  @Test func theTableOfHostsIsWhatTheAttackPermits() throws {
    func words(_ cell: String) -> Set<String> {
      Set(cell.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") })
    }
    let rows = try self.rows(of: "ThreatModel")
    let head: [String]? = rows.first { $0.contains("disk after a refresh") }
    let titles: [String] = try #require(head).map { title in title.filter { $0 != "`" } }
    let permitted = try Outcome(
      "/usr/bin/python3", arguments: ["-B", root + "/Tests/Attacks/declared.py"])
    #expect(permitted.status == 0, "\(permitted)")
    let lines = permitted.output.split(separator: "\n").map { cells($0) }
    #expect(lines.count == 9)
    for line in lines where line.count == 3 {
      let found: [String]? = rows.first { $0.first?.lowercased() == line[0] && $0.count == titles.count }
      let row = try #require(found, "\(line)")
      let column = try #require(titles.firstIndex(of: line[1]), "\(line)")
      #expect(words(row[column]) == words(line[2]), "\(line)")
    }
  }

  /// *Before you lend* says that nothing shows only where the threat model says so of every file system.
  @Test func thePageBeforeLendingPromisesNoMoreThanTheThreatModel() throws {
    let hosts = try rows(of: "ThreatModel")
    let head: [String] = try #require(hosts.first { $0.contains("disk after a refresh") })
    let systems = hosts.filter { row in
      row.count == head.count && ["ext4", "XFS", "btrfs", "tmpfs"].contains(row.first)
    }
    #expect(systems.count == 4)
    let page = try rows(of: "BeforeLending")
    var quiet = 0
    for (column, way) in head.enumerated().dropFirst() {
      let found: [String]? = page.first { $0.first == way && $0.count == 2 }
      let row = try #require(found, "\(way)")
      guard row[1].lowercased().contains("nothing") else { continue }
      quiet += 1
      for system in systems { #expect(system[column] == "nothing", "\(way) on \(system[0])") }
    }
    #expect(quiet == 1)
  }

  /// A line that somebody copies before a disk goes is a command of this program.
  @Test func thePageBeforeLendingHasCommandsThatExist() throws {
    let page = try text(of: "Sources/agonyfs/agonyfs.docc/BeforeLending.md")
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("    ") }
    let marked = page.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
    // A command without a vault or a mount point is only named.
    let spans = marked.map(\.element).filter { $0.contains("~/") }
    let all: [[String]] = (lines + spans).map { line in line.split(separator: " ").map { String($0) } }
    let commands = all.filter { $0.first == "agonyfs" }
    #expect(commands.count >= 6)
    for words in commands {
      #expect(throws: Never.self, "\(words)") { _ = try AgonyfsCommand.parse(Array(words.dropFirst())) }
    }
  }

  /// *How data flows* names types, their members and files; a member is declared in a file of its type.
  @Test func dataFlowsThroughWhatExists() throws {
    let parts = try text(of: "Sources/agonyfs/agonyfs.docc/HowDataFlows.md").split(
      separator: "`", omittingEmptySubsequences: false)
    let marked = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    var count = 0
    let others: Set<Substring> = ["Package.swift", "mutating"]
    for name in Set(marked).subtracting(others) where !name.contains(" ") && name != name.uppercased() {
      count += 1
      if name.hasSuffix(".swift") {
        let found = try Outcome("/usr/bin/find", arguments: [root + "/Sources", "-name", String(name)])
        #expect(!found.output.isEmpty, "there is no \(name)")
        continue
      }
      // Without the labels of arguments.
      let words = name.split(separator: "(")[0].split(separator: ".")
      let declaration = "(func|var|let|case|class|struct|enum|protocol|typealias) "
      var places = try files(in: "Sources", with: declaration + words[words.count - 1] + "\\b")
      if words.count > 1 {
        places.formIntersection(try files(in: "Sources", with: "(extension|class|struct|enum|protocol) \(words[0])\\b"))
      }
      #expect(!places.isEmpty, "there is no \(name)")
    }
    #expect(count > 30)
  }
}
