import TestSupport
import Testing

@testable import agonyfs

/// `agonyfs refresh`: without a password, and every space is as before.
@Suite struct CommandRefreshTests {
  private static let ext4 = CrashLoad.canMount("ext4")
  private static let xfs = CrashLoad.canMount("xfs")
  private static let btrfs = CrashLoad.canMount("btrfs")

  /// `sums VAULT` lists what its files hold, `inodes VAULT` the inodes of files and folders. `constant VAULT` looks at
  /// modification times.
  private static let functions = """
    sums() { (cd $1 && find segments agonyfs.json -type f | sort | xargs sha256sum); }
    inodes() { (cd $1 && find segments agonyfs.json -printf '%i %p\\n' | sort); }
    constant() { test "$(find $1 -printf '%T@\\n' | sort -u)" = 946684800.0000000000; }
    # Two spaces; the second is written before and after the first.
    fill() {
      echo 'another long password' > other
      agonyfs space add --cover 0 --password-file other $1
      for n in 1 2; do
        agonyfs mount --password-file other $1 Albums
        seq 1 ${n}00000 > Albums/hidden$n
        agonyfs unmount Albums
        agonyfs mount --password-file password $1 Albums
        seq 1 ${n}50000 > Albums/open$n
        rm -f Albums/open1
        agonyfs unmount Albums
      done
    }
    # Both spaces are as `fill` left them, and can be written.
    compare() {
      for p in other password; do
        agonyfs check --read-data --password-file $p $1
        agonyfs mount --password-file $p $1 Albums
        case $p in
        other) for n in 1 2; do seq 1 ${n}00000 | cmp - Albums/hidden$n; done ;;
        *) seq 1 250000 | cmp - Albums/open2 ;;
        esac
        echo written > Albums/new
        agonyfs unmount Albums
      done
    }

    """

  /// Files that are written later have the owner and mode of the vault, and what folders hand down: what was changed for a
  /// part says which these are.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to give files away"))
  func allFilesHaveOneOwnerAndMode() throws {
    try expectSuccess(
      Workspace.withVault(),
      """
      uniform() {
        test "$(find Vault/segments Vault/agonyfs.json -type f -printf '%u %g %m\\n' | sort -u | wc -l)" = 1 &&
          test "$(find Vault/segments -type d -printf '%u %g %m\\n' | sort -u | wc -l)" = 1 &&
          test -z "$(getfacl -R -s -p Vault/segments Vault/agonyfs.json)"
      }
      write() {
        agonyfs mount --password-file password Vault Albums
        head -c 3M /dev/urandom > Albums/$1
        sha256sum Albums/* > sums
        agonyfs unmount Albums
      }
      write one
      uniform
      chmod g+r $(find Vault/segments -type f | head -n 2)
      chmod g+rx Vault/segments/07
      chown 65534 Vault/segments/08 $(find Vault/segments -type f | tail -n 1)
      find Vault -type d -exec setfacl -d -m u:4321:rx {} +
      write two
      not uniform
      agonyfs refresh Vault
      uniform
      write three
      uniform
      # What holds for all stays.
      chmod -R g+rX Vault
      agonyfs refresh Vault
      uniform
      test "$(stat -c %a Vault/agonyfs.json Vault/segments | tr '\\n' ' ')" = '640 750 '
      agonyfs mount -o ro --password-file password Vault Albums
      sha256sum --quiet -c sums
      agonyfs unmount Albums
      """)
  }

  /// A user can give nobody's files to somebody else, nor can root without that right: nothing is changed, and what is in
  /// the way is named. What is left of a root that was killed before it gave its directory away is no obstacle.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to become somebody else"))
  func whoCannotGiveFilesAwayIsToldSo() throws {
    try expectSuccess(
      Workspace.withVault(),
      """
      cp "$AGONYFS" program
      chmod 755 . program
      chown -R 65534:65534 Vault
      chown -R 65534:1234 Vault/segments
      user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
      find Vault -printf '%i %p %u %g %m\\n' | sort > before
      says 1 'owner and group of segments' user ./program refresh Vault
      find Vault -printf '%i %p %u %g %m\\n' | sort | cmp before -
      says 1 'owner and group of segments' setpriv --bounding-set=-chown --inh-caps=-chown ./program refresh Vault
      find Vault -printf '%i %p %u %g %m\\n' | sort | cmp before -
      mkdir -m 700 Vault/refreshing Vault/refreshing/3b
      touch Vault/refreshing/3b/photo
      says 1 'refreshing belongs to root.*chown -R 65534:1234' agonyfs refresh Vault
      chown 65534:1234 Vault/refreshing
      says 1 'refreshing/3b belongs to root' agonyfs refresh Vault
      rm Vault/refreshing/3b/photo
      agonyfs refresh Vault
      test "$(find Vault/segments Vault/agonyfs.json -printf '%u:%g\\n' | sort -u | wc -l)" = 1
      """)
  }

