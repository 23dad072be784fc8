import TestSupport
import Testing

/// What a vault shows to somebody without a password.
@Suite struct VaultBytesTests {
  /// A vault with this many spaces. Each holds text, which is far from random.
  private func vault(spaces: Int) throws -> Workspace {
    let workspace = try Workspace.withVault()
    for number in 1...spaces {
      try expectSuccess(
        workspace,
        """
        if [ \(number) = 1 ]; then cp password password1; else
          echo 'password of space number \(number)' > password\(number)
          agonyfs space add --cover 0 --password-file password\(number) Vault
        fi
        agonyfs mount --password-file password\(number) Vault Albums
        seq 1 500000 > Albums/numbers
        head -c 2000000 /dev/zero > Albums/zeros
        for i in $(seq 1 50); do echo 'the same text in every file' > "Albums/photograph$i"; done
        agonyfs unmount Albums
        """)
    }
    return workspace
  }

  @Test(arguments: TestLength.drawn([1, 2, 3], 2))
  func everyFileIsEqualAndRandom(_ spaces: Int) throws {
    let workspace = try vault(spaces: spaces)
    try expectSuccess(
      workspace,
      """
      test "$(find Vault/segments -type f -printf '%s %T@ %m %U\\n' | sort -u | wc -l)" = 1
      test -z "$(find Vault/segments -type f ! -size 1048576c)"
      find Vault/segments -type f | grep -vE '/([0-9a-f]{2})/\\1[0-9a-f]{30}$' | wc -l | grep -qx 0
      find Vault/segments -type f -exec cat {} + > all
      # Compressing makes it longer.
      test "$(gzip -9 -c all | wc -c)" -gt "$(stat -c %s all)"
      """)
    let files = try workspace.shell("find Vault/segments -type f").output.split(separator: "\n").map(String.init)
    #expect(files.count >= 4 + 2 * spaces)
    let some = TestLength.sample(files, 8, name: "\(spaces)").joined(separator: " ")
    try expectSuccess(workspace, "python3 - \(some) all << 'END'\n\(Self.looksRandom)\nEND")
  }

  /// Asked of some files, and of one that holds all of them.
  private static let looksRandom = """
    import collections, sys
    for name in sys.argv[1:]:
        with open(name, "rb") as file:
            data = file.read()
        blocks = collections.Counter(data[start:start + 64] for start in range(0, len(data), 64))
        assert max(blocks.values()) == 1, "a block of 64 bytes occurs twice in " + name
        # 255 degrees of freedom: mean 255, deviation 22.6. Seven deviations are exceeded once in 10^11 by chance.
        counts, expected = collections.Counter(data), len(data) / 256
        square = sum((counts[byte] - expected) ** 2 / expected for byte in range(256))
        assert abs(square - 255) < 7 * 22.6, (name, square)
    """
}
