import TestSupport
import Testing

/// Thumbnails of a real mount, made by the real decoder, in a process of its own.
@Suite struct CommandThumbnailTests {
  /// Pictures that differ, and functions that look at what is made of them.
  private static let start = """
    set -e
    photo() { vips gaussnoise "$1" "${2:-640}" "${3:-480}" --seed "${4:-1}"; }
    side() { vipsheader -f width "$1"; }
    # The name of a shared thumbnail, as libxfce4util before 4.19.4 makes it of a file name that needs no escaping.
    digest() { printf %s "$1" | md5sum | cut -c -32; }

    """

  private func mounted(_ script: String, options: String = "") throws {
    try expectSuccess(
      Self.start + """
        agonyfs mount \(options) --password-file password Vault Albums
        \(script)
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        """)
  }

  @Test func photosThatAreCopiedGetThumbnailsByThemselves() throws {
    try mounted(
      """
      mkdir Albums/Summer
      photo one.jpg 2000 1500 1
      photo two.png 300 600 2
      echo text > notes.jpg
      cp one.jpg two.png notes.jpg Albums/Summer
      agonyfs thumbnails Albums > told
      grep -q '2 made, 0 failed' told
      # Who looks into the vault sees the same.
      agonyfs info --password-file password Vault > shown
      grep -q 'thumbnails   2, 0 to go, 0 failed' shown
      grep -q "^this space, as of now; it is mounted at $W/Albums$" shown
      # What was done in this moment, too.
      i=0
      while [ $i -lt 8 ]; do
        touch Albums/$i
        agonyfs info --password-file password Vault > shown
        grep -qx "entries      $((i + 6))" shown
        i=$((i + 1))
      done
      rm Albums/[0-9]*
      test "$(side Albums/.agonyfs/thumbnails/256/Summer/one.jpg)" = 256
      test "$(side Albums/.agonyfs/thumbnails/1024/Summer/one.jpg)" = 1024
      test "$(side Albums/.agonyfs/thumbnails/256/Summer/two.png)" = 128
      test "$(side Albums/.agonyfs/thumbnails/1024/Summer/two.png)" = 300
      not test -e Albums/.agonyfs/thumbnails/256/Summer/notes.jpg
      for pair in normal:128 large:256 x-large:512 xx-large:1024; do
        png=Albums/Summer/.sh_thumbnails/${pair%:*}/$(digest one.jpg).png
        test "$(side $png)" = ${pair#*:}
        test "$(side Albums/Summer/.sh_thumbnails/${pair%:*}/$(digest ./one.jpg).png)" = ${pair#*:}
      done
      # They are found by name only, and are nobody's to change.
      test "$(find Albums | sort | tr '\\n' ' ')" = \\
        "Albums Albums/Summer Albums/Summer/notes.jpg Albums/Summer/one.jpg Albums/Summer/two.png "
      not rm Albums/.agonyfs/thumbnails/256/Summer/one.jpg 2> error
      grep -q 'Read-only' error
      not touch Albums/.agonyfs/mine 2> error
      grep -q 'Read-only' error
      # They follow the photo to its new name, and the new content.
      mv Albums/Summer/one.jpg Albums/Summer/1.jpg
      test "$(side Albums/.agonyfs/thumbnails/256/Summer/1.jpg)" = 256
      cp two.png Albums/Summer/1.jpg
      test "$(side Albums/.agonyfs/thumbnails/256/Summer/1.jpg)" = 128
      grep -q '"known": 2' Albums/.agonyfs/status
      """)
  }

