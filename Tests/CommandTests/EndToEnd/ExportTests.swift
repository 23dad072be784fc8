import Testing

/// `agonyfs export` with real mounts.
@Suite struct ExportTests {
  /// `Albums` with files of all kinds, and `sums`, the contents of all files of a folder by their names.
  private static let start =
    #"""
    sums() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2); }
    agonyfs mount --password-file password Vault Albums
    mkdir -p Albums/Iceland/Day Albums/empty
    vips black a.v 640 480 --bands 3; vips linear a.v b.v 1 120; vips cast b.v c.v uchar
    for n in 1 2 3; do vips jpegsave c.v Albums/Iceland/IMG_$n.jpg --Q $((90 + n)); done
    exiftool -q -overwrite_original -n -GPSLatitude=48.8584 -GPSLatitudeRef=N -GPSLongitude=2.2945 -GPSLongitudeRef=E \
      -Orientation=6 -Make=Agony Albums/Iceland/IMG_1.jpg
    : > Albums/empty.txt
    printf x > "$(printf 'Albums/Iceland/no utf8 \377')"
    truncate -s 20M Albums/hole
    head -c 3000000 /dev/urandom > Albums/Iceland/Day/large
    find Albums -type f -exec touch -d '2019-08-15 12:34:56.123456789' {} +
    agonyfs thumbnails Albums > thumbnails

    """#

  private func mounted(_ script: String) throws {
    try expectSuccess(Self.start + script)
  }

  @Test func everythingIsExported() throws {
    try mounted(
      #"""
      agonyfs tag --add Family Albums/Iceland/IMG_2.jpg
      sums Albums > before
      tells 0 '7 files exported and verified .*not encrypted' agonyfs export Albums copy
      sums copy | diff - before
      test -d copy/empty && test ! -e copy/.agonyfs
      test "$(stat -c %.9Y copy/Iceland/IMG_1.jpg)" = "$(stat -c %.9Y Albums/Iceland/IMG_1.jpg)"
      getfattr --only-values -n user.xdg.tags copy/Iceland/IMG_2.jpg | grep -x Family || grep 'lost extended' err
      test "$(du -k copy/hole | cut -f 1)" -lt 1000
      tells 0 '0 files exported and verified, 7 there already' agonyfs export Albums copy
      # Another content under the name is not replaced.
      echo other > copy/Iceland/IMG_3.jpg
      tells 0 '1 file exported and verified, 6 there already' agonyfs export Albums copy
      test "$(cat copy/Iceland/IMG_3.jpg)" = other
      cmp 'copy/Iceland/IMG_3 (2).jpg' Albums/Iceland/IMG_3.jpg
      # An album is the root of what is exported.
      tells 0 '5 files' agonyfs export --no-verify Albums/Iceland album
      (cd Albums/Iceland && find . -type f -exec cmp {} "$W/album/{}" \;)
      # Sidecars and queries.
      agonyfs thumbnails Albums
      tells 0 '1 file exported' agonyfs export Albums 'tag:Family' found
      test "$(find found -type f)" = found/Iceland/IMG_2.jpg
      tells 0 '2 files exported' agonyfs export Albums type:photo -tag:Family -- others
      tells 0 'Nothing was found' agonyfs export Albums tag:Nothing none
      test ! -e none
      # The vault itself, while it is mounted and afterwards.
      tells 0 '7 files exported' agonyfs export --password-file password Vault fromvault
      sums fromvault | diff - before
      agonyfs unmount Albums
      tells 0 '7 files exported and verified' agonyfs export --password-file password Vault again
      sums again | diff - before
      test "$(stat -c %.9Y again/hole)" = "$(stat -c %.9Y copy/hole)"
      getfattr --only-values -n user.xdg.tags again/Iceland/IMG_2.jpg | grep -x Family || true
      tells 0 '1 file exported' agonyfs export --password-file password Vault tag:Family foundagain
      test "$(find . -name '.agonyfs-export*')" = ""
      """#)
  }

  @Test func archives() throws {
    try mounted(
      #"""
      tells 0 '7 files exported and verified' agonyfs export Albums all.zip
      unzip -tqq all.zip
      python3 - << 'END'
      import os, zipfile
      z = zipfile.ZipFile('all.zip')
      assert z.testzip() is None
      files = [i for i in z.infolist() if not i.is_dir()]
      assert len(files) == 7 and 'empty/' in z.namelist()
      for info in files:
          name = info.filename.encode('cp437') if not info.flag_bits & 0x800 else info.filename.encode()
          with open(b'Albums/' + name, 'rb') as file: assert file.read() == z.read(info)
      END
      # Our own import takes it, and finds that the space has all of it.
      tells 0 'already in the space' agonyfs import all.zip Albums/Back
      sums Albums > before && (cd Albums/Back && find . -type f -exec cmp {} "$W/Albums/{}" \;)
      test "$(find Albums/Back -type f | wc -l)" = 7 && rm -r Albums/Back
      tells 11 'is not replaced' agonyfs export Albums all.zip
      # Standard output has nothing but the archive, also when it is a pipe.
      agonyfs export Albums type:photo - 2> err | cat > stream.zip
      grep '3 files exported ' err
      unzip -tqq stream.zip
      test "$(unzip -Z1 stream.zip | sort | tr '\n' ' ')" = 'Iceland/IMG_1.jpg Iceland/IMG_2.jpg Iceland/IMG_3.jpg '
      tells 0 'Nothing was found' agonyfs export Albums tag:Nothing never.zip
      test ! -e never.zip
      # Names that Windows refuses are said, and replaced if that is asked for.
      printf x > Albums/a:b
      tells 0 'refuse 2 names: a:b, Iceland/no utf8 .xFF.*--portable' agonyfs export Albums plain.zip
      tells 0 'refuse 2 names' agonyfs export --portable Albums portable.zip
      unzip -Z1 portable.zip | grep -x a_b
      unzip -Z1 portable.zip | grep -x 'Iceland/no utf8 _'
      """#)
  }

  @Test func wordsGoAlong() throws {
    try mounted(
      #"""
      agonyfs tag --add 'Family,Places/Paris,AC\/DC,Music/Him\/Her' --title 'Tür & <Tor>' --rating 4 --person 'Anna Schmidt' --person Bob \
        --favourite --position=-33.8568,151.2153 --caption "$(printf 'one\ntwo')" --taken 2018-02-03T04:05:06+02:00 \
        Albums/Iceland/IMG_2.jpg
      agonyfs tag --title Own Albums/Iceland/IMG_3.jpg
      printf '<x/>' > Albums/Iceland/IMG_3.jpg.xmp
      agonyfs thumbnails Albums
      tells 0 '8 files exported and verified, 1 sidecar' agonyfs export --xmp Albums copy
      grep '1 file with words of yours had a sidecar already' err
      test "$(cat copy/Iceland/IMG_3.jpg.xmp)" = '<x/>'
      test ! -e copy/Iceland/IMG_1.jpg.xmp
      tells 0 '8 there already' agonyfs export --xmp Albums copy
      exiftool -json -n copy/Iceland/IMG_2.jpg.xmp > words
      python3 - << 'END'
      import json
      w = json.load(open('words'))[0]
      assert w['Title'] == 'Tür & <Tor>' and w['Rating'] == 4 and w['Subject'] == ['Family', 'AC/DC'], w
      assert w['TagsList'] == 'Places/Paris', w
      assert w['HierarchicalSubject'] == ['Places|Paris', 'AC/DC', 'Music|Him/Her'], w
      assert w['PersonInImage'] == ['Anna Schmidt', 'Bob'] and w['Description'] == 'one\ntwo', w
      assert abs(w['GPSLatitude'] + 33.8568) < 1e-6 and abs(w['GPSLongitude'] - 151.2153) < 1e-6, w
      END
      # Another space reads the same words from it.
      words() { agonyfs list --json "$1" name:IMG_2 | python3 -c "
      import json, sys
      r = json.loads(sys.stdin.readline())
      print([r.get(f) for f in ('title', 'caption', 'rating', 'favourite', 'tags', 'people', 'latitude', 'longitude', 'taken')])"; }
      words Albums > before
      agonyfs unmount Albums
      cp -r Vault Other && rm -r Vault
      agonyfs create --kdf interactive --cover 0 --segment-size 1M --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      # Without attributes, so that only the sidecars say it.
      find copy -type f -exec setfattr -x user.xdg.tags {} \; 2> /dev/null || true
      mkdir plain && cp -r --no-preserve=xattr copy plain/
      tells 0 imported agonyfs import plain/copy Albums
      agonyfs thumbnails Albums
      words Albums | diff - before
      grep 'Places/Paris' before && grep Anna before
      # A destination has the user's words, and says nothing of places if it is not to.
      tells 0 exported agonyfs export --xmp --strip location Albums/copy/Iceland type:jpeg bare
      not grep -rl GPS bare
      """#)
  }

  @Test func copiesWithoutMetadata() throws {
    try mounted(
      #"""
      sums Albums > before
      tells 18 'it is neither a picture nor a video' agonyfs export --strip location Albums bare
      grep '3 files exported and verified, 4 not exported' out
      test "$(find bare -type f | wc -l)" = 3
      test -z "$(exiftool -q -r -if '$GPSLatitude' -p '$FileName' bare)"
      test "$(exiftool -s3 -n -Orientation -Make bare/Iceland/IMG_1.jpg | tr '\n' ' ')" = '6 Agony '
      tells 0 '3 files exported' agonyfs export --strip all Albums type:photo all
      test -z "$(exiftool -q -s3 -Make -GPSLatitude all/Iceland/IMG_1.jpg)"
      test "$(stat -c %Y all/Iceland/IMG_1.jpg)" != "$(stat -c %Y Albums/Iceland/IMG_1.jpg)"
      tells 0 '7 files exported' agonyfs export --resize 100 Albums small
      test "$(exiftool -s3 -ImageSize small/Iceland/IMG_1.jpg)" = 75x100
      test "$(exiftool -s3 -ImageSize small/Iceland/IMG_2.jpg)" = 100x75
      cmp small/Iceland/Day/large Albums/Iceland/Day/large
      tells 0 '3 files exported' agonyfs export --resize 100 --strip all Albums type:photo small.zip
      unzip -tqq small.zip
      sums Albums | diff - before
      """#)
  }

  @Test func badInputIsRefused() throws {
    try mounted(
      #"""
      tells 2 'Name the mounted space or the vault first' agonyfs export Albums
      tells 14 'There is nothing' agonyfs export nowhere copy
      tells 14 'neither a vault nor in a mounted space' agonyfs export "$W" copy
      tells 2 'date' agonyfs export Albums date:nonsense copy
      tells 2 'is a part of a query' agonyfs export Albums 'rating:>3'
      not ls -d rating*
      tells 2 'in the space' agonyfs export Albums Albums/copy
      tells 2 'in the space' agonyfs export Albums Albums
      ln -s Albums/Iceland link
      tells 2 'in the space' agonyfs export Albums link/copy
      tells 2 'in the space' agonyfs export Albums link
      tells 2 'in the vault' agonyfs export Albums Vault/copy
      tells 2 'in the vault' agonyfs export --password-file password Vault Vault/segments
      tells 2 'mkdir -p' agonyfs export Albums no/such/folder
      tells 2 'mkdir -p' agonyfs export Albums no/such.zip
      echo file > file
      tells 11 'is not replaced' agonyfs export Albums file
      tells 2 'strip' agonyfs export --strip some Albums copy
      tells 2 '16' agonyfs export --resize 1 Albums copy
      tells 2 'destination is empty' agonyfs export Albums ''
      test ! -e copy && test "$(cat file)" = file && test ! -e Albums/copy
      mkdir readonly && mount -t tmpfs -o ro none readonly && {
        tells 1 'mounted read-only' agonyfs export Albums readonly/copy; umount readonly; }
      ln -s IMG_1.jpg Albums/Iceland/link; mkfifo Albums/fifo
      tells 18 'it is a symbolic link' agonyfs export Albums copy
      grep -q 'it is a FIFO' err
      grep -q '7 files exported and verified, 2 not exported' out
      """#)
  }

  /// A destination that is full: a sentence, and nothing that is not whole.
  @Test(.enabled(if: Workspace.isRoot)) func fullDestination() throws {
    try mounted(
      #"""
      mkdir small && mount -t tmpfs -o size=2M none small
      tells 17 'destination is full' agonyfs export Albums small/copy
      test -z "$(find small -name '.agonyfs*')"
      (cd small/copy && find . -type f -exec cmp {} "$W/Albums/{}" \;)
      rm -r small/copy
      tells 17 'destination is full' agonyfs export Albums small/all.zip
      test -z "$(ls -A small)"
      umount small
      """#)
  }

  @Test func interrupted() throws {
    try mounted(
      #"""
      mkdir Albums/many
      head -c 9000000 /dev/urandom | (cd Albums/many && split -b 20000 -d -a 3)
      agonyfs export Albums copy 2> err & first=$!
      wait_for 600 'the first file' test -e copy/many/x010
      kill -INT $(pgrep -f "^[^ ]*agonyfs export Albums copy") || true
      kill -TERM $(pgrep -f "^[^ ]*agonyfs export Albums copy") || true
      got=0; wait $first || got=$?
      test $got = 143 || test $got = 0 || test $got = 130
      test -z "$(find copy -name '.agonyfs*')"
      tells 0 'there already' agonyfs export Albums copy
      sums Albums > before && sums copy | diff - before
      """#)
  }
}
