import Glibc
import System
import TestSupport
import Testing

@testable import agonyfs

/// What a vault shows to somebody without a password.
@Suite struct VaultBytesTests {
  /// A vault with this many spaces. Each holds text, which is far from random.
  private func vault(spaces: Int) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.makeVault()
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

  @Test(arguments: TestLength.sample([1, 2, 3], 2))
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
      # No block of 64 bytes occurs twice.
      test -z "$(od -An -v -tx1 -w64 all | sort | uniq -d | head -n 1)"
      """)
    let files = try workspace.shell("find Vault/segments -type f").output.split(separator: "\n")
    #expect(files.count >= 4 + 2 * spaces)
    // 255 degrees of freedom: mean 255, deviation 22.6. Seven deviations are exceeded once in 10^11 by chance.
    for file in TestLength.sample(files, 8, name: "\(spaces)") {
      #expect(abs(try chiSquare(of: workspace.at(String(file))) - 255) < 7 * 22.6, "\(file)")
    }
    #expect(abs(try chiSquare(of: workspace.at("all")) - 255) < 7 * 22.6)
  }

  /// How far the frequencies of bytes in a file are from equal.
  private func chiSquare(of path: String) throws -> Double {
    let file = try Descriptor.open(path, O_RDONLY)
    var counts = [Double](repeating: 0, count: 256)
    var total = 0.0
    while true {
      let block = try file.readSome(most: 1 << 20)
      if block.isEmpty { break }
      for byte in block { counts[Int(byte)] += 1 }
      total += Double(block.count)
    }
    let expected = total / 256
    return counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
  }
}
