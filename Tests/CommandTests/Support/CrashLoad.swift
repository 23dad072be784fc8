import Glibc
import System
import TestSupport

/// Writers that note what was promised to them, and a look at whether it was kept.
///
/// `manifest1` and `manifest2` say, in order: `has N I` after file I of writer N and its directory were fsynced,
/// `current N I` after a file was renamed over another one and the directory was fsynced, `going N I` before a file is
/// deleted, `gone N I` after that was fsynced.
enum CrashLoad {
  /// Shell functions: `start` has two writers work in `Albums` until they meet an error or there is a file `stop`,
  /// `promised` waits for manifests of so many lines and copies them to `promised1` and `promised2`, `finish` waits for
  /// the writers, `verify` compares.
  static let functions = #"""
    body() { seq $2 $(($2 + 3000 * ($2 % 7) + 10)) | sed "s/^/$1 /"; }
    writer() {
      d=Albums/load$1
      i=$(tail -n 1 manifest$1 2> /dev/null | cut -d ' ' -f 3)
      i=$((${i:-0} + 10))
      mkdir -p $d && sync Albums || return
      while ! [ -e stop ]; do
        i=$((i + 1))
        body $1 $i > source$1
        dd if=source$1 of=$d/f$i bs=64k conv=fsync && sync $d || return
        echo "has $1 $i" >> manifest$1
        cp source$1 $d/unsynced$i || return
        echo $i > $d/new && sync $d/new && mv $d/new $d/current && sync $d || return
        echo "current $1 $i" >> manifest$1
        if [ $((i % 3)) = 0 ] && [ -e $d/f$((i - 2)) ]; then
          echo "going $1 $((i - 2))" >> manifest$1
          rm $d/f$((i - 2)) $d/unsynced$((i - 2)) && sync $d || return
          echo "gone $1 $((i - 2))" >> manifest$1
        fi
      done
    }
    # Both hold a lock for as long as they live.
    start() {
      for n in 1 2; do (flock -s 9; writer $n) 9> writers > /dev/null 2>&1 & done
    }
    finish() { flock -w 600 writers true || { echo '600 s passed before the writers ended' >&2; return 1; }; }
    has_promised() { test "$(cat manifest1 manifest2 2> /dev/null | wc -l)" -ge $1; }
    promised() {
      set +x
      wait_for 600 "$1 promises" has_promised $1
      for n in 1 2; do cp manifest$n promised$n; done
      set -x
    }
    # The daemon that serves Albums dies at once, and its mount goes.
    murder() {
      daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
      kill -9 $daemon
      finish
      gone $daemon
      fusermount3 -u Albums
    }
    # verify MOUNT MANIFEST: what the manifests said at some time, against the files that were not deleted since.
    verify() {
      set +x
      checked=0
      for n in 1 2; do
        d=${1:-Albums}/load$n
        last=0
        while read -r what writer i; do
          checked=$((checked + 1))
          case $what in
          has)
            if [ -e $d/f$i ] || ! grep -qx "going $n $i" manifest$n; then body $n $i | cmp - $d/f$i || return 1; fi
            ;;
          gone) if [ -e $d/f$i ]; then echo "$d/f$i is back" >&2; return 1; fi ;;
          current) last=$i ;;
          esac
        done < ${2:-manifest}$n
        if ! [ "$(cat $d/current)" -ge $last ]; then echo "$d/current is older than $last" >&2; return 1; fi
        for file in $d/unsynced*; do
          [ -e $file ] || continue
          body $n ${file##*unsynced} | head -c "$(stat -c %s $file)" | cmp - $file || return 1
        done
      done
      set -x
      echo "checked: $checked promises"
      test $checked -gt 30
    }

    """#

  /// The ioctl by which ext4, XFS and others stop as if the machine had lost its power, and its flag for not writing
  /// the journal first.
  private static let shutdown: (request: UInt, withoutFlush: UInt32) = (0x8004_587d, 2)

  /// Stops the file system at a path without letting it write anything.
  static func cutPower(of path: String) throws {
    let directory = try Descriptor.open(path, O_RDONLY)
    var flags = shutdown.withoutFlush
    try systemCall { unsafe ioctl(directory.number, shutdown.request, &flags) }
  }

  /// Whether file systems of a kind can be made and mounted from an image here.
  static func canMount(_ kind: String) -> Bool {
    guard Workspace.isRoot, let workspace = try? Workspace() else { return false }
    let outcome = try? workspace.shell(
      "truncate -s 400M image && mkfs.\(kind) -q image && mkdir disk && mount -o loop image disk && umount disk")
    return outcome?.status == 0
  }
}
