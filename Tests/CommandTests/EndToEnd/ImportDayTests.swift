import Testing

/// `agonyfs import --by-date`: a photo lies under the day that the catalog shows.
@Suite struct ImportDayTests {
  /// `days FILES...` expects files in `Albums/Days`, in the order of their bytes, and `agree` compares their directories with
  /// `list` and with the view by date.
  private static let start = #"""
    photo() { mkdir -p "$(dirname "$1")"; vips gaussnoise "$1.jpg" 64 48 --seed $2; mv "$1.jpg" "$1"; }
    clip() { ffmpeg -loglevel error -f lavfi -i testsrc=d=1:s=64x48:r=10 -pix_fmt yuv420p "$@"; }
    says_itself() { exiftool -q -overwrite_original -n "$@"; }
    days() { test "$(cd Albums/Days && find . -type f | LC_ALL=C sort | tr '\n' ' ')" = "$(printf './%s ' "$@")"; }
    agree() {
      agonyfs list Albums --json > items && python3 -c "
    import json, os
    items = list(map(json.loads, open('items')))
    assert items
    for item in items:
        day = '/'.join(item['taken'][:10].split('-'))
        folder, name = os.path.split(item['path'])
        assert folder == 'Albums/Days/' + day, item
        view = 'undated' if item['takenSource'] == 'modified' else day if len(day) == 10 else day + '/undated'
        assert os.path.lexists('Albums/.agonyfs/views/by-date/' + view + '/' + name), item"
    }
    agonyfs mount --password-file password Vault Albums

