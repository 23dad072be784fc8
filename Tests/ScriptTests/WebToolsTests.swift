import TestSupport
import Testing

/// `scripts/web-tools`, which makes the Python of the tests.
@Suite struct WebToolsTests {
  /// Debian's next Python does not find the packages of the one before.
  @Test func anEnvironmentThatLacksPackagesIsMadeAnew() throws {
    let folder = try TemporaryFolder()
    let script = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/web-tools"
    let outcome = try Outcome(
      "/bin/sh",
      arguments: [
        "-c",
        """
        set -eu
        cd '\(folder.path)'
        mkdir -p scripts Tests/Web
        cp "$0" scripts/
        # Every new environment has it.
        echo pip > Tests/Web/requirements.txt
        export PIP_NO_INDEX=1
        run() {
          scripts/web-tools
          if [ -e .build/venv/seen ]; then echo kept; else echo new; fi
          touch .build/venv/seen
        }
        run
        run
        mv .build/venv/lib/python3* .build/venv/lib/before
        run
        """, script,
      ])
    #expect(outcome.status == 0 && outcome.output == "new\nkept\nnew\n", "\(outcome)")
  }
}
