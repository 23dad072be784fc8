import TestSupport
import Testing

/// Albums that have a real `.sh_thumbnails`, from a disk that somebody shared: it takes the place of the virtual one.
@Suite struct SharedFolderTests {
  /// An album with such a folder and more in it than thumbnails; `same DIRECTORY` compares a copy with it.
  private static let start = """
    mkdir -p from/.sh_thumbnails/normal from/.sh_thumbnails/foreign from/deep/.sh_thumbnails
    echo picture > from/.sh_thumbnails/normal/0123.png
    echo own > from/.sh_thumbnails/own
    ln -s own from/.sh_thumbnails/link
    ln from/.sh_thumbnails/own from/.sh_thumbnails/hard
    mkfifo from/.sh_thumbnails/fifo
    echo photo > from/photo
    chmod 750 from/.sh_thumbnails
    chmod 640 from/.sh_thumbnails/own
    find from -depth -exec touch -h -d 2020-01-02T03:04:05 {} +
    listed() { (cd $1 && find . -mindepth 1 \\( -type d -printf '%P %y %m %T@\\n' \\) -o -printf '%P %y %m %T@ %n %s %l\\n') | sort; }
    same() { listed from > one; listed $1 > other; cmp one other; cmp from/.sh_thumbnails/own $1/.sh_thumbnails/own; }

    """

  private func mounted(_ script: String) throws {
    try expectSuccess(
      Self.start + """
        agonyfs mount --password-file password Vault Albums
        \(script)
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        """)
  }

  @Test(
    arguments: TestLength.drawn(
      [
        "cp -a from Albums/copy", "rsync -aH from/ Albums/copy/",
        "tar -cf from.tar from; mkdir Albums/copy; tar -xpf from.tar -C Albums/copy --strip-components 1",
        "mkdir Albums/copy; cp -a from/. Albums/copy/", "mkdir Albums/copy; rsync -aH from/ Albums/copy/",
        "mkdir Albums/copy; cp -a from/.sh_thumbnails Albums/copy/; rsync -aH from/ Albums/copy/",
        "cp -a from moved; mv moved Albums/copy",
      ], 3))
  func everyByteIsCopied(_ copy: String) throws {
    try mounted(
      """
      \(copy)
      same Albums/copy
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      same Albums/copy
      # And back.
      cp -a Albums/copy back
      same back
      cp -a from/.sh_thumbnails Albums/
      rm Albums/.sh_thumbnails/fifo Albums/.sh_thumbnails/link Albums/copy/.sh_thumbnails/fifo Albums/copy/.sh_thumbnails/link
      agonyfs export Albums out
      cmp from/.sh_thumbnails/normal/0123.png out/.sh_thumbnails/normal/0123.png
      cmp from/.sh_thumbnails/normal/0123.png out/copy/.sh_thumbnails/normal/0123.png
      """)
  }

  /// Where thumbnails are already, under the very names that are copied in.
  @Test(
    arguments: TestLength.drawn(
      [
        "cp -a from/.sh_thumbnails Albums/copy/", "cp -r from/.sh_thumbnails Albums/copy/",
        "cp -a --remove-destination from/.sh_thumbnails Albums/copy/", "rsync -a from/.sh_thumbnails Albums/copy/",
        "rsync -a --inplace from/.sh_thumbnails Albums/copy/", "tar -C from -c .sh_thumbnails | tar -C Albums/copy -x",
        "mkdir -p Albums/copy/.sh_thumbnails/normal; for i in from/.sh_thumbnails/normal/*; do mv $i Albums/copy/.sh_thumbnails/normal; done",
        "cat $real > $png",
      ], 3))
  func whatThumbnailsAreCalledIsCopied(_ copy: String) throws {
    try mounted(
      """
      vips gaussnoise one.jpg 640 480
      mkdir Albums/copy
      cp one.jpg Albums/copy
      agonyfs thumbnails Albums
      name=$(printf %s ./one.jpg | md5sum | cut -c -32).png
      png=Albums/copy/.sh_thumbnails/normal/$name
      real=from/.sh_thumbnails/normal/$name
      echo "theirs" > $real
      cp $real theirs
      test "$(vipsheader -f width $png)" = 128
      exec 5< $png
      \(copy)
      cmp theirs $png
      # Who has the made one open reads that.
      test "$(wc -c <&5)" -gt 100
      exec 5<&-
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      cmp theirs $png
      """)
  }

