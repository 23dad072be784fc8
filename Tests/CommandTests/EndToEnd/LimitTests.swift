import Testing

@testable import agonyfs

/// Few descriptors, long names, deep trees, huge files.
@Suite struct LimitTests {
  @Test func fewDescriptorsAreEnough() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      head -c 100000000 /dev/urandom > large
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      cp large Albums/
      for n in $(seq 100); do echo $n > Albums/$n; done
      sync -f Albums
      agonyfs unmount Albums
      (ulimit -n 64; agonyfs mount --password-file password Vault Albums)
      cmp large Albums/large
      test "$(cat Albums/100)" = 100
      # In other places at once.
      for n in 1 2 3 4 5 6; do tail -c ${n}0000000 Albums/large | cmp - large -i 0:$((100000000 - n * 10000000)) & done
      wait
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test func longNamesDeepTreesAndHugeFiles() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      name=$(head -c 255 /dev/zero | tr '\\0' '\\377')
      echo bytes > "Albums/$name"
      test "$(cat "Albums/$name")" = bytes
      ! touch "Albums/${name}x" 2> error
      grep -q 'File name too long' error
      truncate -s 100G Albums/sparse
      printf end | dd of=Albums/sparse bs=1 seek=107374182397 conv=notrunc
      test "$(tail -c 3 Albums/sparse)" = end
      test "$(stat -c %s Albums/sparse)" = 107374182400
      test "$(du -k Albums/sparse | cut -f 1)" -lt 100
      (
        cd Albums
        depth=0
        while [ $depth -lt 2000 ]; do mkdir d; cd -P d; depth=$((depth + 1)); done
        echo deep > file
      )
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      test "$(find Albums -type d | wc -l)" = 2001
      rm -r Albums/d
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }
}
