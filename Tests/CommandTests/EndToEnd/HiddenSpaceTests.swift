import TestSupport
import Testing

@testable import agonyfs

/// Spaces that own cover, made by the program.
@Suite struct HiddenSpaceTests {
  /// Makes a vault with segments of 1 MiB, and a file with the hidden password.
  private func workspace(_ create: String) throws -> Workspace {
    let workspace = try Workspace()
    try expectSuccess(
      workspace,
      """
      echo first > first; echo hidden > hidden
      agonyfs create --kdf interactive --segment-size 1M --password-file first \(create) Vault
      mkdir Albums
      """)
    return workspace
  }

  private func fileCount(_ workspace: Workspace) -> Int { HostFile.segments(of: workspace.at("Vault")).count }

  @Test func aHiddenSpaceNeverChangesTheNumberOfFiles() throws {
    let workspace = try workspace("--cover 40M --hidden-password-file hidden")
    let files = fileCount(workspace)
    #expect(files >= 40 * 5 / 4 + 37)
    for round in 1...3 {
      try expectSuccess(
        workspace,
        """
        agonyfs mount --password-file hidden Vault Albums
        head -c 9M /dev/urandom > Albums/\(round).bin
        sync Albums/\(round).bin
        sha256sum Albums/*.bin > sums
        """)
      #expect(fileCount(workspace) == files)
      try expectSuccess(workspace, "agonyfs unmount Albums")
      #expect(fileCount(workspace) == files)
    }
    // What the first space does adds files, and touches none of these.
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file first Vault Albums
      head -c 5M /dev/urandom > Albums/a.bin
      agonyfs unmount Albums
      agonyfs mount --password-file hidden Vault Albums
      sha256sum --quiet -c sums
      """)
    let size = try workspace.shell("df --output=size,avail -B1M Albums | tail -1").output.split { " \n".contains($0) }
      .compactMap { Int($0) }
    #expect((40...41).contains(size[0]))
    #expect((10...14).contains(size[1]))
    // Beyond its cover there is no room, and after deleting there is.
    #expect(try workspace.shell("head -c 90M /dev/zero > Albums/big 2> errors").status != 0)
    try expectSuccess(
      workspace, "grep -q 'No space left' errors; rm Albums/big; head -c 9M /dev/urandom > Albums/4.bin")
    try expectSuccess(
      workspace,
      """
      sha256sum --quiet -c sums
      agonyfs unmount Albums
      agonyfs check --read-data --password-file hidden Vault
      agonyfs check --read-data --password-file first Vault
      """)
  }

  @Test func bothWaysMakeAsManyFiles() throws {
    // The random number is at least 4, and rarely large.
    let withHidden = try workspace("--cover 60M --hidden-password-file hidden")
    let without = try workspace("--cover 60M")
    let first = 3
    let (some, others) = (fileCount(withHidden), fileCount(without))
    let own = 60 * 5 / 4 + 37
    #expect(some > own + 4 + first && others > own + 4 + first)
    expectFailure(
      try without.shell("agonyfs info --password-file hidden Vault"), .noSpaceOpens, "No space in")
    for workspace in [withHidden, without] {
      let before = fileCount(workspace)
      try expectSuccess(workspace, "agonyfs cover add 8M Vault")
      #expect(fileCount(workspace) >= before + 37 + 4)
    }
  }

  @Test func spacesAreAddedWithCoverAndGrow() throws {
    let workspace = try workspace("--cover 0")
    let before = fileCount(workspace)
    expectFailure(
      try workspace.shell("agonyfs space add --password-file hidden Vault < /dev/null"), .usage, "--cover SIZE")
    #expect(fileCount(workspace) == before)
    try expectSuccess(workspace, "agonyfs space add --cover 20M --password-file hidden Vault")
    let added = fileCount(workspace)
    #expect(added >= before + 20 * 5 / 4 + 37)
    try expectSuccess(
      workspace,
      """
      agonyfs space grow --password-file hidden 20M Vault
      agonyfs mount --password-file hidden Vault Albums
      head -c 33M /dev/urandom > Albums/a.bin
      agonyfs unmount Albums
      """)
    #expect(fileCount(workspace) >= added + 20)
    let grown = fileCount(workspace)
    expectFailure(
      try workspace.shell("agonyfs space grow --password-file first 1M Vault"), .failure, "owns no cover")
    expectFailure(
      try workspace.shell("agonyfs space grow --password-file hidden 9999T Vault"), .noRoom, "is full")
    expectFailure(
      try workspace.shell("agonyfs space add --cover 9999T --password=another Vault"), .noRoom, "is full")
    #expect(fileCount(workspace) == grown)
  }

  @Test func badInputMakesNoVault() throws {
    let workspace = try Workspace()
    try expectSuccess(workspace, "echo first > first; echo hidden > hidden")
    for (arguments, sentence) in [
      ("--cover 0 --hidden-password-file hidden", "needs cover"),
      ("--cover 40M --hidden-password-file first", "different passwords"),
      ("--cover 40M --hidden-password-file hidden --hidden-password-command 'echo hidden'", "Give one of"),
    ] {
      expectFailure(
        try workspace.shell("agonyfs create --kdf interactive --password-file first \(arguments) Vault"), .usage,
        sentence)
    }
    #expect(!HostFile.names(in: workspace.path).contains("Vault"))
  }
}