  /// What decodes is in the other program only.
  /// A BMP is a photo. A song has the picture of its cover, and is none: it is in no answer, and is exported as it is.
  @Test func bitmapsAreFoundAndSongsAreShown() throws {
    try mounted(
      """
      ffmpeg -v error -f lavfi -i testsrc=size=640x480 -frames:v 1 picture.bmp
      ffmpeg -v error -f lavfi -i sine=duration=1 -i picture.bmp -map 0 -map 1 -c:a libmp3lame -c:v mjpeg song.mp3
      cp picture.bmp song.mp3 Albums
      cp song.mp3 Albums/again.mp3
      agonyfs thumbnails Albums > told
      grep -q '3 made, 0 failed' told
      for name in picture.bmp song.mp3 again.mp3; do
        cp Albums/.agonyfs/thumbnails/256/$name small.jpg
        test "$(side small.jpg)" = 256
      done
      test "$(agonyfs list Albums)" = Albums/picture.bmp
      test "$(ls Albums/.agonyfs/views/by-type)" = bmp
      not agonyfs list Albums type:mp3
      cat Albums/.agonyfs/thumbnails/full/picture.bmp > full.jpg
      test "$(side full.jpg)" = 640
      not ls Albums/.agonyfs/thumbnails/full/song.mp3
      agonyfs export --resize 100 Albums small
      test "$(side small/picture.jpg)" = 100
      cmp song.mp3 small/song.mp3
      """)
  }

  @Test func theProgramWithTheKeysLinksNoDecoder() throws {
    try expectSuccess(
      try Workspace(),
      """
      set -e
      ldd "$AGONYFS" > own
      ldd "${AGONYFS%/*}/agonyfs-decoder" > others
      not grep -E 'libvips|libav(codec|format|util)|libswscale|libheif|libjpeg' own
      grep -q libvips others
      grep -q libavcodec others
      """)
  }

  @Test func whatFailsIsListedWithItsReason() throws {
    try mounted(
      """
      photo one.jpg 600 400 1
      head -c 300 one.jpg > Albums/short.jpg
      agonyfs thumbnails Albums | grep -q '0 made, 1 failed'
      agonyfs thumbnails --failed Albums | grep -q '\tshort.jpg$'
      cp one.jpg Albums/short.jpg
      agonyfs thumbnails Albums | grep -q '1 made, 0 failed'
      agonyfs thumbnails --rebuild Albums | grep -q '1 made, 0 failed'
      test "$(side Albums/.agonyfs/thumbnails/256/short.jpg)" = 256
      """)
  }

  @Test(arguments: ["--thumbnails lazy", "-o thumbnails=lazy"]) func lazily(options: String) throws {
    try mounted(
      """
      photo Albums/one.jpg 600 400 1
      agonyfs thumbnails Albums | grep -q '0 made, 1 to go'
      test "$(side Albums/.agonyfs/thumbnails/1024/one.jpg)" = 600
      test "$(side Albums/.sh_thumbnails/normal/$(digest one.jpg).png)" = 128
      grep -q '"known": 1' Albums/.agonyfs/status
      """, options: options)
  }

  @Test(arguments: ["-o nothumbs", "--thumbnails none"]) func switchedOff(options: String) throws {
    try mounted(
      """
      photo Albums/one.jpg 600 400 1
      test "$(ls Albums/.agonyfs | tr '\n' ' ')" = 'failed motion query status views '
      not ls Albums/.agonyfs/thumbnails 2> error
      # Whoever looks for a thumbnail finds that there is none to be made.
      grep -q 'Thumb::MTime' Albums/.sh_thumbnails/normal/$(digest one.jpg).png
      says 14 'switched off' agonyfs thumbnails Albums
      """, options: options)
  }

  /// The decoder is killed again and again, and the program once, in the middle of many jobs.
  @Test func noJobIsLostWhenSomethingIsKilled() throws {
    let most = TestLength.count(5, few: 2, name: "kills")
    try mounted(
      """
      photo one.jpg 600 450 1
      n=40
      i=0
      # What follows the end of a JPEG is not looked at: the contents differ, and decode.
      add() { while [ $i -lt $n ]; do { cat one.jpg; echo $i; } > Albums/$i.jpg; i=$((i + 1)); done; }
      add
      daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
      kills=0
      while [ $kills -lt \(most) ]; do
        # However slow this shell is, there is something to do.
        n=$((n + 2))
        add
        if pkill -9 -P $daemon -f agonyfs-decoder; then kills=$((kills + 1)); fi
        kill -0 $daemon
        test $n -lt 2000
        sleep 0.1
      done
      n=$((n + 10))
      add
      # One brings all before it to the disk; Linux does not pass on `sync -f`.
      sync Albums/$((n - 1)).jpg
      kill -9 $daemon
      agonyfs unmount Albums
      # Nobody is left of it.
      wait_for 600 'the decoder ended' not pgrep -P $daemon
      agonyfs mount --password-file password Vault Albums
      agonyfs thumbnails Albums | tee said
      grep "$n made, 0 failed" said
      """)
  }

