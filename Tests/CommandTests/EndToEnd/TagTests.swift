import Testing

/// `agonyfs tag` with real mounts: the words are in the extended attributes, and the catalog follows.
@Suite struct TagTests {
  private func mounted(_ script: String) throws {
    try expectSuccess(
      ListTests.library + #"""
        agonyfs mount --password-file password Vault Albums
        photo Albums/one/a.jpg 1
        photo Albums/one/b.jpg 2
        photo Albums/two/c.jpg 3
        agonyfs thumbnails Albums > /dev/null
        # value FILE ATTRIBUTE
        value() { getfattr --only-values --absolute-names -n "user.$2" "Albums/$1"; }
        nothing() { not getfattr -n "user.$2" "Albums/$1" 2> /dev/null; }
        finds() { test "$(agonyfs list --sort name --format '{name}' Albums "$2" | tr '\n' ' ')" = "$1"; }

        """# + script)
  }

  @Test func aTagMayHaveASlash() throws {
    try mounted(
      #"""
      cp Albums/one/b.jpg d.jpg
      exiftool -q -overwrite_original -XMP-dc:Subject=AC/DC -IPTC:Keywords=AC/DC d.jpg
      cp d.jpg Albums/two/d.jpg
      agonyfs tag --add 'AC\/DC,Sea' Albums/one/a.jpg
      agonyfs tag --add AC/DC Albums/one/b.jpg
      agonyfs thumbnails Albums > /dev/null
      test "$(value one/a.jpg xdg.tags)" = 'AC\/DC,Sea'
      # The file's own keyword is the same tag; the one with two levels is another.
      finds 'a.jpg d.jpg ' 'tag:=AC\/DC'
      finds 'a.jpg d.jpg ' 'tag:ac\/dc'
      finds 'a.jpg b.jpg d.jpg ' tag:ac/dc
      finds 'b.jpg ' tag:ac
      finds 'b.jpg ' tag:=ac/dc
      agonyfs list --json Albums name:d.jpg | python3 -c 'import json; assert json.loads(input())["tags"] == ["AC\\/DC"]'
      test "$(ls 'Albums/.agonyfs/views/by-tag/AC\%2FDC' | tr '\n' ' ')" = 'a.jpg d.jpg '
      test "$(ls Albums/.agonyfs/views/by-tag/AC%2FDC)" = b.jpg
      agonyfs tag --remove 'ac\/dc' Albums/one/a.jpg Albums/two/d.jpg
      finds '' 'tag:ac\/dc'
      finds 'a.jpg ' tag:sea
      """#)
  }

  /// What no field takes comes in by a table, is shown, found and exported, and comes in again.
  @Test func fieldsOfOnesOwn() throws {
    try mounted(
      #"""
      printf 'File,Kundennr,OK by\none/a.jpg,4711,"Anna, on Monday"\ntwo/c.jpg,4712,\n' > own.csv
      agonyfs tag --from own.csv --map 'File=path,Kundennr=x.customer,OK by=x.approval' Albums > report
      grep -qx '2 rows: 2 matched, 0 without a file, 0 refused.' report
      test "$(value one/a.jpg agonyfs.fields)" = "$(printf 'approval=Anna, on Monday\ncustomer=4711')"
      finds 'a.jpg ' x.customer:4711
      finds 'a.jpg c.jpg ' has:x.customer
      finds 'c.jpg ' 'has:x.customer -x.approval:anna'
      test "$(agonyfs list --format '{x.customer}' Albums name:a.jpg)" = 4711
      agonyfs show Albums/one/a.jpg | grep -q 'x.customer  *4711  *from you'
      agonyfs export --xmp Albums copy > /dev/null
      grep -q '<rdf:li>customer=4711</rdf:li>' copy/one/a.jpg.xmp
      agonyfs list --json "$PWD/Albums" > all.json
      agonyfs tag --clear fields Albums/one/a.jpg Albums/two/c.jpg
      nothing one/a.jpg agonyfs.fields
      finds '' has:x.customer
      agonyfs tag --from all.json --map path=path,x.customer=x.customer Albums > /dev/null
      test "$(value one/a.jpg agonyfs.fields)" = customer=4711
      finds 'c.jpg ' x.customer:4712
      says 2 'x.NAME for a field of your own' agonyfs tag --from own.csv --map 'File=path,Kundennr=x.two words' Albums
      says 2 'After x. write a name' agonyfs list Albums x.:a
      """#)
  }

  @Test func eachWordIsAnAttributeAndIsFound() throws {
    try mounted(
      #"""
      sha256sum Albums/one/a.jpg > before
      agonyfs tag --add Family,Places/Paris --add 'Sea  Side' Albums/one/a.jpg Albums/one/b.jpg
      test "$(value one/a.jpg xdg.tags)" = 'Family,Places/Paris,Sea  Side'
      finds 'a.jpg b.jpg ' tag:places
      agonyfs tag --remove family,nothing Albums/one/a.jpg
      test "$(value one/a.jpg xdg.tags)" = 'Places/Paris,Sea  Side'
      finds 'b.jpg ' tag:family
      agonyfs tag --set Only Albums/one/a.jpg
      test "$(value one/a.jpg xdg.tags)" = Only
      finds 'a.jpg ' tag:only
      agonyfs tag --title "Two
      lines" --caption 'words' --rating 5 --favourite --person 'Anna Schmidt, jr' --person Bob Albums/one/a.jpg
      test "$(value one/a.jpg agonyfs.title)" = 'Two lines'
      test "$(value one/a.jpg xdg.comment)" = words
      test "$(value one/a.jpg baloo.rating)" = 10
      finds 'a.jpg ' 'title:"two lines" caption:words rating:5 is:favourite person:="Anna Schmidt, jr"'
      agonyfs tag --remove-person bob --no-favourite --rating 0 --title '' Albums/one/a.jpg
      finds 'a.jpg ' '-title:* caption:words rating:0 -is:favourite person:anna -person:bob date:2020..'
      agonyfs tag --taken '1826-06-01 10:00' --position=-33.86,151.2 Albums/one/a.jpg
      test "$(value one/a.jpg agonyfs.taken)" = 1826-06-01T10:00
      finds 'a.jpg ' 'date:1826 near:-33.86,151.2'
      agonyfs tag --taken 9999-12-31T23:59:59-05:30 --position none Albums/one/a.jpg
      test "$(value one/a.jpg agonyfs.taken)" = 9999-12-31T23:59:59-05:30
      finds 'a.jpg ' 'date:9999 -has:gps'
      agonyfs tag --stack trip Albums/one/a.jpg Albums/one/b.jpg
      finds 'a.jpg b.jpg ' is:stacked
      agonyfs tag --stack apart Albums/one/a.jpg
      finds '' is:stacked
      agonyfs tag --stack none Albums/one/a.jpg
      nothing one/a.jpg agonyfs.stack
      agonyfs tag --cover Albums/one/b.jpg
      test "$(value one agonyfs.cover)" = "b.jpg/$(stat -c %i Albums/one/b.jpg)"
      for field in tags title caption rating favourite people taken position stack distinct; do
        agonyfs tag --clear $field Albums/one/a.jpg
      done
      test -z "$(getfattr --absolute-names Albums/one/a.jpg)"
      # What another program says is the same.
      setfattr -n user.xdg.tags -v 'Dolphin, Sea' Albums/two/c.jpg
      finds 'c.jpg ' tag:dolphin
      agonyfs tag --add More Albums/two/c.jpg
      test "$(value two/c.jpg xdg.tags)" = Dolphin,Sea,More
      sha256sum --check before
      """#)
  }

  @Test func wordsGoWithTheFile() throws {
    try mounted(
      #"""
      agonyfs tag --add Family --rating 4 Albums/one/a.jpg
      mv Albums/one/a.jpg Albums/two/moved.jpg
      cp -a Albums/two/moved.jpg Albums/one/copy.jpg
      agonyfs thumbnails Albums > /dev/null
      finds 'copy.jpg moved.jpg ' 'tag:family rating:4'
      mkdir out
      rsync -aX Albums/ out/
      tar --xattrs -C Albums -cf all.tar one two
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      finds 'copy.jpg moved.jpg ' 'tag:family rating:4'
      rm -r Albums/one Albums/two
      finds '' ''
      if getfattr --only-values -n user.xdg.tags out/one/copy.jpg; then
        rsync -aX out/ Albums/
        agonyfs thumbnails Albums > /dev/null
        finds 'copy.jpg moved.jpg ' 'tag:family rating:4'
        rm -r Albums/one Albums/two
      fi
      tar --xattrs --xattrs-include='user.*' -C Albums -xf all.tar
      agonyfs thumbnails Albums > /dev/null
      finds 'copy.jpg moved.jpg ' 'tag:family rating:4'
      """#)
  }

  @Test func aWrongClockIsMended() throws {
    try mounted(
      #"""
      photo phone.jpg 9
      exiftool -q -overwrite_original -EXIF:DateTimeOriginal='2020:01:01 00:10:00' -EXIF:OffsetTimeOriginal=-05:00         -EXIF:SubSecTimeOriginal=25 phone.jpg
      cp phone.jpg Albums/phone.jpg
      agonyfs thumbnails Albums > /dev/null
      tells 0 '^1 photo shifted, 0 unchanged' agonyfs tag --shift -20m Albums date:2020
      test "$(value phone.jpg agonyfs.taken)" = 2019-12-31T23:50:00.25-05:00
      finds 'phone.jpg ' date:2019
      cmp phone.jpg Albums/phone.jpg
      a=Albums/one/a.jpg
      agonyfs tag --taken 2019-07-14T23:30:05+02:00 $a
      agonyfs tag --taken 2019-07-15 Albums/one/b.jpg
      # Of one only the day is known, of the other the time of the file.
      tells 0 '^1 photo shifted, 2 unchanged' agonyfs tag --shift +1h30m Albums -phone
      grep -q 'one/b.jpg was not shifted' err
      grep -q 'two/c.jpg was not shifted' err
      test "$(value one/a.jpg agonyfs.taken)" = 2019-07-15T01:00:05+02:00
      test "$(value one/b.jpg agonyfs.taken)" = 2019-07-15
      nothing two/c.jpg agonyfs.taken
      tells 0 '^2 photos shifted, 0 unchanged' agonyfs tag --shift -1d Albums/one date:2019-07-15 -type:video
      test "$(value one/a.jpg agonyfs.taken)" = 2019-07-14T01:00:05+02:00
      test "$(value one/b.jpg agonyfs.taken)" = 2019-07-14
      # A file that is named twice is shifted once.
      ln $a Albums/two/same.jpg
      agonyfs tag --shift -30m $a Albums/two/same.jpg Albums/two/../one/a.jpg
      test "$(value one/a.jpg agonyfs.taken)" = 2019-07-14T00:30:05+02:00
      says 2 'is not a shift' agonyfs tag --shift 1h Albums
      says 2 'does not work with another change' agonyfs tag --shift +1h --title x $a
      says 14 'There is nothing' agonyfs tag --shift +1h $a Albums/none.jpg
      test "$(value one/a.jpg agonyfs.taken)" = 2019-07-14T00:30:05+02:00
      """#)
  }

  @Test func aDateIsKnownInPart() throws {
    try mounted(
      #"""
      a=Albums/one/a.jpg
      agonyfs tag --taken 1961 $a
      agonyfs tag --taken 1961-07 Albums/one/b.jpg
      test "$(value one/a.jpg agonyfs.taken)" = 1961
      test "$(value one/b.jpg agonyfs.taken)" = 1961-07
      finds 'a.jpg b.jpg ' date:1961
      finds 'b.jpg ' date:1961-07
      finds '' date:1961-07-01
      finds 'a.jpg ' 'date:1961 -has:month'
      is '1961-07\tb.jpg\n1961\ta.jpg\n' agonyfs list --format '{taken}\t{name}' Albums date:1961
      agonyfs list --group month Albums date:1961 > groups
      grep -q '1961-07' groups
      agonyfs show $a | grep -Eq '^  taken +1961 +from you$'
      test "$(ls Albums/.agonyfs/views/by-date/1961/undated)" = a.jpg
      test "$(ls Albums/.agonyfs/views/by-date/1961/07/undated)" = b.jpg
      # No shift is as exact.
      agonyfs tag --shift +1d Albums date:1961 || true
      test "$(value one/b.jpg agonyfs.taken)" = 1961-07
      agonyfs export --xmp Albums copy
      grep -q '<exif:DateTimeOriginal>1961</' copy/one/a.jpg.xmp
      grep -q '<exif:DateTimeOriginal>1961-07</' copy/one/b.jpg.xmp
      # Another file finds the same in that sidecar.
      mkdir Albums/zoo
      cp copy/two/c.jpg Albums/zoo/c.jpg
      cp copy/one/b.jpg.xmp Albums/zoo/c.jpg.xmp
      agonyfs thumbnails Albums > /dev/null
      finds 'b.jpg c.jpg ' date:1961-07
      agonyfs tag --clear taken $a
      finds 'b.jpg c.jpg ' date:1961
      says 2 'is not a time' agonyfs tag --taken 1961-13 $a
      """#)
  }

  @Test func whatIsRefusedChangesNothing() throws {
    try mounted(
      #"""
      a=Albums/one/a.jpg
      says 2 'from 0 to 5' agonyfs tag --rating 6 --title x $a
      says 2 'is not a time' agonyfs tag --taken 0000-00-00 --title x $a
      says 2 'is not a time' agonyfs tag --taken 2019-02-30 --title x $a
      says 2 'is not a position' agonyfs tag --position 91,0 --title x $a
      says 2 'is not a position' agonyfs tag --position 48.85 --title x $a
      says 2 'at most 4096 bytes' agonyfs tag --title "$(head -c 5000 /dev/zero | tr '\0' x)" $a
      says 2 'at most 1024 tags' agonyfs tag --add "$(seq -s , 2000)" $a
      seq -s , 600 > tags
      agonyfs tag --add "$(cat tags)" Albums/one/b.jpg
      says 2 'at most 1024 tags' agonyfs tag --add "$(seq -s , 601 1200)" Albums/one/b.jpg
      test "$(value one/b.jpg xdg.tags)" = "$(cat tags)"
      says 2 'Say what to change' agonyfs tag $a
      says 2 'Name the files' agonyfs tag --add x
      says 2 'is a directory' agonyfs tag --add x Albums/one
      echo text > Albums/text
      agonyfs thumbnails Albums > /dev/null
      says 1 'Albums/text is neither a photo nor a video' agonyfs tag --add x Albums/text
      test -z "$(getfattr --absolute-names Albums/text)"
      says 14 'is not in a mounted space' agonyfs tag --add x password
      says 14 'There is nothing' agonyfs tag --add x Albums/none.jpg
      says 2 'one cover' agonyfs tag --cover $a Albums/one/b.jpg
      says 2 '--set replaces all tags' agonyfs tag --set x --add y $a
      test -z "$(getfattr --absolute-names $a)"
      # The others are done.
      says 14 'There is nothing' agonyfs tag --add x Albums/none.jpg Albums/two/c.jpg
      finds 'c.jpg ' tag:x
      agonyfs unmount Albums
      agonyfs mount -o ro --password-file password Vault Albums
      says 1 'mounted read-only' agonyfs tag --add y $a
      """#)
  }

  @Test func factsFromATable() throws {
    try mounted(
      #"""
      cat > facts.csv <<'END'
      File,Keywords,Stars,Note
      one/a.jpg,"Sea, Sand",4,"He said ""yes"""
      two/c.jpg,,,
      one/none.jpg,x,1,
      one/b.jpg,x,nine,
      ../../password,x,1,
      END
      sed -i 's/^ *//' facts.csv
      map=File=path,Keywords=tags,Stars=rating,Note=caption
      gives 1 agonyfs tag --dry-run --from facts.csv --map $map Albums > report 2> notes
      grep -qx '5 rows: 2 would be matched, 2 without a file, 1 refused.' report
      grep -q 'Row 4: "nine" is not a rating' notes
      grep -q 'Row 3: the file does not exist' notes
      finds '' tag:sea
      gives 1 agonyfs tag --from facts.csv --map $map Albums > report 2> notes
      grep -qx '5 rows: 2 matched, 2 without a file, 1 refused.' report
      finds 'a.jpg ' 'tag:sea tag:sand rating:4 caption:"he said \"yes\""'
      test -z "$(getfattr --absolute-names Albums/one/b.jpg)"
      # What was said before is replaced by another word only, and that is told.
      not grep -q replaced report
      printf 'File,Stars,Note\none/a.jpg,4,No\n' > other.csv
      agonyfs tag --dry-run --from other.csv --map File=path,Stars=rating,Note=caption Albums > report
      grep -qx 'Your earlier words for 1 file would be replaced: caption.' report
      agonyfs tag --from other.csv --map File=path,Stars=rating,Note=caption Albums > report
      grep -qx 'Your earlier words for 1 file were replaced: caption.' report
      test "$(value one/a.jpg xdg.comment)" = No
      # By name, and JSON as exiftool prints it.
      cat > facts.json <<'END'
      [{"SourceFile": "/elsewhere/c.jpg", "Keywords": ["Forum", "Rome"], "place": {"Lat": 41.89, "Lon": 12.48}},
       {"SourceFile": "b.jpg", "Keywords": "a;b", "Title": null}]
      END
      agonyfs tag --from facts.json --map SourceFile=name,Keywords=tags,place.Lat=latitude,place.Lon=longitude Albums \
        > report
      grep -qx '2 rows: 2 matched, 0 without a file, 0 refused.' report
      finds 'c.jpg ' 'tag:forum tag:rome near:41.89,12.48'
      finds 'b.jpg ' 'tag:a tag:b'
      # In a directory; and a name that is not the only one.
      cp Albums/two/c.jpg Albums/one/c.jpg
      agonyfs thumbnails Albums > /dev/null
      echo '{"name":"c.jpg","title":"Once"}' > lines.json
      agonyfs tag --from lines.json Albums > report 2> notes
      grep -q 'Row 1: 2 files have this name' notes
      grep -qx '1 row: 0 matched, 1 without a file, 0 refused.' report
      agonyfs tag --from lines.json Albums/two > report
      test "$(value two/c.jpg agonyfs.title)" = Once
      says 2 'No field says which file' agonyfs tag --from lines.json --map title=title Albums
      says 2 '--map does not know our field in "name=frob"' agonyfs tag --from lines.json --map name=frob Albums
      says 2 'The column "X" does not exist' agonyfs tag --from facts.csv --map X=path Albums
      """#)
  }
}
