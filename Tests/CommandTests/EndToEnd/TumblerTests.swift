import Testing

/// Xfce's thumbnail service finds what it needs in the mount, and writes nothing into the home directory.
@Suite struct TumblerTests {
  /// `ask SIZES FILE...` has tumbler look at files, and says how many thumbnails the home directory has then.
  static let asking = """
    cat > asking <<'END'
    uri() { printf "'file://%s'" "$1" | sed 's/ /%20/g'; }
    kind() {
      case $1 in
        *.png) echo image/png ;; *.bmp) echo image/bmp ;; *.tga) echo image/x-tga ;; *.svg) echo image/svg+xml ;;
        *.ppm) echo image/x-portable-pixmap ;; *.mp3) echo audio/mpeg ;; *.txt) echo text/plain ;;
        *.mts) echo video/mp2t ;; *.mpg) echo video/mpeg ;; *.avi) echo video/x-msvideo ;; *.ogv) echo video/ogg ;;
        *.wmv) echo video/x-ms-wmv ;; *.flv) echo video/x-flv ;; *) echo image/jpeg ;;
      esac
    }
    dbus-monitor --session "interface='org.freedesktop.thumbnails.Thumbnailer1'" > signals &
    i=0
    until grep -q 'member=NameLost' signals; do i=$((i + 1)); test $i -lt 6000; sleep 0.1; done
    for flavor in $SIZES; do
      for file in "$@"; do
        before=$(grep -c 'member=Finished' signals || true)
        gdbus call --session --dest org.freedesktop.thumbnails.Thumbnailer1 \\
          --object-path /org/freedesktop/thumbnails/Thumbnailer1 \\
          --method org.freedesktop.thumbnails.Thumbnailer1.Queue \\
          "[$(uri "$file")]" "['$(kind "$file")']" $flavor default 0 > /dev/null
        i=0
        while [ "$(grep -c 'member=Finished' signals || true)" = "$before" ]; do
          i=$((i + 1)); test $i -lt 6000; sleep 0.1
        done
      done
    done
    END
    ask() {
      sizes=$1
      shift
      env -i W="$W" SIZES="$sizes" HOME="$W/home" PATH="$PATH" LC_ALL=C.UTF-8 dbus-run-session -- sh -e asking "$@"
      find home -name '*.png' | wc -l
    }

    """

  private static let start =
    asking + """
      photo() { vips gaussnoise "$1" "${2:-640}" "${3:-480}" --seed "${4:-1}"; }
      ask_both() { ask 'normal large' "$@"; }
      mkdir home

      """

  private func mounted(_ script: String, options: String = "") throws {
    try expectSuccess(
      Self.start + """
        agonyfs mount \(options) --password-file password Vault Albums
        \(script)
        agonyfs unmount Albums
        """)
  }

  @Test func keepsNoThumbnailsOfPhotos() throws {
    try mounted(
      """
      mkdir Albums/Summer
      photo "Albums/Summer/one two.jpg" 2000 1500 1
      photo Albums/Summer/old.png 900 700 2
      touch -d '2001-02-03 04:05:06.25' Albums/Summer/old.png
      photo outside.jpg 2000 1500 3
      test "$(ask_both "$W/Albums/Summer/one two.jpg" "$W/Albums/Summer/old.png")" = 0
      # It does write what it finds no thumbnail of, so this test sees what it looks for.
      test "$(ask_both "$W/outside.jpg")" = 2
      """)
  }

  /// Also of photos that are looked at through the links of a view.
  @Test func keepsNoThumbnailsOfViews() throws {
    try mounted(
      """
      mkdir Albums/Summer
      photo one.jpg 2000 1500 1
      exiftool -q -overwrite_original -EXIF:DateTimeOriginal='2001:02:03 04:05:06' one.jpg
      cp one.jpg "Albums/Summer/one two.jpg"
      day="$W/Albums/.agonyfs/views/by-date/2001/02/03"
      wait_for 600 'the photo was examined' test -L "$day/one two.jpg"
      test "$(ask_both "$day/one two.jpg" "$W/Albums/.agonyfs/views/by-type/jpeg/one two.jpg")" = 0
      test "$(ask_both "$W/one.jpg")" = 2
      """)
  }

  /// Also where agonyfs has no thumbnail itself: formats that it does not decode, hidden files, times that tumbler takes
  /// for others, and mounts without thumbnails.
  @Test(arguments: ["", "-o nothumbs"]) func keepsNoThumbnailsOfAnythingElse(options: String) throws {
    try mounted(
      """
      photo one.png 320 240 1
      for ending in mts mpg avi wmv flv; do
        ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=25:duration=1 -pix_fmt yuv420p Albums/video.$ending
      done
      ffmpeg -v error -f lavfi -i testsrc=size=320x240:rate=25:duration=1 -c:v libtheora Albums/video.ogv
      ffmpeg -v error -f lavfi -i sine=duration=1 -i one.png -map 0 -map 1 -c:v copy Albums/sound.mp3
      for ending in bmp tga ppm; do ffmpeg -v error -i one.png -frames:v 1 Albums/picture.$ending; done
      echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>' \\
        > Albums/drawing.svg
      echo words > Albums/words.txt
      photo .hidden.jpg
      cp .hidden.jpg Albums/
      for date in '1960-05-06 07:08:09' '1960-05-06 07:08:09.25' '1969-12-31 23:59:59 UTC' '1970-01-01 UTC'; do
        cp .hidden.jpg "Albums/at $date.jpg"
        touch -d "$date" "Albums/at $date.jpg"
      done
      # Whatever is in the mount, and one file that shows that tumbler works.
      set --
      for file in Albums/*.* Albums/.hidden.jpg; do set -- "$@" "$W/$file"; done
      test $# = 17
      test "$(ask_both "$@")" = 0
      cp Albums/picture.bmp outside.bmp
      test "$(ask_both "$W/outside.bmp")" = 2
      """, options: options)
  }
}
