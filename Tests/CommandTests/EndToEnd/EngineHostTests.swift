import Glibc
import TestSupport
import Testing

/// A vault on a CephFS that two clients have mounted, as two machines would.
@Suite(.enabled(if: unsafe getenv("AGONYFS_TEST_CEPHFS") != nil, "needs scripts/test --engine ceph"))
struct EngineHostTests {
  /// `$here` is a directory for the test by the first client, and `$there` the same directory by the second one.
  /// `open VAULT PLACE` mounts. `murder_it PLACE` kills the process that serves it, and takes the mount away.
  private static let start = """
    here=${AGONYFS_TEST_CEPHFS%%:*}/$(basename "$W")
    there=${AGONYFS_TEST_CEPHFS#*:}/$(basename "$W")
    mkdir "$here" Albums Second
    echo 'the password of a space' > password
    # What hangs must not hold up the other tests.
    open() { timeout -k 5 120 "$AGONYFS" mount --thumbnails none --password-file password "$@"; }
    murder_it() {
      killed=$(pgrep -f "^agonyfs mount .*$W/$1")
      kill -9 $killed
      gone $killed
      agonyfs unmount $1
    }
    agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password "$here/Vault"

    """

  private func expect(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectSuccess(
      Workspace(), Self.start + script + "\nrm -r \"$here\"\n", sourceLocation: sourceLocation)
  }

  @Test func aKilledMountLosesNothingThatWasSynced() throws {
    try expect(
      """
      open "$here/Vault" Albums
      for n in $(seq 40); do
        head -c ${n}0001 /dev/urandom > photo
        dd if=photo of=Albums/$n bs=64k conv=fsync
        sha256sum < photo > sum$n
      done
      all_there() { for n in $(seq 40); do sha256sum < $1/$n | cmp - sum$n || return 1; done; }
      murder_it Albums
      open "$here/Vault" Albums
      all_there Albums
      echo more > Albums/more
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password "$here/Vault"
      agonyfs refresh "$here/Vault"
      agonyfs check --read-data --password-file password "$here/Vault"
      # The other machine sees the same.
      agonyfs check --read-data --password-file password "$there/Vault"
      open "$there/Vault" Albums
      all_there Albums
      test "$(cat Albums/more)" = more
      agonyfs unmount Albums
      """)
  }

  @Test func aSpaceIsInUseOnOneMachineAtATime() throws {
    try expect(
      """
      open "$here/Vault" Albums
      head -c 3000000 /dev/urandom > Albums/first
      (while :; do head -c 500000 /dev/urandom > Albums/other; sync Albums/other; done) 2> /dev/null & writing=$!
      for options in '' '' '' '-o ro'; do says 15 'on another machine' open $options "$there/Vault" Second; done
      kill $writing
      wait $writing || true
      echo second > Albums/file
      sync Albums/file
      murder_it Albums
      open "$there/Vault" Second
      test "$(cat Second/file)" = second
      echo third > Second/file
      says 15 'on another machine' open "$here/Vault" Albums
      agonyfs unmount Second
      open "$here/Vault" Albums
      test "$(cat Albums/file)" = third
      agonyfs unmount Albums
      """)
  }
}