  /// `hold VAULT FILES` starts a refresh and stops it when so many files are in the second tree; `$refresh` is its process.
  /// False if it has ended before.
  private static let hold = #"""
    count() { find $1 -type f 2> /dev/null | wc -l; }
    # In $state; Z or nothing at its end.
    look() { read -r number name state rest 2> /dev/null < /proc/$refresh/stat || state=; }
    hold() {
      # A shell has its background processes ignore SIGINT.
      env --default-signal=INT "$AGONYFS" refresh $1 2> said &
      refresh=$!
      set +x
      # It goes on only while this shell counts, the further the more files remain, so it does not get far in between.
      tries=0
      while kill -STOP $refresh 2> /dev/null; do
        # While it waits for the disk it does not stop.
        looks=0
        until look; [ "$state" = T ]; do
          case "$state" in Z | '') set -x; return 1 ;; esac
          looks=$((looks + 1)); [ $looks -lt 1000 ] || sleep 0.01
        done
        more=$(($2 - $(count $1/refreshing)))
        if [ $more -le 0 ] && [ -e $1/refreshing ]; then set -x; return; fi
        kill -CONT $refresh
        while [ $more -gt 0 ]; do more=$((more - 1)); done
        tries=$((tries + 1)); test $tries -lt 60000 || { echo 'no file is renewed' >&2; exit 1; }
      done
      set -x
      return 1
    }

    """#

  @Test func everySpaceIsAsBefore() throws {
    try expectSuccess(
      """
      \(Self.functions)
      fill Vault
      sums Vault > before
      inodes Vault > old
      "$AGONYFS" refresh Vault > said 2>&1
      test ! -s said
      sums Vault | cmp - before
      inodes Vault > new
      test -z "$(sort old new | uniq -d)"
      constant Vault
      test "$(ls -A Vault)" = "$(printf 'agonyfs.json\\nsegments')"
      compare Vault
      agonyfs refresh Vault
      compare Vault
      """)
  }

  @Test func whileSomethingIsMountedItIsRefused() throws {
    let workspace = try Workspace.withVault()
    #expect(try workspace.mount().status == 0)
    let before = try workspace.shell(Self.functions + "inodes Vault").output
    expectFailure(try workspace.agonyfs("refresh", workspace.at("Vault")), .spaceInUse, "unmount")
    #expect(try workspace.shell(Self.functions + "inodes Vault").output == before)
    #expect(try workspace.unmount().status == 0)
    #expect(try workspace.agonyfs("refresh", workspace.at("Vault")).status == 0)
    expectFailure(try workspace.agonyfs("refresh", workspace.at("absent")), .noVault)
  }

  /// A backup that was cut off is refused as it is; copied once more, it is refreshed, and every space is there.
  @Test func aCopyThatWasCutOffIsRefused() throws {
    try expectSuccess(
      """
      \(Self.functions)
      fill Vault
      cp -a Vault Copy
      # One file that only the other password explains.
      agonyfs space remove --yes --password-file other Copy
      (cd Copy && find segments -type f) | sort > left
      (cd Vault && find segments -type f) | sort | comm -23 - left > others
      test "$(wc -l < others)" -gt 2
      rm -r Copy
      cp -a Vault Copy
      short=$(tail -n 1 others)
      truncate -s 100000 Copy/$short
      touch -d 2020-01-01 Copy/$short
      inodes Copy > old
      sums Copy > before
      says 1 '1 file in .* is shorter' agonyfs refresh Copy
      grep -q -- '--complete' err
      inodes Copy | cmp - old
      sums Copy | cmp - before
      # A mount of another space leaves it alone as well.
      agonyfs mount --password-file password Copy Albums
      sleep 1
      agonyfs unmount Albums
      test "$(stat -c %s Copy/$short)" = 100000
      rsync -a Vault/ Copy/
      agonyfs refresh Copy
      compare Copy
      """)
  }

  /// What was synced is there; the refreshed vault is a copy to its owner, and lacks nothing.
  @Test(arguments: ["", "40M"]) func afterACrashNothingThatWasSyncedIsLost(ownCover: String) throws {
    let rounds = TestLength.count(2, few: 1, name: "\(ownCover)")
    try expectSuccess(
      """
      \(CrashLoad.functions)
      number=$(files Vault)
      for round in $(seq \(rounds)); do
        agonyfs mount --password-file password Vault Albums
        start
        promised $((60 * round))
        murder
        gives 1 agonyfs refresh Vault
        agonyfs refresh --complete Vault 2> said
        grep -Eq '^agonyfs: [0-9]+ files? that (was|were) shorter than the others (was|were) completed or deleted' said
        test -z "$(find Vault/segments -type f -size -$(stat -c %s $(find Vault/segments -type f | head -n 1))c)"
        agonyfs mount --password-file password Vault Albums
        verify
        echo more > Albums/more
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        if \(!ownCover.isEmpty); then test "$(files Vault)" = $number; fi
      done
      """, ownCover: ownCover)
  }

  /// It is killed at any point, ten times at the most; after each, the vault is used.
  @Test func aKilledOneLeavesAVaultThatCanBeUsed() throws {
    let places = TestLength.sample([0, 1, 8, 16, 25, 37, 50, 60, 75, 92], 2)
    try expectSuccess(
      """
      \(Self.functions + Self.hold)
      fill Vault
      sums Vault > before
      killed=0
      files=$(count Vault/segments)
      for percent in \(places.map(String.init).joined(separator: " ")); do
        if hold Vault $((files * percent / 100)); then
          kill -KILL $refresh
          killed=$((killed + 1))
        fi
        wait $refresh || test $? = 137
        sums Vault | cmp - before
        agonyfs info --password-file password Vault
        agonyfs check --password-file other Vault
      done
      test $killed -ge \(max(1, places.count * 3 / 10))
      ls Vault
      agonyfs mount --password-file password Vault Albums
      seq 1 250000 | cmp - Albums/open2
      echo written > Albums/between
      agonyfs unmount Albums
      sums Vault > before
      agonyfs refresh Vault
      sums Vault | cmp - before
      test "$(ls -A Vault)" = "$(printf 'agonyfs.json\\nsegments')"
      compare Vault
      """)
  }

  /// It comes while some files are done, and many are not.
  @Test(arguments: TestLength.drawn([("INT", 130), ("TERM", 143), ("HUP", 129)], 1))
  func asASignalAsksItEndsAfterAFile(_ signal: String, status: Int) throws {
    try expectSuccess(
      Workspace.withVault("--segment-size 1M --cover 60M"),
      """
      \(Self.functions + Self.hold)
      sums Vault > before
      rounds=0
      until hold Vault 3 && [ $(count Vault/refreshing) -lt 40 ]; do
        # It was faster than this shell.
        kill -CONT $refresh 2> /dev/null || true
        wait $refresh
        rounds=$((rounds + 1))
        test $rounds -lt 20
      done
      kill -\(signal) $refresh
      kill -CONT $refresh
      ended=0
      wait $refresh || ended=$?
      test $ended = \(status)
      grep -q 'Interrupted' said
      test "$(ls -A Vault)" = "$(printf 'agonyfs.json\\nsegments')"
      sums Vault | cmp - before
      agonyfs check --password-file password Vault
      agonyfs refresh Vault
      sums Vault | cmp - before
      test ! -e Vault/refreshing
      """)
  }

  /// A backup that was filled twice is two looks in one; a refreshed one is one.
  @Test func aBackupIsRefreshedToo() throws {
    try expectSuccess(
      """
      \(Self.functions)
      fill Vault
      rsync -a --delete Vault/ Copy/
      agonyfs mount --password-file password Vault Albums
      seq 1 100000 > Albums/later
      agonyfs unmount Albums
      rsync -a --delete Vault/ Copy/
      agonyfs refresh Copy
      sums Copy > copied
      sums Vault | cmp - copied
      constant Copy
      compare Copy
      """)
  }

  private func refresh(on kind: String) throws {
    try expectSuccess(
      """
      \(Self.functions)
      fill Vault
      make_disk 400M \(kind)
      cp -a Vault disk/
      sums Vault > before
      sleep 1
      start=$(date +%s)
      agonyfs refresh disk/Vault
      sums disk/Vault | cmp - before
      # Everything is new, and folders are in no order.
      find disk/Vault/segments -type d -name '??' -printf '%i %f\\n' | sort -n | cut -d ' ' -f 2 > order
      test "$(wc -l < order)" = 256
      not sort -c order 2> unordered
      test "$(find disk/Vault/segments/* disk/Vault/agonyfs.json -exec stat -c %W {} + | sort -n | head -n 1)" -ge $start
      constant disk/Vault
      compare disk/Vault
      # Without room for one file nothing is changed.
      inodes disk/Vault > old
      not dd if=/dev/zero of=disk/filler bs=1M
      sync -f disk
      says 17 'free room' agonyfs refresh disk/Vault
      inodes disk/Vault | cmp - old
      rm disk/filler
      # btrfs gives the room when it has come to it.
      until test $(($(stat -f -c '%a * %S' disk))) -gt 100000000; do sync -f disk; sleep 0.1; done
      agonyfs refresh disk/Vault
      umount disk
      """)
  }

  @Test(.enabled(if: ext4, "needs root, loop devices and ext4")) func onExt4() throws { try refresh(on: "ext4") }

  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs")) func onXFS() throws { try refresh(on: "xfs") }

  @Test(.enabled(if: btrfs, "needs root, loop devices, btrfs and btrfs-progs"))
  func onBtrfs() throws { try refresh(on: "btrfs") }
}
