import TestSupport
import Testing

/// `scripts/packaging/mount.agonyfs`, which mount(8) starts.
@Suite struct MountHelperTests {
  /// What the helper starts `agonyfs` with, one word a line, and its status.
  private func helped(_ words: String...) throws -> Outcome {
    let folder = try TemporaryFolder()
    try folder.write("#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n", to: "agonyfs")
    let helper =
      #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/scripts/packaging/mount.agonyfs"
    let script = "chmod 755 '\(folder.path("agonyfs"))'; PATH='\(folder.path)':$PATH exec sh \"$0\" \"$@\""
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
