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
      workspace,
      """
      grep -q 'No space left' errors
      rm Albums/big
      head -c 9M /dev/urandom > Albums/4.bin
      sha256sum --quiet -c sums
      agonyfs unmount Albums
      agonyfs check --read-data --password-file hidden Vault
      agonyfs check --read-data --password-file first Vault
      """)
  }

  /// A refresh keeps the number of files, so what piles up in a backup has to go before.
  @Test func aBackupFilledOftenHasAsManyFiles() throws {
    let workspace = try workspace("--cover 40M --hidden-password-file hidden")
    let files = fileCount(workspace)
    for round in 1...3 {
      try expectSuccess(
        workspace,
        """
        agonyfs mount --password-file hidden Vault Albums
        head -c 9M /dev/urandom > Albums/\(round).bin
        sha256sum Albums/*.bin > sums
        agonyfs unmount Albums
        rsync -a --delete-after Vault/ Backup/
        rsync -a Vault/ Piled/
        """)
    }
    try expectSuccess(workspace, "for copy in Backup Piled; do agonyfs refresh $copy; done")
    let count = { HostFile.segments(of: workspace.at($0)).count }
    #expect(count("Vault") == files)
    #expect(count("Backup") == files)
    #expect(count("Piled") > files)
    // One more copy removes what piled up; then it is as the other.
    try expectSuccess(
      workspace,
      """
      rsync -a --delete-after Vault/ Piled/
      agonyfs refresh Piled
      for copy in Backup Piled; do
        agonyfs check --read-data --password-file first $copy
        agonyfs mount --password-file hidden $copy Albums
        sha256sum --quiet -c sums
        echo more > Albums/more
        agonyfs unmount Albums
      done
      """)
    #expect(count("Backup") == files)
    #expect(count("Piled") == files)
  }

  /// What stays in the scrollback is no evidence.
  @Test func bothWaysSayTheSame() throws {
    let workspace = try Workspace()
    // None of which is weak: that would be said too.
    try expectSuccess(
      workspace, "echo 'correct horse battery staple' > first; echo 'another long good password' > hidden")
    let create = "agonyfs create --kdf interactive --segment-size 1M --password-file first --cover"
    for (size, sentence) in [
      ("40M", "agonyfs: The cover is large enough for a hidden space that can store 40."),
      ("1500K", "agonyfs: The cover is large enough for a hidden space that can store "),
    ] {
      let without = try workspace.shell("\(create) \(size) Without")
      let with = try workspace.shell("\(create) \(size) --hidden-password-file hidden With")
      #expect(without.status == 0 && with.status == 0, "\(without)")
      #expect(without.errors.hasPrefix(sentence), "\(without)")
      #expect(with.errors == without.errors)
      #expect(with.output.isEmpty && without.output.isEmpty)
      try expectSuccess(workspace, "rm -r With Without")
    }
  }

  @Test func whatAddsFilesSaysThatItShows() throws {
    let workspace = try workspace("--cover 0")
    try expectSuccess(
      workspace,
      "for name in hidden other within; do echo \"correct horse battery staple of $name\" > $name; done")
    let warning = "agonyfs: A person who saw the vault before can see that files were added.\n"
    for command in [
      "space add --cover 100M --password-file hidden Vault", "space add --cover 0 --password-file other Vault",
      "space grow --password-file hidden 1M Vault",
    ] {
      let outcome = try workspace.shell("agonyfs \(command)")
      #expect(outcome.status == 0 && outcome.errors == warning, "\(outcome)")
    }
    let within = "space add --within --owner-password-file hidden --cover 1M --password-file within Vault"
    // Here none are; it says what that space loses.
    let outcome = try workspace.shell("agonyfs \(within)")
    #expect(outcome.status == 0 && outcome.errors.split(separator: "\n").count == 1, "\(outcome)")
    #expect(outcome.errors.contains("can store less afterwards"), "\(outcome)")
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

  @Test func aThirdSpaceChangesNoNumber() throws {
    let workspace = try workspace("--cover 160M --hidden-password-file hidden")
    let files = fileCount(workspace)
    try expectSuccess(
      workspace,
      """
      echo third > third
      agonyfs mount --password-file first Vault Albums
      head -c 3M /dev/urandom > Albums/a.bin; sha256sum Albums/a.bin > first-sums
      agonyfs unmount Albums
      agonyfs mount --password-file hidden Vault Albums
      head -c 30M /dev/urandom > Albums/b.bin; sha256sum Albums/b.bin > hidden-sums
      agonyfs unmount Albums
      """)
    let before = fileCount(workspace)
    #expect(before > files)
    let add = "agonyfs space add --within --owner-password-file hidden --cover 20M"
    try expectSuccess(
      workspace,
      """
      \(add) --password-file third Vault 2> told
      grep -q 'hands over cover can store less afterwards: by 20 MiB,' told
      agonyfs space shrink --password-file hidden 10M Vault 2> told
      grep -q 'The space can store less afterwards: by 10 MiB,' told
      """)
    #expect(fileCount(workspace) == before)
    // The third is filled, then the second; nothing harms another.
    for (password, size) in [("third", 20), ("hidden", 160)] {
      try expectSuccess(workspace, "agonyfs mount --password-file \(password) Vault Albums")
      let shown = try workspace.shell("df --output=size -B1M Albums | tail -1").output.filter(\.isNumber)
      #expect(try (password == "third" ? 20...21 : 40...85).contains(#require(Int(shown))))
      #expect(
        try workspace.shell("head -c \(3 * size)M /dev/zero > Albums/big 2> errors").status != 0, "\(password)")
      try expectSuccess(
        workspace,
        """
        grep -q 'No space left' errors
        sha256sum Albums/big > \(password)-big
        agonyfs unmount Albums
        """)
      #expect(fileCount(workspace) == before)
    }
    try expectSuccess(
      workspace,
      """
      for password in first hidden third; do
        agonyfs check --read-data --password-file $password Vault
        agonyfs mount --password-file $password Vault Albums
        for sums in $password-*; do sha256sum --quiet -c $sums; done
        rm Albums/*
        agonyfs unmount Albums
      done
      """)
  }

  @Test func whatCannotBeHandedOverIsRefused() throws {
    let workspace = try workspace("--cover 60M --hidden-password-file hidden")
    let names = HostFile.segments(of: workspace.at("Vault"))
    func expectRefusal(_ command: String, _ status: CommandStatus, _ sentence: String) throws {
      expectFailure(try workspace.shell("agonyfs space \(command)"), status, sentence)
      #expect(HostFile.segments(of: workspace.at("Vault")) == names)
    }
    let add = "add --within --owner-password-file"
    try expectRefusal("shrink --password-file hidden 60M Vault", .noRoom, "The space cannot give up")
    try expectRefusal("shrink --password-file hidden 8000000T Vault", .noRoom, "The space cannot give up")
    try expectRefusal("shrink --password-file hidden much Vault", .usage, "'<size>'")
    try expectRefusal("shrink --password-file hidden Vault", .usage, "'<size>'")
    try expectRefusal("shrink --password-file first 1M Vault", .failure, "owns no cover")
    try expectRefusal("shrink --password=wrong 1M Vault", .noSpaceOpens, "No space in")
    try expectRefusal("\(add) hidden --password-file hidden --cover 1M Vault", .usage, "different passwords")
    try expectRefusal("\(add) hidden --password-file first --cover 1M Vault", .passwordInUse, "already opens")
    try expectRefusal("\(add) first --password=third --cover 1M Vault", .failure, "owns no cover")
    try expectRefusal("\(add) hidden --password=third --cover 0 Vault", .usage, "needs cover")
    try expectRefusal("\(add) hidden --password=third --cover 60M Vault", .noRoom, "The space cannot give up")
    try expectRefusal("\(add) hidden --password=third Vault < /dev/null", .usage, "--cover SIZE")
    try expectRefusal("add --within --password=third --cover 1M Vault < /dev/null", .usage, "")
    try expectSuccess(workspace, "agonyfs mount --password-file hidden Vault Albums")
    for command in ["shrink --password-file hidden 1M Vault", "\(add) hidden --password=third --cover 1M Vault"] {
      expectFailure(try workspace.shell("agonyfs space \(command)"), .spaceInUse, "in use")
    }
    try expectSuccess(workspace, "agonyfs unmount Albums")
    #expect(fileCount(workspace) == names.count)
  }

  /// Only one file at a time, and where there is no room for that its place.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to mount a disk")) func aFullDiskIsNoHindrance() throws {
    let workspace = try workspace("--cover 0")
    try expectSuccess(
      workspace,
      """
      mkdir disk
      mount -t tmpfs -o size=250m none disk
      agonyfs create --kdf interactive --segment-size 1M --password-file first --cover 100M \
        --hidden-password-file hidden disk/Vault
      head -c 300M /dev/zero > disk/zeros 2> errors || grep 'No space left' errors
      """)
    let count = try workspace.shell("find disk/Vault/segments -type f | wc -l").output
    try expectSuccess(
      workspace,
      """
      echo third > third
      agonyfs space add --within --owner-password-file hidden --password-file third --cover 8M disk/Vault
      for password in first hidden third; do agonyfs check --password-file $password disk/Vault; done
      """)
    #expect(try workspace.shell("find disk/Vault/segments -type f | wc -l").output == count)
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
