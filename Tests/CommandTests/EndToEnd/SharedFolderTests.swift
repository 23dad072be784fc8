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
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      Self.start + """
        agonyfs mount --password-file password Vault Albums
        \(script)
        agonyfs unmount Albums
        agonyfs check --read-data --password-file password Vault
        """)
  }

  @Test(arguments: [
    "cp -a from Albums/copy", "rsync -aH from/ Albums/copy/",
    "tar -cf from.tar from; mkdir Albums/copy; tar -xpf from.tar -C Albums/copy --strip-components 1",
    "mkdir Albums/copy; cp -a from/. Albums/copy/", "mkdir Albums/copy; rsync -aH from/ Albums/copy/",
    "mkdir Albums/copy; cp -a from/.sh_thumbnails Albums/copy/; rsync -aH from/ Albums/copy/",
    "cp -a from moved; mv moved Albums/copy",
  ]) func everyByteIsCopied(_ copy: String) throws {
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
      """)
  }

  @Test func whenItIsDeletedTheVirtualOneIsThereAgain() throws {
    try mounted(
      """
      vips gaussnoise one.jpg 640 480
      mkdir Albums/copy
      cp one.jpg Albums/copy
      agonyfs thumbnails Albums
      png=Albums/copy/.sh_thumbnails/normal/$(printf %s one.jpg | md5sum | cut -c -32).png
      # Nobody lists it, and what is made of a photo is nobody's to change.
      test "$(ls -A Albums/copy)" = one.jpg
      test "$(vipsheader -f width $png)" = 128
      not rm -f $png 2> error
      grep -q 'Read-only' error
      echo text > Albums/copy/.sh_thumbnails/mine
      test "$(ls -A Albums/copy | tr '\\n' ' ')" = ".sh_thumbnails one.jpg "
      test "$(cat Albums/copy/.sh_thumbnails/mine)" = text
      not test -e $png
      rm -r Albums/copy/.sh_thumbnails
      test "$(vipsheader -f width $png)" = 128
      test "$(ls -A Albums/copy)" = one.jpg
      # Whoever works in the virtual one goes on in the real one.
      (cd Albums/copy/.sh_thumbnails/normal && echo text > mine && cat mine && mv mine other && rm other && ls -A)
      test "$(ls -A Albums/copy/.sh_thumbnails)" = normal
      rm -r Albums/copy/.sh_thumbnails
      # An empty one as well, with its time.
      mkdir -p from/empty/.sh_thumbnails
      touch -d 2021-01-01 from/empty/.sh_thumbnails
      cp -a from/empty/. Albums/copy
      test "$(stat -c %Y Albums/copy/.sh_thumbnails)" = "$(stat -c %Y from/empty/.sh_thumbnails)"
      not test -e $png
      """)
  }
}
