import System
import Testing

/// `agonyfs duplicates` with real mounts.
@Suite struct CommandDuplicateTests {
  /// Photos in two albums, one with the same bytes, one with the same pixels, and one that looks alike; and `sums`,
  /// the contents of all files.
  private static let start =
    ListTests.library + #"""
      sums() { find Albums -type f -not -name '*.trashinfo' -exec sha256sum {} + | cut -c 1-64 | sort -u; }
      # finds WANTED QUERY
      finds() { test "$(agonyfs list --sort name Albums "$2" | tr '\n' ' ')" = "$1"; }
      # value FILE ATTRIBUTE
      value() { getfattr --only-values --absolute-names -n "user.$2" "Albums/$1"; }
      library() {
        agonyfs mount --password-file password Vault Albums
        mkdir -p Albums/one Albums/two
        # A picture that looks like something.
        ffmpeg -loglevel error -f lavfi -i testsrc2=s=640x480 -frames:v 1 picture.png
        vips resize picture.png large.png 1.5
        cp large.png Albums/one/large.png
        vips copy picture.png Albums/one/same.png[compression=9]
        vips copy picture.png Albums/two/same.png[compression=1]
        touch -d 2020-01-02 Albums/one/same.png
        touch -d 2020-01-01 Albums/two/same.png
        photo Albums/one/a.jpg 1 200 150
        cp Albums/one/a.jpg Albums/two/a.jpg
        cp Albums/one/a.jpg Albums/two/b.jpg
        photo Albums/two/other.jpg 2 200 150
        agonyfs thumbnails Albums > /dev/null
      }

