import TestSupport
import Testing

/// `scripts/packaging/mount.agonyfs`, which mount(8) starts.
@Suite struct MountHelperTests {
  private static let program = "/usr/bin/agonyfs"

  /// What the helper starts `agonyfs` with, one word a line, and its status. It is the helper with another path of the
  /// program; what PATH finds says that it is the wrong one.
  private func helped(_ words: String...) throws -> Outcome {
    let folder = try TemporaryFolder()
    try folder.write("#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n", to: "right")
    try folder.makeDirectory("found")
    try folder.write("#!/bin/sh\necho wrong\n", to: "found/agonyfs")
    let helper =
      #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/packaging/mount.agonyfs"
    let script = """
      cd '\(folder.path)' && chmod 755 right found/agonyfs && export PATH='\(folder.path("found"))':"$PATH" &&
      sed "s|\(Self.program) |'\(folder.path("right"))' |" "$0" >helper && exec sh ./helper "$@"
      """
    return try Outcome("/bin/sh", arguments: ["-c", script, helper] + words)
  }

  @Test func optionsAreHandedOn() throws {
    let mounted = try helped("/srv/My Vault", "/mnt/a b", "-o", "ro,passfile=/root/pass word", "-n", "-s", "-v")
    #expect(mounted.output == "/srv/My Vault\n/mnt/a b\n-o\nro,passfile=/root/pass word\n")
    #expect(mounted.status == 7)
    #expect(try helped("/srv/Vault", "/mnt", "-t", "fuse.agonyfs").output == "/srv/Vault\n/mnt\n")
  }

  @Test func aVaultIsNeverTakenForACommand() throws {
    #expect(try helped("check", "/mnt").output == "./check\n/mnt\n")
    #expect(try helped("-h", "/mnt").output == "./-h\n/mnt\n")
  }

  @Test func whatCannotBeDoneIsRefused() throws {
    let trial = try helped("/srv/Vault", "/mnt", "-f")
    #expect((trial.status, trial.output) == (0, ""))
    #expect(try helped("/srv/Vault", "/mnt", "-N", "123").status == 2)
    #expect(try helped("/srv/Vault", "/mnt", "-z").status == 2)
    #expect(try helped("/srv/Vault").status == 2)
  }
}