    """#

  private func mounted(_ script: String) throws { try expectSuccess(Self.start + script) }

  /// In UTC the photo and the video are of the next day; the scan is of the day that its sidecar says.
  @Test(arguments: ["source", "all.zip"]) func theDayIsThatOfTheCatalog(source: String) throws {
    try mounted(
      #"""
      photo source/gps.jpg 1
      says_itself -GPSDateStamp=2023:05:02 -GPSTimeStamp=03:30:00 -GPSLatitude=34.0522 -GPSLatitudeRef=N \
        -GPSLongitude=118.2437 -GPSLongitudeRef=W source/gps.jpg
      clip -metadata creation_time=2023-05-02T03:30:00Z -metadata location=+34.0522-118.2437/ source/clip.mov
      photo source/scan.jpg 2
      says_itself -EXIF:DateTimeOriginal='2021:06:07 08:09:10' source/scan.jpg
      exiftool -q -XMP-exif:DateTimeOriginal='1953:04:05 12:00:00' source/scan.xmp
      photo source/july.jpg 4
      exiftool -q -XMP-photoshop:DateCreated=1953:07 source/july.xmp
      photo source/plain.jpg 3
      exiftool -q -XMP-dc:Title=Nothing source/plain.jpg.xmp
      find source -type f -exec touch -d '2024-03-03 12:00Z' {} +
      # A sidecar may come long before its photo.
      python3 -c "
      import os, zipfile
      with zipfile.ZipFile('all.zip', 'w') as archive:
          for name in sorted(os.listdir('source'), key=lambda name: not name.endswith('xmp')):
              archive.write('source/' + name)"
      if test -d \#(source); then
        tells 0 '1 photo or video states no time, and would go to the day of its file: .*/plain.jpg\.$' \
          agonyfs import --dry-run --by-date \#(source) Albums/Days
      fi
      tells 0 '1 photo or video states no time, and went to the day of its file: .*/plain.jpg\.$' \
        agonyfs import --by-date \#(source) Albums/Days
      tail -n 1 out | grep -q '8 files imported and verified.*/Albums/Days)\.$'
      days 1953/04/05/scan.jpg 1953/04/05/scan.xmp 1953/07/july.jpg 1953/07/july.xmp 2023/05/01/clip.mov \
        2023/05/01/gps.jpg 2024/03/03/plain.jpg 2024/03/03/plain.jpg.xmp
      agonyfs thumbnails Albums
      wait_for 600 'the catalog shows the days' agree
      tells 0 '8 imported before\|8 already in the space' agonyfs import --by-date \#(source) Albums/Days
      not grep 'no time' err
      """#)
  }

  /// Takeout says in UTC what was half past midnight in Paris; where, the description says or the photo itself. Without a
  /// place the clock of the space's home zone counts.
  @Test(arguments: ["x", "takeout.zip"]) func aTakeoutGoesToTheDaysOfItsPlaces(source: String) throws {
    try mounted(
      #"""
      top='x/Takeout/Google Photos/Photos from 2019'
      words() { printf '{"title": "%s", "photoTakenTime": {"timestamp": "1577835000"}%s}' "$@"; }
      photo "$top/p.jpg" 1
      words p.jpg ', "geoData": {"latitude": 48.8566, "longitude": 2.3522, "altitude": 30}' \
        > "$top/p.jpg.supplemental-metadata.json"
      photo "$top/q.jpg" 2
      says_itself -GPSLatitude=48.8566 -GPSLatitudeRef=N -GPSLongitude=2.3522 -GPSLongitudeRef=E "$top/q.jpg"
      words q.jpg '' > "$top/q.jpg.supplemental-metadata.json"
      photo "$top/nowhere.jpg" 3
      words nowhere.jpg '' > "$top/nowhere.jpg.supplemental-metadata.json"
      (cd x && python3 -m zipfile -c ../takeout.zip Takeout)
      agonyfs zone Albums Asia/Tokyo
      tells 0 '6 files imported' agonyfs import --by-date \#(source) Albums/Days
      not grep 'no time' err
      days 2020/01/01/nowhere.jpg 2020/01/01/nowhere.jpg.json 2020/01/01/p.jpg 2020/01/01/p.jpg.json \
        2020/01/01/q.jpg 2020/01/01/q.jpg.json
      agonyfs thumbnails Albums
      wait_for 600 'the catalog shows the days' agree
      # Also where it is not seen as a Takeout.
      tells 0 imported agonyfs import --no-takeout --no-skip-duplicates --by-date \#(source) Albums/Plain
      for name in p.jpg q.jpg; do
        test -e Albums/Plain/2020/01/01/$name
        test -e Albums/Plain/2020/01/01/$name.supplemental-metadata.json
      done
      test -e Albums/Plain/2020/01/01/nowhere.jpg
      """#)
  }

  /// A photo that cannot be decoded goes to the day that its description says; without one, it is reported.
  @Test(arguments: ["x", "takeout.zip"]) func aBrokenPhotoGoesToTheDayOfItsDescription(source: String) throws {
    try mounted(
      #"""
      top='x/Takeout/Google Photos/Photos from 2019'
      mkdir -p "$top" lone
      printf 'no picture' > "$top/broken.jpg"
      printf '{"title": "broken.jpg", "photoTakenTime": {"timestamp": "1577835000"}}' > "$top/broken.jpg.json"
      printf 'none either' > lone/lone.jpg
      find x lone -type f -exec touch -d '2024-03-03 12:00Z' {} +
      (cd x && python3 -m zipfile -c ../takeout.zip Takeout)
      agonyfs zone Albums Asia/Tokyo
      tells 0 '2 files imported' agonyfs import --by-date \#(source) Albums/Days
      not grep 'no time' err
      days 2020/01/01/broken.jpg 2020/01/01/broken.jpg.json
      tells 0 '1 photo or video states no time, and went to the day of its file: .*/lone.jpg\.$' \
        agonyfs import --by-date lone Albums/Lone
      test -e Albums/Lone/2024/03/03/lone.jpg
      """#)
  }

  /// The zone of a position is that of the mount's own table of towns. In Los Angeles it would be the day before.
  @Test func theTownsOfTheMountCount() throws {
    try mounted(
      #"""
      printf '1\tEdo\tEdo\t\t34.0522\t-118.2437\tP\tPPL\tUS\t\tCA\t\t\t\t900000\t\t\tAsia/Tokyo\t\n' > towns
      agonyfs unmount Albums
      agonyfs mount --password-file password --places towns Vault Albums
      photo card/gps.jpg 1
      says_itself -GPSDateStamp=2023:05:02 -GPSTimeStamp=03:30:00 -GPSLatitude=34.0522 -GPSLatitudeRef=N \
        -GPSLongitude=118.2437 -GPSLongitudeRef=W card/gps.jpg
      tells 0 '1 file imported' agonyfs import --by-date card Albums/Days
      days 2023/05/02/gps.jpg
      agonyfs thumbnails Albums
      wait_for 600 'the catalog shows the day' agree
      mv towns elsewhere
      says 1 'table of towns .*/towns, which cannot be read here' agonyfs import --by-date card Albums/Other
      not test -e Albums/Other/2023
      """#)
  }

  /// A home zone that is changed while folders are watched counts for what comes then.
  @Test func whatComesLaterGoesByTheNewHomeZone() throws {
    try mounted(
      #"""
      mkdir inbox
      touch -d '2025-01-01 02:00Z' a b
      agonyfs zone Albums America/New_York
      agonyfs import --watch --by-date inbox Albums/Zoned > watched 2>&1 & watcher=$!
      cp -p a inbox
      wait_for 600 'a was imported' test -e Albums/Zoned/2024/12/31/a
      agonyfs zone Albums Asia/Tokyo
      cp -p b inbox
      wait_for 600 'b was imported' test -e Albums/Zoned/2025/01/01/b
      kill -TERM $(pgrep -f "^[^ ]*agonyfs import --watch .* Albums/Zoned$")
      wait $watcher || test $? = 143
      """#)
  }

  /// What knows its time leads what does not; else each is of its own day, and is reported.
  @Test func theOneThatKnowsItsTimeLeads() throws {
    try mounted(
      #"""
      photo pair/a.jpg 1
      clip -metadata creation_time=2022-02-02T12:00:00Z pair/a.mov
      find pair -type f -exec touch -d '2024-03-03 12:00Z' {} +
      tells 0 '2 files imported' agonyfs import --by-date pair Albums/Days
      not grep 'no time' err
      days 2022/02/02/a.jpg 2022/02/02/a.mov
      tells 0 '1 photo or video states no time, and went to the day of its file: .*/a.jpg\.$' \
        agonyfs import --by-date --no-move-companions pair Albums/Own
      test -e Albums/Own/2024/03/03/a.jpg
      test -e Albums/Own/2022/02/02/a.mov
      # A sidecar that not all may read who may read its photo does not count.
      photo private/b.jpg 2
      exiftool -q -XMP-exif:DateTimeOriginal='1953:04:05 12:00:00' private/b.xmp
      chmod 644 private/b.jpg
      chmod 600 private/b.xmp
      touch -d '2024-03-03 12:00Z' private/b.jpg private/b.xmp
      tells 0 'no time' agonyfs import --by-date private Albums/Private
      test -e Albums/Private/2024/03/03/b.xmp
      # What the user said counts most, where the source's file system keeps it.
      photo said/c.jpg 3
      touch -d '2024-03-03 12:00Z' said/c.jpg
      if setfattr -n user.agonyfs.taken -v 1961-02-03 said/c.jpg; then
        tells 0 '1 file imported' agonyfs import --by-date said Albums/Said
        test -e Albums/Said/1961/02/03/c.jpg
      fi
      """#)
  }
}
