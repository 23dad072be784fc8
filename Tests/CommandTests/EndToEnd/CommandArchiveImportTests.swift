import TestSupport
import Testing

/// `agonyfs import` of archives and Google Takeouts, with real mounts.
@Suite struct CommandArchiveImportTests {
  /// A Takeout of two parts, and its directories; the pictures have no metadata of their own.
  private static let start =
    #"""
    for n in 1 2 3 4; do vips black $n.jpg 4$n 30; done
    python3 - << 'END'
    import json, os, tarfile, zipfile
    top = "Takeout/Google Photos/"; year, album = top + "Photos from 2019/", top + "Rome & me/"
    def words(title, **more):
        return json.dumps({"title": title, "photoTakenTime": {"timestamp": "1563000000"}, **more}).encode()
    photo = [open(f"{n}.jpg", "rb").read() for n in (1, 2, 3, 4)]
    files = {
        year + "a.jpg": photo[0],
        year + "a.jpg.supplemental-metadata.json": words("a.jpg", description="Ann at noon", favorited=True,
            people=[{"name": "Ann"}], geoData={"latitude": 41.9, "longitude": 12.5, "altitude": 20}),
        album + "a.jpg": photo[0], album + "metadata.json": json.dumps({"title": "Rome & me"}).encode(),
        year + "b(1).jpg": photo[1], year + "b.jpg.supplemental-metadata(1).json": words("b.jpg", description="second"),
        year + "alone.jpg": photo[2], top + "Trash/gone.jpg": photo[3]}
    with zipfile.ZipFile("takeout-001.zip", "w") as one:
        for name, content in files.items():
            if name.endswith("json"): one.writestr(name, content)
    os.makedirs("x")
    with tarfile.open("takeout-002.tgz", "w:gz") as two:
        for name, content in files.items():
            path = "x/" + name
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "wb").write(content)
            if not name.endswith("json"): two.add(path, name)
    END
    agonyfs mount --password-file password Vault Albums

    """#

  private func mounted(_ script: String) throws {
    try expectSuccess(Self.start + script)
  }

  private static let check = #"""

    cmp 1.jpg "Albums/Photos from 2019/a.jpg"; cmp 2.jpg "Albums/Photos from 2019/b(1).jpg"
    test "$(stat -c %i "Albums/Photos from 2019/a.jpg")" = "$(stat -c %i "Albums/Rome & me/a.jpg")"
    agonyfs thumbnails Albums
    # Descriptions are read and matched a moment after the thumbnails.
    words() { agonyfs list Albums --json > list && grep -q 'Ann at noon' list && grep -q '"caption":"second"' list; }
    wait_for 600 'the descriptions' words
    python3 -c "
    import json
    items = {item['path']: item for item in map(json.loads, open('list'))}
    item = items['Albums/Photos from 2019/a.jpg']
    assert item['caption'] == 'Ann at noon' and item['people'] == ['Ann'] and item['favourite'], item
    assert item['taken'].startswith('2019-07-13T08:40:00') and item['place']['code'] == 'IT', item
    assert items['Albums/Photos from 2019/b(1).jpg']['caption'] == 'second', items
    assert 'caption' not in items['Albums/Photos from 2019/alone.jpg'], items" || { cat list >&2; exit 1; }

    """#

  @Test func aTakeoutInArchives() throws {
    try mounted(
      #"""
      tells 18 '2 files have a description, 3 have none' agonyfs import --dry-run takeout-00* Albums
      tells 18 'in the trash of the Takeout' agonyfs import --report report takeout-00* Albums
      python3 -c "
      import json
      lines = [json.loads(line) for line in open('report')]
      assert len(lines) == 8 and sum(line['outcome'] == 'skipped' for line in lines) == 1, lines
      state = {'/'.join(line['source'].split('/')[-2:]): line.get('described') for line in lines}
      assert state['Photos from 2019/a.jpg'] and state['Photos from 2019/b(1).jpg'], state
      assert state['Photos from 2019/alone.jpg'] is False and state['Rome & me/a.jpg'] is False, state"
      """# + Self.check
        + #"""
        # Nothing goes as long as the trash is not in the space.
        tells 18 'a Takeout is deleted only as a whole' agonyfs import --delete-originals --yes takeout-00* Albums
        test -e takeout-001.zip && test -e takeout-002.tgz
        tells 0 '2 originals deleted' agonyfs import --takeout-trash --delete-originals --yes takeout-00* Albums
        not ls takeout-00*
        test -e Albums/Trash/gone.jpg && test "$(find Albums -type f | wc -l)" = 9
        test -z "$(ls -A Albums/.agonyfs/incoming)"
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        """#)
  }

  @Test func aTakeoutInDirectories() throws {
    try mounted(
      #"""
      tells 0 '8 files imported and verified\|already in the space' \
        agonyfs import --takeout-trash --delete-originals --yes x Albums
      test -z "$(find x -type f)"
      """# + Self.check
        + #"""
        tells 0 imported agonyfs import --by-date --no-takeout takeout-00* Albums/Days
        test -e "Albums/Days/$(date +%Y/%m/%d)/alone.jpg"
        """#)
  }

  /// A part whose photos have their descriptions in another one, and then all parts.
  @Test func aPartOfATakeout() throws {
    try mounted(
      #"""
      name=takeout-20240101T000000Z
      mv takeout-001.zip $name-001.zip
      mv takeout-002.tgz $name-002.tgz
      tells 18 "Parts are missing: $name-001. They may contain descriptions" agonyfs import $name-002.tgz Albums
      test ! -e Albums/Takeout
      sums() { find Albums -name '*.jpg' -exec stat -c '%i %n' {} + | sort; }
      sums > before
      test "$(wc -l < before)" = 4
      tells 18 "may be in a part after $name-002: if there is one" agonyfs import $name-00* Albums
      sums | cmp - before
      test -e 'Albums/Photos from 2019/a.jpg.json'
      tells 18 'without a description is sorted by the day' agonyfs import --by-date --dry-run $name-002.tgz Albums/Days
      # A folder that is only called so is none.
      mkdir -p Photos/2019
      vips black Photos/2019/own.jpg 50 30
      agonyfs import Photos Albums > said 2>&1
      not grep -q Takeout said
      test -e Albums/Photos/2019/own.jpg
      """# + Self.check)
  }

  @Test func albumsByDayOfATakeout() throws {
    try mounted(
      #"""
      tells 0 imported agonyfs import --by-date --takeout-trash takeout-00* Albums/Days
      cmp 1.jpg Albums/Days/2019/07/13/a.jpg; cmp 1.jpg 'Albums/Days/Rome & me/a.jpg'
      test -e Albums/Days/2019/07/13/a.jpg.json
      test "$(stat -c %i Albums/Days/2019/07/13/a.jpg)" = "$(stat -c %i 'Albums/Days/Rome & me/a.jpg')"
      """#)
  }

  @Test func whatIsNoArchiveIsSaid() throws {
    try mounted(
      #"""
      echo text > text.zip
      tells 18 'its archive format is not known' agonyfs import text.zip Albums
      tells 18 'its archive format is not known' agonyfs import --delete-originals --yes text.zip Albums
      test -e text.zip
      tells 0 '1 file imported' agonyfs import 1.jpg Albums
      """#)
  }

  @Test(.enabled(if: TestLength.isWhole, "unpacks a gigabyte; with scripts/test --all"))
  func anArchiveOfZerosIsNotUnpacked() throws {
    try mounted(
      #"""
      # More than a gigabyte, and more than a thousand times what it takes.
      python3 -c "
      import zipfile
      with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as bomb:
          with bomb.open('zeros', 'w', force_zip64=True) as zeros:
              for _ in range(1200): zeros.write(bytes(1 << 20))"
      tells 18 'it may be a trap' agonyfs import bomb.zip Albums
      not ls Albums/zeros
      test -z "$(ls -A Albums/.agonyfs/incoming)"
      """#)
  }
}
