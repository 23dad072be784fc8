import Testing

/// `agonyfs list` and `agonyfs show` with real mounts. What is known of the photos is said by the tests, so that they
/// need no camera.
@Suite struct ListTests {
  /// Four photos and a video, and `is WANTED COMMAND…`, which compares what a command prints.
  static let library = #"""
    photo() { mkdir -p "$(dirname "$1")"; vips gaussnoise "$1.jpg" ${3:-64} ${4:-48} --seed $2; mv "$1.jpg" "$1"; }
    is() {
      wanted=$1
      shift
      printf "$wanted" > wanted
      "$@" > got
      diff wanted got
    }
    library() {
      agonyfs mount --password-file password Vault Albums
      photo Albums/2019/Paris/a.jpg 1
      photo Albums/2019/Paris/b.jpg 2 96 72
      photo Albums/2019/Rome/c.jpg 3
      photo Albums/2024/d.jpg 4
      ffmpeg -loglevel error -f lavfi -i testsrc=d=2:s=64x48:r=10 -pix_fmt yuv420p Albums/2019/Paris/e.mp4
      agonyfs tag --taken 2019-07-14T21:30:05+02:00 --rating 5 --add Fireworks --position 48.8584,2.2945 \
        Albums/2019/Paris/a.jpg
      agonyfs tag --taken 2019-07-15T10:00 --rating 3 --add Fireworks,Family Albums/2019/Paris/b.jpg
      agonyfs tag --taken 2019-08-01 --rating 4 --title 'The "Forum"' Albums/2019/Rome/c.jpg
      agonyfs tag --taken 2024-01-02T03:04:05 --person 'Anna Schmidt' Albums/2024/d.jpg
      agonyfs tag --taken 2019-07-16 --rating 5 Albums/2019/Paris/e.mp4
      agonyfs thumbnails Albums > /dev/null
    }