  /// The other name that a mount has for itself gives way to nothing.
  @Test func nothingTakesThePlaceOfTheFolderInTheRoot() throws {
    try mounted(
      """
      mkdir Albums/one Albums/one/.agonyfs
      echo text > Albums/one/file
      for command in 'mv -T Albums/one Albums/.agonyfs' 'mkdir Albums/.agonyfs' 'rmdir Albums/.agonyfs' \
        'mv Albums/.agonyfs Albums/two' 'mv -T Albums/one/.agonyfs Albums/.agonyfs' 'touch Albums/.agonyfs/a'; do
        not $command
      done
      test "$(cat Albums/one/file)" = text
      test -s Albums/.agonyfs/status
      # Elsewhere it is a name like others.
      mv -T Albums/one/.agonyfs Albums/one/moved
      mv -T Albums/one/moved Albums/one/.agonyfs
      """)
  }

  @Test func whenItIsDeletedTheVirtualOneIsThereAgain() throws {
    try mounted(
      """
      vips gaussnoise one.jpg 640 480
      mkdir -m 2770 Albums/copy
      cp one.jpg Albums/copy
      agonyfs thumbnails Albums
      folder=Albums/copy/.sh_thumbnails
      png=$folder/normal/$(printf %s one.jpg | md5sum | cut -c -32).png
      # Nobody lists it.
      test "$(ls -A Albums/copy)" = one.jpg
      test "$(vipsheader -f width $png)" = 128
      number=$(stat -c %i $folder)
      echo text > $folder/mine
      test "$(ls -A Albums/copy | tr '\\n' ' ')" = ".sh_thumbnails one.jpg "
      test "$(cat $folder/mine)" = text
      test "$(stat -c '%i %a %F' $folder)" = "$number 2770 directory"
      test "$(find Albums/copy -name .sh_thumbnails -printf %i)" = $number
      not test -e $png
      rm -r $folder
      test "$(vipsheader -f width $png)" = 128
      test "$(ls -A Albums/copy)" = one.jpg
      # Whoever works in the virtual one goes on in the real one.
      (cd $folder/normal && ls -A && echo text > mine && cat mine && mv mine other && rm other && ls -A)
      test "$(ls -A $folder)" = normal
      # What is called so is renamed by copying.
      echo text > $folder/normal/mine
      mv $folder Albums/copy/other
      test "$(cat Albums/copy/other/normal/mine)" = text
      test "$(vipsheader -f width $png)" = 128
      # Into the virtual one, as it is a directory that is there.
      mv Albums/copy/other $folder
      test "$(cat $folder/other/normal/mine)" = text
      # Somebody works in it when it goes.
      (cd $folder; rm -r ../.sh_thumbnails; ls -A) > listed 2>&1 || true
      not grep -q normal listed
      test "$(vipsheader -f width $png)" = 128
      # An empty one as well, with its time.
      mkdir -p from/empty/.sh_thumbnails
      touch -d 2021-01-01 from/empty/.sh_thumbnails
      cp -a from/empty/. Albums/copy
      test "$(stat -c %Y $folder)" = "$(stat -c %Y from/empty/.sh_thumbnails)"
      not test -e $png
      # The album goes with all that is in it.
      rm -r Albums/copy
      not test -e Albums/copy
      """)
  }