      """#

  private func mounted(_ script: String) throws {
    try expectSuccess(Self.start + "library\n" + script)
  }

  @Test func groupsAreListed() throws {
    try mounted(
      #"""
      agonyfs duplicates Albums > listed 2> note
      grep -qx '3 files: the same bytes' listed
      grep -qx '2 files: the same pixels' listed
      test $(grep -c files: listed) = 2
      grep -q '2 groups; removing 3 of these files' note
      agonyfs duplicates --similar Albums | grep -q 'files: look alike'
      agonyfs duplicates --json Albums | python3 -c "
      import json, sys
      groups = [json.loads(line) for line in sys.stdin]
      assert [group['kind'] for group in groups] == ['exact', 'pixels'], groups
      paths = [sorted(member['path'] for member in group['members']) for group in groups]
      assert paths == [['Albums/one/a.jpg', 'Albums/two/a.jpg', 'Albums/two/b.jpg'],
                       ['Albums/one/same.png', 'Albums/two/same.png']], paths"
      agonyfs duplicates Albums/two > listed 2> note
      grep -qx '2 files: the same bytes' listed
      test $(grep -c files: listed) = 1
      grep -q '1 group; removing 1 of these files' note
      # What the user says are none.
      agonyfs duplicates --split Albums/one/same.png Albums/two/b.jpg
      test "$(value one/same.png agonyfs.distinct)" = 1
      agonyfs duplicates Albums > listed
      grep -qx '2 files: the same bytes' listed
      test $(grep -c files: listed) = 1
      says 14 'is not in a mounted space' agonyfs duplicates "$W"
      says 2 'need --merge' agonyfs duplicates --yes Albums
      says 2 'takes best' agonyfs duplicates --merge --keep x Albums
      """#)
  }

  @Test func mergingKeepsEverything() throws {
    try mounted(
      #"""
      agonyfs tag --add Sea --rating 3 Albums/one/a.jpg
      agonyfs tag --add Sun --rating 5 --title Two --person Bob --caption Words Albums/two/a.jpg
      agonyfs tag --set '' --favourite Albums/two/b.jpg
      mkdir Albums/three
      ln Albums/two/b.jpg Albums/three/c.jpg
      sums > before
      # Without an answer nothing is done.
      says 2 'Nothing was changed; to merge (2 photos kept, 3 files' agonyfs duplicates --merge Albums < /dev/null
      test ! -e Albums/.Trash-$(id -u)
      agonyfs duplicates --merge --yes Albums > done
      grep -q '^Albums/one/a.jpg: 2 others moved to the trash' done
      grep -q '^Albums/two/same.png: 1 other moved to the trash' done
      # Each album has it still, under the name that it had there.
      test Albums/one/a.jpg -ef Albums/two/a.jpg
      test Albums/one/a.jpg -ef Albums/three/c.jpg
      test ! -e Albums/two/b.jpg
      test Albums/one/same.png -ef Albums/two/same.png
      test -z "$(find Albums -name '*(2)*')"
      finds 'Albums/one/a.jpg ' 'tag:sea tag:sun rating:5 title:two person:bob caption:words is:favourite'
      # In the trash is what file managers put back.
      cd Albums/.Trash-$(id -u)
      test "$(ls files | wc -l)" = 4
      for name in $(ls files); do
        grep -qx '\[Trash Info\]' info/$name.trashinfo
        path=$(sed -n 's/^Path=//p' info/$name.trashinfo)
        grep -Eqx 'DeletionDate=[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}' info/$name.trashinfo
        case $path in two/a.jpg|two/b.jpg|three/c.jpg|one/same.png) ;; *) false ;; esac
      done
      test "$(stat -c %a .)" = 700
      cd ../..
      sums | cmp - before
      agonyfs duplicates Albums 2>&1 | grep -q 'No duplicates'
      agonyfs duplicates --merge --yes Albums 2>&1 | grep -q 'nothing to merge'
      test -e Albums/one/large.png
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """#)
  }

  /// The camera's file stays though a copy is larger, and gets what only the copy knows.
  @Test func theCamerasFileIsKept() throws {
    try mounted(
      #"""
      mkdir Albums/camera Albums/sent
      vips copy picture.png own.jpg[Q=90]
      exiftool -q -overwrite_original -EXIF:Make=Canon -EXIF:Model=R5 -EXIF:DateTimeOriginal='2019:05:06 07:08:09' own.jpg
      cp own.jpg Albums/camera/own.jpg
      vips copy own.jpg 'Albums/sent/saved.png[strip,compression=0]'
      printf '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="%s">%s</rdf:RDF></x:xmpmeta>' \
        'http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
        '<rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:Rating="4"/>' > Albums/sent/saved.png.xmp
      agonyfs tag --title Sea --position 48.8584,2.2945 Albums/sent/saved.png
      agonyfs thumbnails Albums > /dev/null
      until test "$(agonyfs list --count Albums rating:4)" = 1; do sleep 0.1; done
      sums > before
      agonyfs duplicates --merge --similar Albums/camera 2>&1 | grep -q 'nothing to merge'
      agonyfs duplicates --split Albums/one/large.png Albums/one/same.png Albums/two/same.png
      status=0
      agonyfs duplicates --merge --similar Albums > done 2>&1 < /dev/null || status=$?
      test $status = 2
      grep -q 'Albums/camera/own.jpg gets: title Sea; stars 4; place 48.8584,2.2945; sidecar Albums/sent/saved.png.xmp' done
      test -e Albums/sent/saved.png.xmp
      agonyfs duplicates --merge --similar --yes Albums > done
      grep -q '^Albums/camera/own.jpg: 1 other moved to the trash' done
      test Albums/camera/own.jpg -ef Albums/sent/saved.jpg
      test -e Albums/camera/own.jpg.xmp
      test ! -e Albums/sent/saved.png.xmp
      finds 'Albums/camera/own.jpg ' 'title:sea rating:4 place:paris date:2019-05-06 camera:canon'
      sums | cmp - before
      """#)
  }

  @Test func whichIsKeptAndWhatIsTaken() throws {
    try mounted(
      #"""
      sums > before
      touch -d 2001-01-01 Albums/two/b.jpg
      ln Albums/two/a.jpg Albums/outside.jpg
      agonyfs duplicates --merge --keep oldest --yes --json Albums/two > done
      # What is not in the directory stays.
      test -f Albums/outside.jpg
      grep -q '{"kept":"Albums/two/b.jpg","trashed":\["Albums/two/a.jpg"\]}' done
      # A name that is taken stays whose it is.
      mkdir Albums/three
      cp large.png Albums/three/large.jpg
      cp picture.png Albums/three/large.png
      photo Albums/three/x.jpg 9
      agonyfs thumbnails Albums > /dev/null
      sums > before
      agonyfs duplicates --merge --similar --yes --keep largest Albums > done
      sums | cmp - before
      test Albums/one/large.png -ef 'Albums/three/large (2).png'
      agonyfs unmount Albums
      agonyfs mount -o ro --password-file password Vault Albums
      agonyfs duplicates Albums
      """#)
  }

  @Test func filesThatOthersMayReadAreNotMerged() throws {
    try mounted(
      #"""
      setfacl -m u:1:r Albums/two/a.jpg
      setfacl -m u:2:r Albums/two/b.jpg
      says 1 'other permissions' agonyfs duplicates --merge --yes Albums/two
      test -f Albums/two/a.jpg
      test -f Albums/two/b.jpg
      """#)
  }

  @Test func withoutATrashFolderNothingIsMerged() throws {
    try mounted(
      #"""
      sums > before
      touch Albums/.Trash-$(id -u)
      says 1 'You may not use .* as a trash folder. Ask the owner of' agonyfs duplicates --merge --yes Albums
      rm Albums/.Trash-$(id -u)
      sums | cmp - before
      test $(stat -c %h Albums/one/a.jpg) = 1
      """#)
  }

  @Test func theUserIsAsked() throws {
    let workspace = try Workspace.withVault()
    try expectSuccess(workspace, Self.start + "library\n")
    let terminal = try PseudoTerminal(["duplicates", "--merge", workspace.at("Albums")])
    #expect(try terminal.waits(for: "2 photos kept, 3 files"))
    try terminal.answer("Do that? [y/N]", with: "n")
    #expect(try terminal.ending() == .exited(0))
    try expectSuccess(workspace, "test ! -e Albums/.Trash-$(id -u)")
    let chooser = try PseudoTerminal(["duplicates", "--merge", "--keep", "ask", workspace.at("Albums")])
    try chooser.answer("Keep which file (1-3; press Enter to keep all)?", with: "2")
    try chooser.answer("Keep which file (1-2; press Enter to keep all)?", with: "")
    #expect(try chooser.waits(for: "1 photo kept, 2 files"))
    try chooser.answer("Do that? [y/N]", with: "y")
    #expect(try chooser.ending() == .exited(0))
    try expectSuccess(
      workspace, "test $(find Albums/.Trash-$(id -u)/files -type f | wc -l) = 2; test -e Albums/one/same.png")
  }

  /// Whenever it is killed, every byte and every word is still there.
  @Test func anInterruptionLosesNothing() throws {
    try mounted(
      #"""
      i=10
      while [ $i -lt 40 ]; do
        photo Albums/one/p$i.jpg $i 80 60
        mkdir -p Albums/extra$((i % 5))
        cp Albums/one/p$i.jpg Albums/extra$((i % 5))/p$i.jpg
        agonyfs tag --add T$i Albums/extra$((i % 5))/p$i.jpg
        i=$((i + 1))
      done
      agonyfs thumbnails Albums > /dev/null
      sums > before
      kills=0
      for delay in 0.05 0.1 0.15 0.2 0.3 0.4 0.6; do
        status=0
        timeout -s KILL $delay "$AGONYFS" duplicates --merge --yes Albums > /dev/null 2>&1 || status=$?
        if [ $status = 137 ]; then kills=$((kills + 1)); fi
        sums | cmp - before
      done
      echo "killed $kills times"
      test $kills -gt 0
      agonyfs duplicates --merge --yes Albums > /dev/null
      sums | cmp - before
      agonyfs duplicates Albums 2>&1 | grep -q 'No duplicates'
      i=10
      while [ $i -lt 40 ]; do
        test "$(agonyfs list --count Albums tag:T$i -is:trashed)" = 1
        # A kill before the last renaming leaves the other number, in the album of the file that went.
        one=Albums/one/p$i extra=Albums/extra$((i % 5))/p$i
        test $one.jpg -ef $extra.jpg || test $one.jpg -ef "$extra (2).jpg" || test "$one (2).jpg" -ef $extra.jpg
        i=$((i + 1))
      done
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """#)
  }
}
