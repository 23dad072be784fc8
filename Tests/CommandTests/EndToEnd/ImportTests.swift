import Testing

/// `agonyfs import` with real mounts.
@Suite struct ImportTests {
  /// `source`, a folder as cards have it, and `sums`, the contents of all files of a folder by their names.
  static let start =
    #"""
    sums() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2); }
    mkdir -p source/DCIM/100 source/sub
    for n in 1 2 3; do head -c $((n * 100000)) /dev/urandom > source/DCIM/100/IMG_$n.JPG; done
    head -c 50000 /dev/urandom > source/DCIM/100/IMG_1.MOV
    echo words > source/DCIM/100/IMG_1.JPG.xmp
    : > source/empty
    printf x > "$(printf 'source/sub/no utf8 \377')"
    printf y > source/sub/a; printf z > source/sub/A
    truncate -s 20M source/sub/hole
    find source -type f -exec touch -d '2019-08-15 12:34:56.123456789' {} +
    agonyfs mount --password-file password Vault Albums

    """#

  func mounted(_ script: String) throws {
    try expectSuccess(Self.start + script)
  }

  @Test func aFileThatIsNamedIsNoAlbum() throws {
    try mounted(
      #"""
      tells 0 '2 files imported' agonyfs import source/DCIM/100/IMG_1.JPG source/sub/a Albums
      cmp Albums/IMG_1.JPG source/DCIM/100/IMG_1.JPG
      cmp Albums/a source/sub/a
      test "$(ls Albums | wc -l)" = 2
      agonyfs unmount Albums
      """#)
  }

  @Test func everythingArrivesOnce() throws {
    try mounted(
      #"""
      chmod 640 source/sub/a
      umask 077
      sums source > before
      tells 0 '10 files imported and verified' agonyfs import --report report source Albums/Card
      sums Albums/Card | diff - before
      test "$(stat -c %.9Y Albums/Card/sub/a)" = "$(stat -c %.9Y source/sub/a)"
      test "$(stat -c %a Albums/Card/sub/a)" = 640
      test $(wc -l < report) = 10
      # No photo becomes a report by a slip.
      cp source/sub/a photo
      tells 2 'photo exists and is not a report of an import' agonyfs import --report photo source Albums/Card
      cmp source/sub/a photo
      python3 -c "
      import json
      lines = [json.loads(line) for line in open('report')]
      assert all(line['outcome'] == 'imported' and line['verified'] for line in lines), lines
      assert sum(line['size'] for line in lines) == sum(line['size'] for line in lines if line['path'].startswith('Card/'))"
      tells 0 '10 imported before' agonyfs import source/ Albums/Card
      # Photos and videos are stored once, and a sidecar whose photo is one; other files are files of their own.
      tells 0 '5 files imported and verified, 5 already in the space' agonyfs import source Albums --into Again/Here
      sums Albums/Again/Here | diff - before
      inode() { stat -c %i "$1"; }
      for file in DCIM/100/IMG_1.JPG DCIM/100/IMG_1.JPG.xmp; do
        test "$(inode Albums/Again/Here/$file)" = "$(inode Albums/Card/$file)"
      done
      test "$(inode Albums/Again/Here/sub/a)" != "$(inode Albums/Card/sub/a)"
      # Without an album a folder is one.
      tells 0 imported agonyfs import --no-skip-duplicates --no-verify source Albums
      sums Albums/source | diff - before
      test "$(stat -c %h Albums/source/sub/a)" = 1
      test -z "$(ls -A Albums/.agonyfs/incoming)"
      ls -A Albums | not grep incoming
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """#)
  }

  @Test func albumsByDay() throws {
    try mounted(
      #"""
      tells 0 'files imported' agonyfs import --by-date source Albums/Days
      test "$(find Albums/Days -type f | wc -l)" = 10
      test -e Albums/Days/2019/08/15/IMG_1.JPG.xmp
      tells 0 'already in the space' agonyfs import --by-date %Y-%m source Albums/Months
      test -e Albums/Months/2019-08/IMG_1.MOV
      tells 2 'without %Y' agonyfs import --by-date=fixed source Albums
      tells 2 '%Y, %m, %d' agonyfs import --by-date=%Q source Albums
      """#)
  }

  @Test func originalsGoWhenTheVaultHasThem() throws {
    try mounted(
      #"""
      sums source > before
      ln -s a source/sub/link
      mkfifo source/sub/fifo
      cp -a source other
      tells 2 'symbolic link' agonyfs import --delete-originals --yes source/sub/link Albums
      tells 2 'asks at a terminal, and there is none' agonyfs import --delete-originals source Albums/Card < /dev/null
      tells 18 'skipped, it is a symbolic link' agonyfs import --delete-originals --yes source Albums/Card
      grep -q '10 originals deleted. Deleting is not erasing' out
      sums Albums/Card | diff - before
      test "$(find source ! -type d | sort | tr '\n' ' ')" = 'source/sub/fifo source/sub/link '
      # What the space has is read again before the originals go.
      tells 18 '10 imported before' agonyfs import --delete-originals --yes other Albums/Card
      test -z "$(find other -type f)"
      test -z "$(ls -A Albums/.agonyfs/incoming)"
      tells 2 'Only verified originals' agonyfs import --delete-originals --no-verify source Albums
      """#)
  }

  @Test func badInputIsRefused() throws {
    try mounted(
      #"""
      tells 2 'There is nothing' agonyfs import nowhere Albums
      tells 14 'is not in a mounted space' agonyfs import source "$W"
      tells 2 'Name the files to import first' agonyfs import Albums
      tells 2 'in the vault' agonyfs import Vault Albums
      tells 2 'in the vault' agonyfs import Vault/segments Albums
      tells 2 'in the space' agonyfs import Albums/.. Albums && exit 1 || true
      mkdir Albums/mine
      tells 2 'in the space' agonyfs import Albums/mine Albums
      tells 2 'may not contain ".."' agonyfs import source Albums --into ../x
      # The mount is in what is imported: it is left out, and said.
      mkdir all && agonyfs unmount Albums && mkdir all/m && cp -r source all/
      agonyfs mount --password-file password Vault all/m
      tells 18 'skipped, it is in the space' agonyfs import all all/m/Copy
      test "$(find all/m/Copy/source -type f | wc -l)" = 10
      chmod 0 all/source/sub/a
      agonyfs unmount all/m
      agonyfs mount --password-file password -o ro Vault Albums
      tells 1 'You cannot import into the space' agonyfs import source Albums
      """#)
  }

  /// Ctrl-C ends after the file at hand; two imports at once, and one after a kill, do what is left.
  @Test func interruptedAndAtOnce() throws {
    try mounted(
      #"""
      head -c 9000000 /dev/urandom | (cd source/sub && split -b 30000 -d -a 3)
      sums source > before
      agonyfs import source Albums/Card 2> err & first=$!
      wait_for 600 'the first file' test -e Albums/Card/DCIM/100/IMG_1.JPG
      kill -TERM $(pgrep -f "^[^ ]*agonyfs import source Albums/Card") || true
      got=0; wait $first || got=$?
      # 128 and the number of SIGTERM: it ends by the signal, as it would without an import.
      test $got = 143 || test $got = 0
      agonyfs import source Albums/Killed & first=$!
      wait_for 600 'the first file' test -e Albums/Killed/DCIM/100/IMG_1.JPG
      kill -9 $(pgrep -f "^[^ ]*agonyfs import source Albums/Killed") || true
      wait $first || true
      agonyfs import source Albums/Card > out1 & first=$!
      agonyfs import source Albums/Card > out2 & second=$!
      wait $first; wait $second
      agonyfs import source Albums/Card > out
      # Of two at once both may bring a file; none is lost, and each name is whole.
      python3 - << 'END'
      import hashlib, os
      def contents(top):
          found = {}
          for folder, _, names in os.walk(os.fsencode(top)):
              for name in names:
                  path = os.path.join(folder, name)
                  found[os.path.relpath(path, os.fsencode(top))] = hashlib.sha256(open(path, 'rb').read()).digest()
          return found
      source, card = contents('source'), contents('Albums/Card')
      assert all(card.get(path) == content for path, content in source.items())
      assert set(card.values()) == set(source.values())
      END
      """#)
  }

  @Test func aFolderIsWatched() throws {
    try mounted(
      #"""
      tells 2 'asks nothing' agonyfs import --watch --delete-originals source Albums
      mkdir inbox
      agonyfs import --watch --delete-originals --yes inbox Albums/New > watched 2>&1 & watcher=$!
      cp -p source/DCIM/100/IMG_1.* inbox
      mkdir inbox/later
      cp -p source/DCIM/100/IMG_2.JPG inbox/later
      # Somebody still writes this one.
      (exec 3> inbox/slow; echo begun >&3; wait_for 600 'the others' test -e Albums/New/later/IMG_2.JPG
        echo ended >&3)
      here() { test -e Albums/New/$1 && test ! -e inbox/$1; }
      for name in IMG_1.JPG IMG_1.MOV IMG_1.JPG.xmp later/IMG_2.JPG slow; do
        wait_for 600 "$name was imported" here $name
      done
      cmp source/DCIM/100/IMG_1.MOV Albums/New/IMG_1.MOV
      test "$(cat Albums/New/slow)" = "$(printf 'begun\nended')"
      kill -TERM $(pgrep -f "^[^ ]*agonyfs import --watch .* Albums/New$")
      wait $watcher || test $? = 143
      """#)
  }
}