    """#

  private func mounted(_ script: String) throws {
    try expectSuccess(Self.library + "library\n" + script)
  }

  /// What somebody typed who had seen only the help, and wanted photos of 2019 in Paris from an iPhone, no videos.
  @Test func theHelpLeadsToTheAnswer() throws {
    try mounted(
      #"""
      photo phone.jpg 9
      exiftool -q -overwrite_original -EXIF:Make=Apple -EXIF:Model='iPhone 12' \
        -EXIF:DateTimeOriginal='2019:05:06 07:08:09' -EXIF:GPSLatitude=48.8566 -EXIF:GPSLatitudeRef=N \
        -EXIF:GPSLongitude=2.3522 -EXIF:GPSLongitudeRef=E phone.jpg
      cp phone.jpg Albums/x.jpg
      agonyfs thumbnails Albums > /dev/null
      is 'Albums/x.jpg\n' agonyfs list Albums place:paris date:2019 camera:iphone type:photo
      is 'Albums/2019/Paris/a.jpg\nAlbums/x.jpg\n' agonyfs list Albums place:paris date:2019
      """#)
  }

  @Test func everyForm() throws {
    try mounted(
      #"""
      is 'Albums/2024/d.jpg\nAlbums/2019/Rome/c.jpg\nAlbums/2019/Paris/e.mp4\nAlbums/2019/Paris/b.jpg\nAlbums/2019/Paris/a.jpg\n' \
        agonyfs list Albums
      # What somebody may look for who has only seen the help.
      is 'Albums/2019/Paris/a.jpg\n' agonyfs list Albums paris date:2019 'rating:>3' -type:video
      is 'Albums/2019/Rome/c.jpg\nAlbums/2019/Paris/a.jpg\n' agonyfs list Albums 'rating:>3' '(' forum '|' tag:fireworks ')'
      is 'Albums/2024/d.jpg\n' agonyfs list -- Albums -2019
      test "$(agonyfs list -0 Albums tag:family | od -An -tx1)" = \
        "$(printf 'Albums/2019/Paris/b.jpg\0' | od -An -tx1)"
      agonyfs list --json Albums tag:family > json
      python3 -c "
      import json
      line = json.loads(open('json').read())
      assert line['path'] == 'Albums/2019/Paris/b.jpg' and line['rating'] == 3 and line['width'] == 96, line
      assert line['tags'] == ['Family', 'Fireworks'] and line['taken'] == '2019-07-15T10:00', line"
      is '{2019-07-14T21:30:05+02:00}\t5\ta.jpg\t2019/Paris\n' \
        agonyfs list --format '{{{taken}}}\t{rating}\t{name}\t{album}' Albums eiffel '|' 'near:48.8584,2.2945'
      is 'Anna Schmidt\0' agonyfs list -0 --format '{people}' Albums has:people
      is '5\n' agonyfs list --count Albums
      is '0\n' agonyfs list --count Albums nothing
      is '{"count":2}\n' agonyfs list --count --json Albums tag:fireworks
      is '1\t2024\n4\t2019\n' agonyfs list --group year Albums
      is '2\tFireworks\n1\tFamily\n3\t\n' agonyfs list --group tag Albums
      is '2\tFireworks\n1\tFamily\n' agonyfs list --group tag --limit 2 Albums
      is '2\tFireworks\n1\tFamily\n3\t\n' agonyfs list --group tag --limit all Albums
      agonyfs list --group album --json Albums | grep -q '"newest":"Albums/2024/d.jpg"'
      for field in day month year place region country tag person camera lens type album rating; do
        test "$(agonyfs list --group $field Albums date:2019-07-14 | wc -l)" = 1
      done
      is '2019/Paris\n2019/Paris\n2019/Rome\n2019/Paris\n2024\n' agonyfs list --sort rating --format '{album}' Albums
      agonyfs list --sort name Albums > names
      agonyfs list --sort=-name Albums | tac | cmp names
      agonyfs list --sort -name Albums | tac | cmp names
      agonyfs list --sort name --reverse Albums | tac | cmp names
      test "$(head -n 1 names)" = Albums/2019/Paris/a.jpg
      agonyfs list --sort size Albums | head -n 1 | grep -q e.mp4
      agonyfs list --sort duration Albums | head -n 1 | grep -q e.mp4
      agonyfs list --long Albums tag:family > long
      head -n 1 long | grep -qx Albums/2019/Paris/b.jpg
      grep -Eqx '  tags +Family, Fireworks' long
      grep -Eqx '  dimensions +96 × 72' long
      """#)
  }

  /// A table of one's own, given when a space is mounted.
  @Test func theUsersTownsNamePlaces() throws {
    try mounted(
      #"""
      is 'Albums/2019/Paris/a.jpg\n' agonyfs list Albums place:Paris
      printf '1\tGros-Caillou\tGros-Caillou\t\t48.8583\t2.2944\tP\tPPL\tFR\t\t11\t\t\t\t900\t\t\tEurope/Paris\t\n' > towns
      agonyfs unmount Albums
      agonyfs mount --password-file password --places towns Vault Albums
      agonyfs thumbnails Albums > /dev/null
      is 'Albums/2019/Paris/a.jpg\n' agonyfs list Albums place:Gros-Caillou
      is '' agonyfs list Albums place:Paris
      ls Albums/.agonyfs/views/by-place/* | grep -q Gros-Caillou
      agonyfs show Albums/2019/Paris/a.jpg | grep -q Gros-Caillou
      agonyfs unmount Albums
      agonyfs mount --password-file password -o places=$W/towns Vault Albums
      is 'Albums/2019/Paris/a.jpg\n' agonyfs list Albums place:Gros-Caillou
      agonyfs unmount Albums
      echo 'no town' > towns
      says 2 'towns' agonyfs mount --password-file password --places towns Vault Albums
      says 2 'towns' agonyfs mount --password-file password --places none Vault Albums
      """#)
  }

  @Test func pagesFollowEachOther() throws {
    try mounted(
      #"""
      # The shell tells what it does there, too.
      cursor() { sed -n 's/^agonyfs: .*--after //p' note; }
      agonyfs list Albums > all
      agonyfs list --limit 2 Albums > pages 2> note
      grep -Eq '^agonyfs: next page: --after [^ ]+$' note
      # For people it says how many there are.
      script -qc "'$AGONYFS' list --limit 2 Albums" /dev/null | tr -d '\r' > screen
      grep -Eq '^agonyfs: 3 more; next page: --after [^ ]+$' screen
      agonyfs list --limit 2 --after $(cursor) Albums >> pages 2> note
      grep -Eq '^agonyfs: next page: --after [^ ]+$' note
      agonyfs list --json --limit all --after $(cursor) Albums > rest 2> note
      grep -q '"path":"Albums/2019/Paris/a.jpg"' rest
      not grep '^agonyfs:' note
      head -n 4 all | cmp - pages
      says 2 'takes what a page before ended with' agonyfs list --after 12 Albums
      says 2 'belongs to another order' agonyfs list --sort name --after 1d1.1.n.1.0 Albums
      says 2 'takes a number from 1' agonyfs list --limit 0 Albums
      says 2 'There is no order "colour"' agonyfs list --sort colour Albums
      says 2 'there are day, month, year' agonyfs list --group colour Albums
      says 2 'There is no field {colour} for --format; there are path, name' agonyfs list --format '{colour}' Albums
      says 2 'Choose one' agonyfs list --count --json --long Albums
      """#)
  }

  @Test func whatIsNotUnderstoodIsPointedAt() throws {
    try mounted(
      #"""
      says 2 'There is no field camra: did you mean camera?' agonyfs list Albums paris camra:canon
      test "$(tail -n 2 err)" = "$(printf '  paris camra:canon\n        ^^^^^')"
      says 2 'This quote has no end' agonyfs list Albums '"paris'
      says 2 'A month is a number' agonyfs list Albums date:2024-13
      says 2 'quote < and > for the shell' agonyfs list Albums rating:
      # Before anybody is asked for a password.
      says 2 'There is no field camra' agonyfs list Vault camra:x
      """#)
  }

  @Test func directoriesAndVaults() throws {
    try mounted(
      #"""
      is 'Albums/2019/Rome/c.jpg\n' agonyfs list Albums/2019/Rome
      is 'Albums/2019/Rome//c.jpg\n' agonyfs list Albums/2019/Rome//
      cd Albums/2019
      agonyfs list . rome | grep -qx ./Rome/c.jpg
      agonyfs list .. rome | grep -qx ../2019/Rome/c.jpg
      cd Rome
      test "$(agonyfs list . --format '{path}')" = ./c.jpg
      ls $(agonyfs list .)
      cd ../../..
      ln -s Albums/2019/Paris link
      test "$(agonyfs list --count link)" = 3
      agonyfs list link | head -n 1 | grep -qx link/e.mp4
      # What a file has to say, by any of its names.
      ln Albums/2019/Rome/c.jpg Albums/2024/too.jpg
      agonyfs list Albums/2024 | grep -qx Albums/2024/too.jpg
      agonyfs list --json Albums/2024 | grep -q '"path":"Albums/2024/too.jpg"'
      # Another name of it is elsewhere, and names nothing here.
      is '1\t2024\n' agonyfs list --group album Albums/2024 too
      is '' agonyfs list Albums/2024 name:c.jpg
      agonyfs list --group album --json Albums/2019/Rome | grep -q '"query":"album:=.\"2019/Rome.\""'
      # A query would take both for the same.
      mkdir Albums/2019/rome
      cp Albums/2019/Rome/c.jpg Albums/2019/rome/other.jpg
      agonyfs thumbnails Albums > /dev/null
      is 'Albums/2019/rome/other.jpg\n' agonyfs list Albums/2019/rome
      is 'other.jpg\n' agonyfs list --format '{name}' Albums/2019/rome
      test "$(agonyfs list --json Albums/2019/rome | wc -l)" = 1
      rm -r Albums/2019/rome
      agonyfs show Albums/2024/too.jpg > shown
      head -n 1 shown | grep -qx Albums/2024/too.jpg
      grep -Eqx "  also +$W/Albums/2019/Rome/c.jpg" shown
      grep -Eq '^  title +The "Forum" +from you$' shown
      agonyfs show --json link/a.jpg | python3 -c "
      import json, sys
      facts = json.load(sys.stdin)
      assert facts['path'] == 'link/a.jpg' and facts['sources']['rating'] == ['attribute'], facts"
      says 14 'no space that is mounted' agonyfs show password
      says 14 'There is nothing at' agonyfs show Albums/none.jpg
      echo text > Albums/text
      agonyfs thumbnails Albums > /dev/null
      says 1 'This is neither a photo nor a video' agonyfs show Albums/text
      says 2 'This is a directory; see the photos in it, with: agonyfs list Albums/2019' agonyfs show Albums/2019
      # The others are shown, and which one is none is said.
      says 1 'Albums/text: This is neither a photo nor a video' agonyfs show Albums/2019/Paris/b.jpg Albums/text Albums/2024/d.jpg
      grep -c '^Albums/' out | grep -qx 2
      says 2 'is a file; name the directory' agonyfs list Albums/2024/d.jpg
      says 2 'is a place to look in, and list looks in one' agonyfs list Albums/2019 Albums/2024
      says 2 'is no album' agonyfs list Albums/.agonyfs/views/by-date/2019
      says 14 'neither in a space that is mounted nor a vault' agonyfs list .
      says 14 'There is nothing at' agonyfs list nowhere
      says 2 'A path is empty' agonyfs list ''
      agonyfs list --password-file password Vault tag:family 2> note | grep -qx 2019/Paris/b.jpg
      grep -q 'This space is mounted' note
      agonyfs unmount Albums
      is '2019/Paris/b.jpg\n' agonyfs list --password-file password Vault tag:family
      is '5\n' agonyfs list --password-file password --count Vault
      echo wrong > wrong
      says 12 'No space' agonyfs list --password-file wrong Vault
      # Nothing was changed by that.
      agonyfs check --read-data --password-file password Vault
      agonyfs mount -o ro --password-file password Vault Albums
      is 'Albums/2019/Paris/b.jpg\n' agonyfs list Albums tag:family
      agonyfs show Albums/2019/Paris/b.jpg | grep -q 'Family, Fireworks'
      says 2 'has at most 8191 bytes' agonyfs list Albums "$(head -c 9000 /dev/zero | tr '\0' x)"
      agonyfs unmount Albums
      agonyfs mount -o nothumbs --password-file password Vault Albums
      is 'Albums/2019/Paris/b.jpg\n' agonyfs list Albums tag:family
      """#)
  }

  /// Nobody is told that files are being examined where nobody examines them.
  @Test func whatNoMountExaminesIsSaid() throws {
    try expectSuccess(
      Self.library + #"""
        waits() {
          agonyfs mount -o "$1" --password-file password Vault Albums
          shift
          "$@"
          is '' agonyfs list Albums 2> note
          grep -q '1 file was not examined yet; this mount does not do that' note
          is '0\n' agonyfs list --count Albums 2> note
          grep -q '1 file was not examined yet; this mount does not do that' note
        }
        waits nothumbs photo Albums/one.jpg 1
        agonyfs unmount Albums
        waits thumbnails=lazy true
        agonyfs unmount Albums
        waits ro true
        says 1 'read-only; 1 is still to be made' timeout 600 "$AGONYFS" thumbnails Albums
        agonyfs unmount Albums
        agonyfs mount --password-file password Vault Albums
        agonyfs thumbnails Albums > /dev/null
        is 'Albums/one.jpg\n' agonyfs list Albums 2> note
        not grep -q examined note
        """#)
  }

  /// A photo without a thumbnail is a photo.
  @Test func whatCannotBeDecodedIsFoundAllTheSame() throws {
    try mounted(
      #"""
      head -c 300 Albums/2024/d.jpg > Albums/2024/IMG_20240203_101112.jpg
      head -c 900 Albums/2019/Paris/e.mp4 > Albums/2024/VID_20240204_101112.mp4
      listed() { test "$(agonyfs list --count Albums/2024)" = 3; }
      wait_for 600 'all three are listed' listed
      is 'Albums/2024/IMG_20240203_101112.jpg\n' agonyfs list Albums date:2024-02-03
      is 'Albums/2024/VID_20240204_101112.mp4\n' agonyfs list Albums type:video date:2024-02-04
      agonyfs show Albums/2024/IMG_20240203_101112.jpg | grep -q 2024-02-03
      """#)
  }

  @Test func hostileNames() throws {
    try mounted(
      #"""
      mkdir "Albums/a
      b" Albums/-x
      for name in "$(printf 'new\nline.jpg')" "$(printf '\377.jpg')" "$(printf '\033[31mred.jpg')" -dash.jpg ' space .jpg'; do
        cp Albums/2024/d.jpg "Albums/-x/$name"
      done
      cp Albums/2024/d.jpg "Albums/a
      b/x.jpg"
      agonyfs thumbnails Albums > /dev/null
      # Each path leads to its file.
      agonyfs list -0 Albums/-x > paths
      test "$(tr -cd '\0' < paths | wc -c)" = 5
      xargs -0 ls -d -- < paths > /dev/null
      cd Albums
      agonyfs list -0 -- -x | xargs -0 ls -d > /dev/null
      cd ..
      test "$(agonyfs list --count "Albums/a
      b")" = 1
      agonyfs tag --add Odd --files0-from paths
      test "$(agonyfs list --count Albums tag:odd)" = 5
      agonyfs show "Albums/-x/$(printf 'new\nline.jpg')" | grep -Eq '^  tags +Odd +from you'
      agonyfs list --json Albums/-x | python3 -c "
      import json, os, sys
      for line in sys.stdin:
        facts = json.loads(line)
        path = bytes.fromhex(facts['pathBytes']) if 'pathBytes' in facts else facts['path'].encode()
        assert os.path.exists(path), path"
      # A directory whose name is no text is one like others.
      (
        directory=$(printf 'Albums/\377')
        mkdir "$directory"
        cp Albums/2024/d.jpg "$directory/inside.jpg"
        agonyfs thumbnails Albums > /dev/null
        cd "$directory"
        test "$(agonyfs list .)" = ./inside.jpg
        test "$(agonyfs list --count . inside)" = 1
        test "$(agonyfs list --group album --json .)" = \
          '{"title":"�","titleBytes":"ff","count":1,"newest":"./inside.jpg"}'
      )
      rm -r "$(printf 'Albums/\377')"
      # On a terminal nothing of them acts, and no line is wider than it.
      for columns in 20 45 80 200; do
        script -qc "stty cols $columns; '$AGONYFS' list Albums" /dev/null | tr -d '\r' > screen
        test $(wc -l < screen) = 11
        not grep -q "$(printf '\033')" screen
        test $(wc -L < screen) -le $columns
      done
      grep -q 'Albums/-x/new\\nline.jpg$' screen
      grep -q 'Albums/-x/\\xFF.jpg$' screen
      grep -q 'Albums/-x/\\x1B\[31mred.jpg$' screen
      """#)
  }
}
