import Glibc
import TestSupport
import Testing

/// `agonyfs sync` to a bucket of a Ceph with two gateways: what comes back from the bucket, and what is left in it.
@Suite(.enabled(if: unsafe getenv("AGONYFS_TEST_CEPH") != nil, "needs scripts/test --engine ceph"))
struct EngineSyncTests {
  /// `bucket` prints the name, the size, the checksum and the time of each object at `$to`. `same_names VAULT` compares
  /// the names of a vault's files with those of the objects.
  private static let functions =
    CopyScript.gateways + #"""
      bucket() {
        radosgw-admin -c "$AGONYFS_TEST_CEPH" bucket list --bucket=photos --max-entries=1000000 > objects
        python3 -c 'import json, sys; [
          print(one["name"][len(sys.argv[1]):], one["meta"]) for one in json.load(open("objects"))
          if one["name"].startswith(sys.argv[1])]' "$(basename "$W")/" | sort
      }
      names() { (cd $1 && find segments -type f | sort); }
      same_names() {
        names $1 > wanted
        bucket | sed -n 's/^\(segments[^ ]*\) .*/\1/p' | sort | cmp - wanted
      }

      """#

  /// Photos come and go, and two programs write at the same time. Every run goes through another gateway than the one
  /// before, and so does every copy back.
  @Test func whatWasSyncedBeforeASyncComesBackFromTheBucket() throws {
    try expectSuccess(
      """
      \(Self.functions)
      agonyfs mount --password-file password Vault Albums
      mkdir Albums/photos
      # Writes and syncs photos, by the first and the last number.
      take() {
        for n in $(seq $1 $2); do head -c 1300000 /dev/urandom > Albums/photos/$n; done
        sync Albums/photos/* Albums/photos Albums
        (cd Albums && sha256sum photos/*) > taken
      }
      # Expects that the bucket gives back what was synced before the last run.
      returns() {
        mount_back $1 $2
        (cd Copied && sha256sum --quiet -c ../taken && ls photos) > listed
        (cd Albums && ls photos) | cmp - listed
        agonyfs unmount Copied
      }
      take 1 12
      start
      promised 35
      update $first Vault $to
      returns $second Back1
      rm Albums/photos/[1-8]
      take 13 16
      promised $(($(cat promised1 promised2 | wc -l) + 35))
      update $second Vault $to
      returns $first Back2
      touch stop
      finish
      agonyfs unmount --give-back Albums
      # The space has deleted files of the vault that the bucket has.
      names Back2 > sent
      names Vault | comm -23 sent - > gone
      test -s gone
      update $first Vault $to > said
      grep -q ", deleted $(wc -l < gone)\\. Everything synced before" said
      wait_for 100 'the bucket has the names of the vault' same_names Vault
      copy $second --verify Vault $to | grep -q '^All [0-9]* files are the same\\.$'
      copy $second $to Back3
      same Vault Back3
      agonyfs mount --password-file password Back3 Copied
      verify Copied
      (cd Copied && sha256sum --quiet -c ../taken)
      echo more > Copied/more
      agonyfs unmount Copied
      agonyfs check --read-data --password-file password Back3
      """)
  }

  /// No object is written, replaced or deleted, not even by the same bytes.
  @Test func anOlderVaultChangesNothingInTheBucket() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      update $first Vault $to
      cp -a Vault Older
      write two 3000000
      update $second Vault $to
      wait_for 100 'the bucket has the names of the vault' same_names Vault
      bucket > before
      grep -q '^synced ' before
      for gateway in $first $second; do
        says 1 'run once with --delete-newer' update $gateway Older $to
        says 1 'run once with --delete-newer' update $gateway --dry-run Older $to
        says 1 'run once with --delete-newer' update $gateway --watch Older $to
      done
      bucket > after
      cmp before after
      copy $first --verify Vault $to | grep -q '^All [0-9]* files are the same\\.$'
      copy $first $to Back
      same Vault Back
      opens Back
      """)
  }

  /// Runs that disturb each other may fail; then they say so, and the others complete the copy.
  @Test func manyRunsAtOnceLeaveTheVault() throws {
    let count = TestLength.count(16, few: 4, name: "runs at once")
    try expectSuccess(
      """
      \(Self.functions)
      at_once() {
        processes=
        for n in $(seq \(count)); do
          if [ $((n % 2)) = 0 ]; then endpoint=$first; else endpoint=$second; fi
          "$AGONYFS" sync --jobs 2 --endpoint $endpoint Vault $to > run$n 2>&1 &
          processes="$processes $!"
        done
        n=0 succeeded=0
        for process in $processes; do
          n=$((n + 1)) ended=0
          wait $process || ended=$?
          case $ended in
          0) succeeded=$((succeeded + 1)) ;;
          # The place is not empty, it is in use, or another run changed what this one probed the bucket with.
          1 | 11 | 15 | 20) grep '\\.$' run$n >&2 ;;
          *) cat run$n >&2; return 1 ;;
          esac
        done
        test $succeeded -gt 0
        wait_for 100 'the bucket has the names of the vault' same_names Vault
        copy $first --verify Vault $to | grep -q '^All [0-9]* files are the same\\.$'
      }
      write one 8000000
      at_once
      copy $second $to Back1
      same Vault Back1
      agonyfs mount --password-file password Vault Albums
      rm Albums/one
      head -c 3000000 /dev/urandom > Albums/two
      sha256sum Albums/* > written
      names Vault > before
      agonyfs unmount --give-back Albums
      names Vault | comm -23 before - > gone
      test -s gone
      at_once
      update $second Vault $to | grep -q '^Sent 0 files (0 bytes), deleted 0\\.'
      copy $first $to Back2
      same Vault Back2
      opens Back2
      """)
  }
}
