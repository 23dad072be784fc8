import TestSupport
import Testing

/// What is left on a disk of slots, heads and files that were removed.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to mount disks"))
struct WipeTests {
  /// `seen` writes the bytes of all segment files of the vault to `before`; `carved` counts those of them that the file
  /// `image` still has, anywhere where a file can begin or go on. `named PASSWORD KINDS` does as `seen` with those files
  /// only that are slots, heads or other segments (`data`) of a space, as the reader of Tests/Reader tells.
  static func functions(file: String = #filePath) -> String {
    let tests = file.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    return """
      seen() { find disk/Vault/segments -type f | pieces; }
      pieces() { python3 -c '
      import sys
      with open("before", "wb") as out:
          for path in sys.stdin.read().split():
              data = open(path, "rb").read()
              for start in range(0, len(data), len(data) // 8):
                  out.write(data[start:start + 168])'; }
      named() { PYTHONPATH='\(tests)/Reader' /usr/bin/python3 -B -c '
      import sys
      from log import Log
      from primitives import argon2id, keyed
      from segments import Segment, Vault
      password = open(sys.argv[1], "rb").readline().removesuffix(b"\\n")
      vault, counts = Vault("disk/Vault"), dict.fromkeys(sys.argv[2:], 0)
      log, slots = Log(vault, password), set()
      for way in vault.derivations:
          derived = argon2id(password, bytes.fromhex(way["salt"]), way["operations"], way["memory"])
          slots |= {keyed(derived, context, count=16) for context in ("agonyfs slot id", "agonyfs second slot id")}
      for name in vault.listed():
          segment = Segment(vault, log.keys, name)
          kind = "slots" if name in slots else ("data" if segment.index else "heads") if segment.opens else None
          if kind in counts:
              counts[kind] += 1
              print(vault.file(name))
      assert all(counts.values()), counts' "$@" > names && pieces < names; }
      carved() { detach; python3 -c '
      import mmap
      file = open("image", "rb")
      image = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
      before = open("before", "rb").read()
      pieces = {before[at:at + 168] for at in range(0, len(before), 168)}
      assert pieces
      print(len(pieces & {image[at:at + 168] for at in range(0, len(image), 512)}))'; }

      """
  }

  /// Makes `disk`, an ext4 in `image`, with a vault that has no other files than those of the usual space.
  static func workspace(ownCover: String = "") throws -> Workspace {
    let workspace = try Workspace.withVault(ownCover: ownCover)
    try expectSuccess(
      workspace,
      """
      small_ext4 40
      echo 'another password' > other
      """)
    return workspace
  }

  static func carved(_ workspace: Workspace, _ script: String) throws -> Int {
    let outcome = try workspace.shell("set -e\n" + functions() + script + "\ncarved")
    #expect(outcome.status == 0, "\(outcome)")
    return Int(outcome.output.split(separator: "\n").last ?? "") ?? -1
  }

  /// Before, everything that is there is found, so that what is not found later is not there.
  @Test func whatIsThereIsFound() throws {
    let workspace = try Self.workspace()
    let count = try Self.carved(workspace, "seen")
    let all = try workspace.shell("echo $(($(stat -c %s before) / 168))")
    #expect("\(count)\n" == all.output && count > 8)
  }

  @Test func slotsAndHeadsOfARemovedSpaceAreGone() throws {
    // All files that the space has when it is empty are slots and heads.
    let count = try Self.carved(
      Self.workspace(),
      """
      mkdir kept; mv disk/Vault/segments kept/
      mkdir disk/Vault/segments; agonyfs space add --cover 0 --password-file other disk/Vault
      sync; seen
      agonyfs space remove --yes --password-file other disk/Vault
      test -z "$(find disk/Vault/segments -type f)"
      """)
    #expect(count == 0)
  }

  @Test func theSlotOfAnOldPasswordIsGone() throws {
    let count = try Self.carved(
      Self.workspace(),
      """
      find disk/Vault/segments -type f | sort > files
      sync; cp -a disk/Vault all
      agonyfs password change --password-file password --new-password-file other disk/Vault
      find disk/Vault/segments -type f | sort | comm -23 files - | sed 's:disk/Vault:all:' > gone
      test "$(wc -l < gone)" = 2
      pieces < gone
      """)
    #expect(count == 0)
  }

  @Test func allFilesOfASpaceAreGoneWithWipe() throws {
    let count = try Self.carved(
      Self.workspace(),
      """
      mkdir kept; mv disk/Vault/segments kept/
      mkdir disk/Vault/segments; agonyfs space add --cover 0 --password-file other disk/Vault
      agonyfs mount --password-file other disk/Vault Albums
      head -c 9000000 /dev/urandom > Albums/photo
      agonyfs unmount Albums
      sync; seen
      agonyfs space remove --wipe --yes --password-file other disk/Vault
      test -z "$(find disk/Vault/segments -type f)"
      """)
    #expect(count == 0)
  }

  @Test func allFilesUnderTheOldKeyAreGoneWithWipe() throws {
    let count = try Self.carved(
      Self.workspace(),
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
