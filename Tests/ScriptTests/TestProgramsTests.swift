import Glibc
import TestSupport
import Testing

/// `scripts/test-programs`, by which tests start what was built wherever the clone is.
@Suite struct TestProgramsTests {
  /// From a clone with blanks in its path, in a directory that others may not enter, by somebody whose files are closed.
  @Test func everyUserMayStartTheCopies() throws {
    let folder = try TemporaryFolder()
    let scripts = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts"
    let outcome = try Outcome(
      "/bin/sh",
      arguments: [
        "-c",
        #"""
        set -eu
        cd '\#(folder.path)'
        chmod 755 .
        umask 077
        clone='closed folder/a clone'
        built=$clone/.build
        mkdir -p "$clone/scripts" "$built/some-machine/debug" "$built/release" "$built/web/debug"
        cp "$0/test-programs" "$0/packages" "$clone/scripts/"
        ln -s some-machine/debug "$built/debug"
        for program in debug/map-writer debug/libsome.so debug/some.xctest release/agonyfs release/agonyfs-decoder \
          web/debug/agonyfs-web; do
          printf '#!/bin/sh\necho "started: ${0##*/programs/}"\n' > "$built/$program"
          chmod 700 "$built/$program"
        done
        echo text > "$built/debug/description.json"
        "$clone/scripts/test-programs" "$PWD/programs" "$PWD/$built/web/debug/agonyfs-web"
        stranger() {
          if test "$(id -u)" = 0; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi
        }
        for program in programs/*/*; do
          test "$(stat -c %a "$program")" = 755
          stranger "$PWD/$program"
        done
        """#, scripts,
      ])
    let started = [
      "debug/libsome.so", "debug/map-writer", "release/agonyfs", "release/agonyfs-decoder", "web/agonyfs-web",
    ]
    #expect(outcome.status == 0 && outcome.output == started.map { "started: \($0)\n" }.joined(), "\(outcome)")
  }

  @Test(.enabled(if: unsafe getenv("AGONYFS_TEST_BUILT") != nil, "scripts/test copies the programs"))
  func whatTestsStartIsACopy() throws {
    let program = builtProgram("system-attempts")
    #expect(!program.contains(" "))
    let become = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
    let outcome = try Outcome("/usr/bin/env", arguments: become + ["test", "-x", program])
    #expect(outcome.status == 0, "\(program): \(outcome)")
  }
}
