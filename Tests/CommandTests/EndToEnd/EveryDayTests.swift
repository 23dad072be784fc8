import TestSupport
import Testing

/// A day's work: files are made, edited, moved, deleted and looked at at random through a real mount, which is killed
/// and comes back.
@Suite struct EveryDayTests {
  /// `gallery SEED` copies photos into albums, moves and deletes them, and opens their thumbnails; `photos` looks at
  /// all that are whole, and must find the thumbnails of them; `size` says what the daemon has: KiB of memory,
  /// descriptors of files of the vault, of such that are deleted (which are among them), and others.
  private static let functions =
    CrashLoad.functions + #"""
      photo() { vips gaussnoise photo$1.jpg $2 $3 --seed $1; }
      albums=Albums/gallery
      gallery() {
        i=$1
        while ! [ -e stop ]; do
          i=$((i * 1103515245 % 2147483648 + 12345))
          here=$albums/$((i / 7 % 4)) there=$albums/$((i / 31 % 4)) name=$((i / 127 % 30)).jpg
          mkdir -p $here $there || return
          cp photo$((i / 1009 % 3)).jpg $here/$name || return
          case $((i / 13 % 4)) in
          0) mv $here/$name $there/other$name || return ;;
          1) cat Albums/.agonyfs/thumbnails/256/${here#Albums/}/$name ;;
          2) rm -f $there/$name || return ;;
          3) mv $there $albums/moved && mv $albums/moved $there || return ;;
          esac
        done
      }
      work() { start; (flock -s 9; gallery $1) 9> writers > /dev/null 2>&1 & }
      photos() {
        agonyfs thumbnails Albums
        set +x
        whole=0
        for file in $albums/*/*.jpg; do
          for n in 0 1 2; do
            cmp -s $file photo$n.jpg || continue
            whole=$((whole + 1))
            cmp Albums/.agonyfs/thumbnails/256/${file#Albums/} small$n.jpg || return 1
          done
        done
        set -x
        echo "checked: $whole thumbnails"
        test $whole -ge $1
      }
      has_photos() { test "$(find $albums -name '*.jpg' 2> /dev/null | wc -l)" -ge 5; }
      pause() { touch stop; finish; rm stop; sync -f Albums; }
      size() {
        daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
        memory=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$daemon/status)
        # A process that guards its memory shows its descriptors to root only. One may be closed while they are listed.
        [ -r /proc/$daemon/fd ] || return 0
        ls -l /proc/$daemon/fd > descriptors 2> /dev/null || true
        files=$(grep -c /segments/ descriptors || true)
        deleted=$(grep /segments/ descriptors | grep -c ' (deleted)$' || true)
        others=$(($(grep -c ' -> ' descriptors) - files))
      }

      """#

  @Test func aDayOfWorkWithKillsLosesNothingAndStaysSmall() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      Self.functions + """
        photo 0 640 480
        photo 1 300 600
        photo 2 512 512
        agonyfs mount --password-file password Vault Albums
        mkdir -p Albums/gallery
        cp photo?.jpg Albums/
        agonyfs thumbnails Albums
        for n in 0 1 2; do cp Albums/.agonyfs/thumbnails/256/photo$n.jpg small$n.jpg; done
        not cmp -s small0.jpg small2.jpg
        agonyfs unmount Albums
        """)
    var kills = CaseCount("kills in a day of work")
    for seed in TestLength.seeds(2, few: 1) {
      try expectSuccess(
        workspace,
        Self.functions + """
          agonyfs mount --password-file password Vault Albums
          work \(seed)
          promised \(60 + seed * 37 % 60)
          murder
          agonyfs mount --password-file password Vault Albums
          verify
          photos 0
          rm -r Albums/load? manifest?
          agonyfs unmount Albums
          agonyfs check --read-data --password-file password Vault
          """)
      kills.add()
    }
    #expect(kills.count > 0)
    let rounds = TestLength.isLong ? 40 : 2
    try expectSuccess(
      workspace,
      Self.functions + """
        # A third of the descriptors holds files of the vault that may be read again. It takes a round or two to fill them.
        (ulimit -n 120; agonyfs mount --password-file password Vault Albums)
        files=0 deleted=0 others=0
        size
        others0=$others
        has_few() {
          size
          # Beside the third: the file that is being written, the two newest heads, and one in the hands of the cleaner.
          # Of the others two lead to the decoder.
          test $files -le 44 && test $deleted -le 4 && test $others -le $((others0 + 2))
        }
        # The first round fills what is kept in memory.
        for round in $(seq 0 \(rounds)); do
          work 4$round
          promised 80
          wait_for 600 'photos' has_photos
          pause
          verify
          photos 1
          rm -r Albums/load? manifest?
          sync -f Albums
          # What is still at work may have a few more for a while.
          wait_for 600 'few descriptors' has_few
          echo "after round $round: $memory KiB, $files files of which $deleted are deleted, $others other descriptors"
          if [ $round = 0 ]; then memory0=$memory; fi
        done
        test $memory -lt $((memory0 + 16384))
        # They were filled, so the bound was met.
        test $files -ge 30 || test $files = 0
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        """)
  }
}
