import Testing

/// `agonyfs import` of what fails, and into what fails.
extension ImportTests {
  /// The second one's time and attributes are in the report; the name is that of the first.
  @Test func theReportHasWhatALinkLacks() throws {
    try mounted(
      #"""
      agonyfs import source Albums/Card
      mkdir second
      cp source/DCIM/100/IMG_1.JPG second/other.jpg
      touch -d '2001-02-03 04:05:06.123456789 UTC' second/other.jpg
      python3 -c "import os; os.setxattr('second/other.jpg', 'user.note', b'my words'); os.setxattr('second/other.jpg', 'user.raw', bytes([255, 0]))"
      tells 0 '1 already in the space' agonyfs import --report report second Albums/New
      test "$(stat -c %.9Y Albums/New/other.jpg)" = "$(stat -c %.9Y source/DCIM/100/IMG_1.JPG)"
      python3 -c "
      import json
      line, = [json.loads(line) for line in open('report')]
      assert (line['modified'], line['modifiedNanoseconds'], line['size']) == (981173106, 123456789, 100000), line
      assert sorted(line['attributes'], key=lambda each: each['name']) == [
        {'name': 'user.note', 'value': 'my words'}, {'name': 'user.raw', 'valueHexadecimal': 'ff00'}], line"
      # A report has a line for each file, whatever becomes of it.
      ln -s a source/sub/link; mkfifo source/sub/fifo
      python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('source/sub/socket')"
      tells 18 '3 skipped' agonyfs import --report report source Albums/Card
      test $(wc -l < report) = $(find source ! -type d | wc -l)
      for words in 'symbolic link' FIFO socket; do grep -q "skipped, it is a $words" err; done
      """#)
  }

  /// An unreadable file and folder fail; root without its powers is like any other user.
  @Test(.enabled(if: Workspace.isRoot, "needs root, which may read everything, to be able not to"))
  func whatCannotBeReadFails() throws {
    try mounted(
      #"""
      chown 65534 source/sub/a source/DCIM/100
      chmod 0 source/sub/a source/DCIM/100
      others() { setpriv --bounding-set=-dac_override,-dac_read_search "$AGONYFS" "$@"; }
      tells 18 '4 files imported and verified, 2 failed' others import --report report source Albums/Card
      grep -q 'source/sub/a: failed, it cannot be read: Permission denied' err
      grep -q 'source/DCIM/100: failed, it cannot be read: Permission denied' err
      test $(wc -l < report) = 6
      tells 2 'You may not delete' others import --delete-originals --yes source/DCIM/100 Albums/Card
      chmod 755 source/sub/a source/DCIM/100
      tells 0 '6 files imported and verified, 4 imported before' agonyfs import source Albums/Card
      """#)
  }

  /// The rest of a card is gone in the middle of it: what was read is in the vault, and what was not is on the card.
  @Test(.enabled(if: CrashLoad.canMount("ext4"), "needs root, loop devices and ext4"))
  func aCardIsPulledOut() throws {
    try mounted(
      #"""
      make_disk 60M ext4 -m 0 -O ^has_journal
      mkdir disk/DCIM
      for n in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24; do head -c 2000000 /dev/urandom > disk/DCIM/$n.JPG; done
      sums disk/DCIM > before
      detach
      cp image whole
      mount -o loop image disk
      # The directories are read, and the second half of the bytes cannot be.
      ls -lR disk > listed
      truncate -s 24M image
      tells 18 'failed, it cannot be read: Input/output error' agonyfs import --report report disk/DCIM Albums/Card
      test $(wc -l < report) = 15
      test $(find Albums/Card -type f | wc -l) -gt 2
      test $(find Albums/Card -type f | wc -l) -lt 15
      sums Albums/Card | grep -vxFf before > wrong || true
      not test -s wrong
      detach
      cp whole image
      mount -o loop image disk
      tells 0 'imported before' agonyfs import --delete-originals --yes disk/DCIM Albums/Card
      sums Albums/Card | diff - before
      test -z "$(find disk/DCIM -type f)"
      detach
      """#)
  }

  @Test(.enabled(if: CrashLoad.canMount("ext4"), "needs root, loop devices and ext4"))
  func aFullVaultEndsTheImport() throws {
    let start = Self.start.replacing("agonyfs mount --password-file password Vault Albums\n", with: "")
    try expectSuccess(
      start + #"""
        mkdir big
        for n in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29; do head -c 5000000 /dev/urandom > big/$n.JPG; done
        sums big > before
        small_ext4 60
        agonyfs mount --password-file password disk/Vault Albums
        tells 17 'Make room, and run it again' agonyfs import --delete-originals --yes --report report big Albums/Card
        grep -q 'No original was deleted' err
        sums big | diff - before
        test $(wc -l < report) = 20
        sums Albums/Card | grep -vxFf before > wrong || true
        not test -s wrong
        test $(find Albums/Card -type f | wc -l) -gt 3
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password disk/Vault
        umount disk
        """#)
  }

  /// The daemon is killed while it imports.
  @Test func theMountGoesAway() throws {
    try mounted(
      #"""
      mkdir many
      for n in 1 2 3 4 5 6; do mkdir many/$n; head -c 9000000 /dev/urandom | (cd many/$n && split -b 30000 -d -a 3); done
      cp -a source many/
      sums many > before
      agonyfs import --delete-originals --yes --report report many Albums/Card > out 2> err & importer=$!
      wait_for 600 'the first file' test -e Albums/Card/1/x000
      kill -9 $(pgrep -f "^[^ ]*agonyfs mount .*$W/Albums")
      got=0; wait $importer || got=$?
      test $got = 18 || { echo "status $got" >&2; cat out err >&2; false; }
      grep -q 'The import stopped' err
      grep -q 'not reached' out
      grep -q 'No original was deleted' err
      test $(wc -l < report) = $(wc -l < before)
      sums many | diff - before
      umount Albums || fusermount3 -u Albums
      agonyfs mount --password-file password Vault Albums
      sums Albums/Card | grep -vxFf before > wrong || true
      not test -s wrong
      tells 0 'imported and verified' agonyfs import --delete-originals --yes many Albums/Card
      sums Albums/Card | diff - before
      test -z "$(find many -type f)"
      """#)
  }

  /// Whatever is in another mounted vault is copied, and never deleted.
  @Test func originalsInAnotherMountedVaultStay() throws {
    try mounted(
      #"""
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      cp -a source/DCIM Albums/
      agonyfs create --kdf interactive --cover 0 --password-file password Other
      mkdir Others outer outer/inner
      agonyfs mount --password-file password Other Others
      tells 2 'in a mounted space' agonyfs import --delete-originals --yes Albums/DCIM Others
      tells 2 'in a mounted space' agonyfs import --delete-originals --yes Albums Others
      tells 0 '5 files imported and verified' agonyfs import Albums/DCIM Others
      agonyfs unmount Albums
      cp source/sub/a outer/a
      agonyfs mount --password-file password Vault outer/inner
      tells 18 'of which no original is deleted' agonyfs import --delete-originals --yes outer Others
      test "$(find outer -type f | wc -l)" = 5
      test ! -e outer/a
      """#)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a mount"))
  func aReadOnlyMediumIsSaidBefore() throws {
    try mounted(
      #"""
      mkdir medium
      mount -t tmpfs none medium
      cp -a source/DCIM medium/
      mount -o remount,ro medium
      tells 2 'is read-only' agonyfs import --delete-originals --yes medium Albums/Card
      tells 2 'is read-only' agonyfs import --delete-originals --yes medium/DCIM/100/IMG_1.JPG Albums/Card
      test ! -e Albums/Card
      tells 0 '5 files imported' agonyfs import medium Albums/Card
      umount medium
      """#)
  }

  /// Two that delete the originals of one folder at once.
  @Test func twoDeleteAtOnce() throws {
    try mounted(
      #"""
      head -c 9000000 /dev/urandom | (cd source/sub && split -b 30000 -d -a 3)
      sums source > before
      agonyfs import --delete-originals --yes source Albums/Card > out1 2> err1 & first=$!
      agonyfs import --delete-originals --yes source Albums/Card > out2 2> err2 & second=$!
      wait $first || test $? = 18 -o $? = 1
      wait $second || test $? = 18 -o $? = 1
      not grep interrupted err1 err2
      agonyfs import --delete-originals --yes source Albums/Card
      test -z "$(find source -type f)"
      sums Albums/Card | cut -d ' ' -f 1 | sort -u > now
      cut -d ' ' -f 1 before | sort -u | diff - now
      test -z "$(ls -A Albums/.agonyfs/incoming)"
      """#)
  }

  /// It ends before anybody said that originals may go: nothing goes, and nothing is said of it later.
  @Test func anEndBeforeTheAnswerDeletesNothing() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(workspace, Self.start)
    let terminal = try PseudoTerminal([
      "import", "--delete-originals", workspace.at("source"), workspace.at("Albums/Card"),
    ])
    #expect(try terminal.waits(for: "Delete 10 originals (20.6 MiB)?"))
    try expectSuccess(
      workspace,
      #"""
      # The other run has it still.
      agonyfs import --no-skip-duplicates source/empty Albums/Elsewhere 2> err
      not grep interrupted err
      kill -9 $(pgrep -f "^[^ ]*agonyfs import .*$W/Albums/Card")
      mkdir other; echo other > other/file
      agonyfs import --delete-originals --yes other Albums/Other 2> err
      not grep interrupted err
      test "$(find source -type f | wc -l)" = 10
      test -z "$(find other -type f)"
      """#)
  }

  /// It ends while it deletes: the next run says so, and finishes it if originals are to go.
  @Test func anInterruptedDeletionIsFinished() throws {
    try expectSuccess(
      Self.start + #"""
        strace -f -o trace -e trace=unlinkat -e inject=unlinkat:signal=SIGKILL:when=4 \
          "$AGONYFS" import --delete-originals --yes source Albums/Card || true
        left=$(find source -type f | wc -l)
        test $left -gt 0 && test $left -lt 10
        mkdir other; echo other > other/file
        tells 0 "interrupted while it deleted originals: $((10 - left)) \(is\|are\) deleted, $left \(is\|are\) not" \
          agonyfs import other Albums/Other
        tells 0 'Deleting the rest' agonyfs import --delete-originals --yes other Albums/Other
        test -z "$(find source other -type f)"
        test -z "$(ls -A Albums/.agonyfs/incoming)"
        test "$(find Albums/Card -type f | wc -l)" = 10
        """#)
  }

  /// Has it wait for a while where it looks for the end of the hole, however fast the machine is.
  private static let slowly = [
    "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=lseek", "-e", "inject=lseek:delay_exit=1100000",
  ]

  /// 5 GiB, and how far it is, at a terminal and without one.
  @Test func aLargeFileAndItsProgress() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(
      workspace,
      Self.start + #"""
        mkdir large
        truncate -s 5G large/video.mov
        printf end | dd of=large/video.mov bs=1 seek=5368709000 conv=notrunc status=none
        \#(Self.slowly.joined(separator: " ")) "$AGONYFS" import large Albums/Large 2> err
        grep -q '0 of 1 file, .* of 5 GiB, .*/s' err
        test "$(stat -c %s Albums/Large/video.mov)" = 5368709120
        test "$(tail -c 120 Albums/Large/video.mov | head -c 3)" = end
        test "$(du -m Albums/Large/video.mov | cut -f 1)" -lt 10
        """#)
    let terminal = try PseudoTerminal(
      [
        "import", workspace.at("large"), workspace.at("Albums/Again"), "--no-skip-duplicates",
      ], by: Self.slowly)
    #expect(try terminal.waits(for: "agonyfs: 0 of 1 file, "))
    #expect(try terminal.waits(for: "1 file imported and verified"))
  }
}
