import TestSupport
import Testing

/// `scripts/messages`, which prints the messages of source files.
@Suite struct MessagesTests {
  private func messages(_ arguments: [String], path: String = #filePath) throws -> Outcome {
    let script = path.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/messages"
    return try Outcome(script, arguments: arguments)
  }

  /// The messages of a file, with the numbers of their lines.
  private func messages(of text: String, in name: String) throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write(text, to: name)
    let outcome = try messages([folder.path(name)])
    #expect(outcome.status == 0 && outcome.errors == "")
    return outcome.output.split(separator: "\n").map { String($0.split(separator: "/").last ?? "") }
  }

  @Test func literalsAreJoinedAndValuesAreHidden() throws {
    let text = #"""
      // "This comment is no message."
      let joined = "The file \(name) " + // why
        "is in use: \(isOpen ? "close it first" : "word")."
      let long = """
        The first line \
        goes on here.
        The second line.
        """
      let others = ["SELECT a FROM b WHERE c", "word", "/a/path", #"{"a": "b c"}"#]
      """#
    #expect(
      try messages(of: text, in: "File.swift") == [
        "File.swift:2: The file ‹…› is in use: ‹…›.", "File.swift:3: close it first",
        "File.swift:4: The first line goes on here. ⏎ The second line.",
      ])
  }

  @Test func otherLanguagesAreRead() throws {
    let page = "const a = /\"/; say(`There are ${n + (b ? 'No photos yet.' : '')} photos.`)\n"
    #expect(try messages(of: page, in: "a.js") == ["a.js:1: There are ‹…› photos.", "a.js:1: No photos yet."])
    let script = "#!/bin/sh\n# \"A comment.\"\nsay \"there is no $1; ask for it\"\n"
    #expect(try messages(of: script, in: "script") == ["script:3: there is no ‹…›; ask for it"])
    let python = "def a():\n    \"\"\"Only read here.\"\"\"\n    print(f\"The file {a} is gone.\")\n"
    #expect(try messages(of: python, in: "a.py") == ["a.py:3: The file ‹…› is gone."])
    let markup = "<p title=\"A title here\">\nA text.</p>\n"
    #expect(try messages(of: markup, in: "a.html") == ["a.html:1: A title here", "a.html:2: A text."])
  }

  @Test func helpAndUnknownPaths() throws {
    #expect(try messages(["--help"]).output.hasPrefix("messages [PATH...]: prints every message"))
    let unknown = try messages(["/no/such folder"])
    #expect(unknown.status == 1 && unknown.errors.contains("there is no /no/such folder"))
  }
}