  /// The kernel keeps listings, and learns of a folder that it did not see being made.
  @Test func listingsAreRight() throws {
    try mounted(
      """
      for i in 1 2 3; do mkdir Albums/$i; echo 1 > Albums/$i/1; ls -a Albums/$i; ls -a Albums/$i; stat Albums/$i; done > /dev/null
      mkdir album
      echo precious > album/p.png
      mv album Albums/1/.sh_thumbnails/
      test "$(ls -A Albums/1 | tr '\\n' ' ')" = ".sh_thumbnails 1 "
      cp -a Albums/1 Albums/copy
      test "$(cat Albums/copy/.sh_thumbnails/album/p.png)" = precious
      ls -a Albums/2/.sh_thumbnails Albums/2/.sh_thumbnails Albums/2/.sh_thumbnails/normal > /dev/null
      echo precious > Albums/2/.sh_thumbnails/normal/p.png
      test "$(cd Albums/2 && find . | sort | tr '\\n' ' ')" = ". ./.sh_thumbnails ./.sh_thumbnails/normal ./.sh_thumbnails/normal/p.png ./1 "
      test "$(stat -c %h Albums/2)" = 3
      rm -r Albums/2
      # Into an album that others made, and over one that was there.
      mkdir Albums/from
      cp -a from/.sh_thumbnails Albums/from/
      mv Albums/from/.sh_thumbnails Albums/3/
      test "$(cat Albums/3/.sh_thumbnails/own)" = own
      ls -A Albums/from > listed
      cmp listed /dev/null
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "only root can be several users")) func nobodyWritesWhereOthersMayNot() throws {
    try mounted(
      """
      chmod 755 . Albums
      as() { setpriv --reuid $1 --regid $1 --clear-groups sh -c "$2"; }
      agonyfs unmount Albums
      agonyfs mount --password-file password -o allow_other Vault Albums
      vips gaussnoise one.jpg 64 48
      chmod 755 Albums
      mkdir -m 755 Albums/owners
      cp one.jpg Albums/owners
      chmod 666 Albums/owners/one.jpg
      png=.sh_thumbnails/normal/$(printf %s one.jpg | md5sum | cut -c -32).png
      as games "test -s Albums/owners/$png || cat Albums/owners/$png" > /dev/null
      not as games "echo bad > Albums/owners/$png" 2> error
      grep -q 'Permission denied' error
      test "$(ls -A Albums/owners)" = one.jpg
      # Somebody is in the virtual one when it becomes a private one.
      mkdir -m 1777 Albums/open
      mkfifo go
      chmod 666 go
      as games "cd Albums/open/.sh_thumbnails/normal; read line < $PWD/go; echo bad > bad" 2> error & work=$!
      exec 7> go
      chmod 700 Albums/open/.sh_thumbnails
      echo go >&7
      not wait $work
      test "$(ls -A Albums/open/.sh_thumbnails)" = ""
      """)
  }

  /// It has the owner and the rights of the album, whoever of those that may write there is the first.
  @Test(.enabled(if: Workspace.isRoot, "only root can be several users")) func itHasTheRightsOfTheAlbum() throws {
    try mounted(
      """
      chmod 755 . Albums
      mkdir Albums/copy
      chown nobody:daemon Albums/copy
      chmod 3770 Albums/copy
      setfacl -m u:games:rwx -m d:u:games:r Albums/copy
      as() { setpriv --reuid $1 --regid $2 --clear-groups sh -c "$3"; }
      agonyfs unmount Albums
      agonyfs mount --password-file password -o allow_other Vault Albums
      as games games 'mkdir Albums/copy/.sh_thumbnails/foreign'
      test "$(stat -c '%U %G %a' Albums/copy/.sh_thumbnails)" = "nobody daemon 3770"
      getfacl -c Albums/copy > one
      getfacl -c Albums/copy/.sh_thumbnails > other
      cmp one other
      test "$(stat -c '%U %G' Albums/copy/.sh_thumbnails/foreign)" = "games daemon"
      not as man man 'ls Albums/copy/.sh_thumbnails' 2> error
      grep -q 'Permission denied' error
      """)
  }
}
