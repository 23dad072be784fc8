import TestSupport
import Testing

@testable import agonyfs

/// What is left on a disk of slots, heads and files that were removed.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to mount disks"))
struct WipeTests {
  /// `seen` writes the bytes of all segment files of the vault to `before`; `carved` counts those of them that the file
  /// `image` still has and that no file of the vault has any more.
  private static let functions = """
    seen() { python3 -c '
    import glob
    with open("before", "wb") as out:
        for path in glob.glob("disk/Vault/segments/*/*"):
            data = open(path, "rb").read()
            for start in range(0, len(data), len(data) // 8):
                out.write(data[start:start + 168])'; }
    carved() { detach; python3 -c '
    import glob, mmap
    file = open("image", "rb")
    image = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    before = open("before", "rb").read()
    pieces = [before[at:at + 168] for at in range(0, len(before), 168)]
    print(sum(image.find(piece) >= 0 for piece in pieces))'; }

    """

  /// Makes `disk`, an ext4 in `image`, with a vault that has no other files than those of the usual space.
  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      small_ext4 40
      echo 'another password' > other
      """)
    return workspace
  }

  private func carved(_ workspace: Workspace, _ script: String) throws -> Int {
    let outcome = try workspace.shell("set -e\n" + Self.functions + script + "\ncarved")
    #expect(outcome.status == 0, "\(outcome)")
    return Int(outcome.output.split(separator: "\n").last ?? "") ?? -1
  }

  /// Before, everything that is there is found, so that what is not found later is not there.
  @Test func whatIsThereIsFound() throws {
    let workspace = try workspace()
    let count = try carved(workspace, "seen")
    let all = try workspace.shell("echo $(($(stat -c %s before) / 168))")
    #expect("\(count)\n" == all.output && count > 8)
  }

  @Test func slotsAndHeadsOfARemovedSpaceAreGone() throws {
    let workspace = try workspace()
    // All files that the space has when it is empty are slots and heads.
    let count = try carved(
      workspace,
      """
      mkdir kept; mv disk/Vault/segments kept/
      mkdir disk/Vault/segments; agonyfs space add --cover 0 --password-file other disk/Vault
      sync; seen
      agonyfs space remove --password-file other disk/Vault
      test -z "$(find disk/Vault/segments -type f)"
      """)
    #expect(count == 0)
  }

  @Test func theSlotOfAnOldPasswordIsGone() throws {
    let workspace = try workspace()
    let count = try carved(
      workspace,
      """
      find disk/Vault/segments -type f | sort > files
      sync; seen; cp -a disk/Vault all
      agonyfs password change --password-file password --new-password-file other disk/Vault
      find disk/Vault/segments -type f | sort > files-after
      python3 -c '
      files, after = set(open("files")), set(open("files-after"))
      gone = [name.strip().replace("disk/Vault", "all") for name in files - after]
      assert len(gone) == 2, gone
      with open("before", "wb") as out:
          for path in gone:
              data = open(path, "rb").read()
              for start in range(0, len(data), len(data) // 8):
                  out.write(data[start:start + 168])'
      """)
    #expect(count == 0)
  }

  @Test func allFilesOfASpaceAreGoneWithWipe() throws {
    let workspace = try workspace()
    let count = try carved(
      workspace,
      """
      mkdir kept; mv disk/Vault/segments kept/
      mkdir disk/Vault/segments; agonyfs space add --cover 0 --password-file other disk/Vault
      agonyfs mount --password-file other disk/Vault Albums
      head -c 9000000 /dev/urandom > Albums/photo
      agonyfs unmount Albums
      sync; seen
      agonyfs space remove --wipe --password-file other disk/Vault
      test -z "$(find disk/Vault/segments -type f)"
      """)
    #expect(count == 0)
  }

  @Test func allFilesUnderTheOldKeyAreGoneWithWipe() throws {
    let workspace = try workspace()
    let count = try carved(
      workspace,
      """
      mkdir kept; mv disk/Vault/segments kept/
      mkdir disk/Vault/segments; agonyfs space add --cover 0 --password-file other disk/Vault
      agonyfs mount --password-file other disk/Vault Albums
      head -c 7000000 /dev/urandom > Albums/photo
      agonyfs unmount Albums
      sync; seen
      echo 'the next password' > next
      agonyfs password change --rekey --wipe --password-file other --new-password-file next disk/Vault
      agonyfs check --read-data --password-file next disk/Vault
      """)
    #expect(count == 0)
  }
}
