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

  /// A third client dies in the middle of its work, as with its machine. The metadata server keeps its locks until it
  /// drops its session: after a time without a sign of life, or at once when an administrator evicts it.
  @Test(arguments: [true, false]) func whatADeadMachineHeldIsTakenOver(isEvicted: Bool) throws {
    try expect(
      """
      \(CrashLoad.functions + Self.thirdClient)
      work_on_third
      # First the client: the kernel would release the locks of a mount that dies before it.
      kill -9 $third
      wait $third || true
      third=
      murder
      umount -l "$W/Third"
      if \(isEvicted); then
        # The first attempt begins before that.
        (sleep 5; admin tell mds.a client evict id=$number) & evicting=$!
      fi
      take_over
      if \(isEvicted); then wait $evicting; fi
      # While there was a session, the space was not opened.
      number=$(session)
      test -z "$number"
      verify Second
      echo more > Second/more
      agonyfs unmount Second
      agonyfs check --read-data --password-file password "$there/Vault"
      open "$here/Vault" Albums
      verify
      test "$(cat Albums/more)" = more
      agonyfs unmount Albums
      """)
  }

  /// A third client hangs, as with a machine that sleeps. When it goes on, the space is open elsewhere, and the servers
  /// take nothing from it any more.
  @Test func aMachineThatHungWritesNothingAfterItWasEvicted() throws {
    try expect(
      """
      \(CrashLoad.functions + Self.thirdClient)
      work_on_third
      kill -STOP $third
      admin tell mds.a client evict id=$number
      take_over
      verify Second
      echo more > Second/more
      sync Second/more
      kill -CONT $third
      # The writers end by themselves, because their files can no longer be synced.
      finish
      not timeout -k 5 100 sh -c 'echo late > Albums/late && sync Albums/late'
      verify Second
      murder
      kill -9 $third
      wait $third || true
      third=
      umount -l "$W/Third"
      agonyfs unmount Second
      agonyfs check --read-data --password-file password "$there/Vault"
      open "$here/Vault" Albums
      verify
      test "$(cat Albums/more)" = more
      not test -e Albums/late
      agonyfs unmount Albums
      """)
  }

  /// `work_on_third` mounts the file system at `Third` by another client, the process `$third` with the session `$number`,
  /// and the vault there at `Albums`, where writers work from then on. `session` prints the number of that session, if
  /// there is one. `take_over` mounts the vault by the second client; until that works it must be said to be in use, or
  /// wait. What the test began ends with it, also after a failure.
  private static let thirdClient = """
    admin() { timeout -k 5 120 ceph -c "$AGONYFS_TEST_CEPH" "$@"; }
    session() {
      admin tell mds.a client ls > sessions && python3 -c 'import json, sys; print(*[
        one["id"] for one in json.load(open("sessions")) if sys.argv[1] in str(one["client_metadata"])
      ])' "$(basename "$W")/Third"
    }
    third=
    tidy() {
      set +e
      for place in Albums Second; do timeout -k 5 100 "$AGONYFS" unmount $place; done
      test -z "$third" || kill -9 $third
      umount -l "$W/Third"
      number=$(session)
      test -z "$number" || admin tell mds.a client evict id=$number
      rm -rf "$here"
    }
    trap 'test $? = 0 || tidy' EXIT
    work_on_third() {
      mkdir Third
      ceph-fuse -c "$AGONYFS_TEST_CEPH" -f -n client.admin "--log-file=$W/third.log" "$W/Third" > third.output 2>&1 &
      third=$!
      wait_for 300 'the third client has mounted the file system' mountpoint -q Third
      open Third/$(basename "$W")/Vault Albums
      start
      promised 40
      number=$(session)
      test -n "$number"
    }
    take_over() {
      latest=$(($(date +%s) + 600))
      while :; do
        ended=0
        timeout -k 5 400 "$AGONYFS" mount --thumbnails none --password-file password "$there/Vault" Second 2> refusal ||
          ended=$?
        if [ $ended = 0 ]; then return; fi
        cat refusal >&2
        test $ended = 15
        grep -q 'on another machine' refusal
        test $(date +%s) -lt $latest
        sleep 1
      done
    }

    """
}