  /// The mount answers, its memory stays small, and the good files among the bad ones get their thumbnails.
  @Test func hostileFilesHarmOnlyThemselves() throws {
    let pairs = TestLength.count(60, few: 20, name: "damaged pairs")
    try mounted(
      """
      photo one.jpg 900 600 1
      vips black bomb.png 30000 30000
      mkdir Albums/good Albums/bad
      cp one.jpg Albums/good/a.mp4
      photo Albums/good/b.png 300 200 2
      cp bomb.png Albums/bad
      : > Albums/bad/empty.jpg
      truncate -s 4G Albums/bad/sparse.heic
      size=$(stat -c %s one.jpg)
      # Offsets and bytes by chance, the same each time.
      awk -v n=\(pairs) -v size=$size 'BEGIN { srand(1); for (i = 0; i < n; i++) print i, int(rand() * size), int(rand() * 256) }' |
        while read -r i offset byte; do
          cp one.jpg Albums/bad/flipped$i.jpg
          printf "\\$(printf %03o $byte)" | dd of=Albums/bad/flipped$i.jpg bs=1 seek=$offset conv=notrunc status=none
          head -c $offset one.jpg > Albums/bad/short$i.jpg
        done
      photo Albums/good/c.webp 400 300 3
      daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
      agonyfs thumbnails Albums > told
      test "$(side Albums/.agonyfs/thumbnails/256/good/a.mp4)" = 256
      test "$(side Albums/.agonyfs/thumbnails/256/good/b.png)" = 256
      test "$(side Albums/.agonyfs/thumbnails/256/good/c.webp)" = 256
      agonyfs thumbnails --failed Albums | grep -q 'bad/bomb.png'
      # Kibibytes.
      test "$(awk '/^VmHWM/ { print $2 }' /proc/$daemon/status)" -lt 262144
      agonyfs unmount Albums
      not pgrep -P $daemon
      agonyfs mount --password-file password Vault Albums
      """)
  }

  /// Whoever may not read a photo sees no thumbnail of it.
  @Test(.enabled(if: Workspace.isRoot, "needs root, to become another user"))
  func permissionsAreThoseOfThePhoto() throws {
    try mounted(
      """
      chmod 755 "$W"
      photo Albums/one.jpg 600 400 1
      photo Albums/two.jpg 600 400 2
      chmod 755 Albums
      chmod 600 Albums/one.jpg
      chmod 644 Albums/two.jpg
      agonyfs thumbnails Albums
      not setpriv --reuid 65534 --clear-groups cat Albums/.agonyfs/thumbnails/256/one.jpg > seen 2> error
      grep -q 'Permission denied' error
      setpriv --reuid 65534 --clear-groups cat Albums/.agonyfs/thumbnails/256/two.jpg > seen
      test "$(side seen)" = 256
      # Nor may those whom an access control list keeps out, whatever the mode says.
      setfacl -m u:65534:- Albums/two.jpg
      not setpriv --reuid 65534 --clear-groups cat Albums/.agonyfs/thumbnails/256/two.jpg > seen
      # Programs that copy by other calls than read get all of it.
      cp Albums/.agonyfs/thumbnails/256/one.jpg Albums/copy.jpg
      cp --sparse=always Albums/.agonyfs/status copy
      cmp Albums/.agonyfs/thumbnails/256/one.jpg Albums/copy.jpg
      grep -q '"store"' copy
      """, options: "-o allow_other")
  }
}
