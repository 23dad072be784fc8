import Testing

/// `agonyfs run` where homes are special.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to become another user and to mount"))
struct RunMoreTests {
  @Test func fileSystemsBelowHomeCanBeRead() throws {
    try expectSuccess(
      as: .root,
      #"""
      mkdir -p home/deep/disk home/kept
      mount -t tmpfs none home/deep/disk
      mkdir home/deep/disk/kept
      echo words > home/deep/disk/file
      run --keep home/deep/disk/kept home/Vault sh -c '
        set -e
        test "$(cat ~/deep/disk/file)" = words
        if touch ~/deep/disk/trace; then exit 1; fi
        touch ~/deep/trace
        echo stays > ~/deep/disk/kept/file'
      test ! -e home/deep/disk/trace
      test ! -e home/deep/trace
      test "$(cat home/deep/disk/kept/file)" = stays
      """#)
  }

  /// The kernel does not let users look below a mount.
  @Test func fileSystemsBelowHomeOfAUserAreNamedAsTheObstacle() throws {
    try expectSuccess(
      as: .user,
      #"""
      mkdir home/disk
      mount -t tmpfs none home/disk
      says 125 "another file system is mounted at $W/home/disk" run home/Vault touch started
      redirected home/Vault sh -c 'test "$XDG_CACHE_HOME" = "$PWD/.run/cache"' 2> said
      grep -qF "$W/home/disk" said
      """#)
  }

  @Test func homesOfOthersAndNone() throws {
    try expectSuccess(
      as: .user,
      #"""
      mv home/Vault kept/Vault
      chown root:root home
      chmod 755 home
      echo old > home/file
      # A home that the user may not write is one that nothing can be left in.
      run kept/Vault sh -c 'test "$(cat ~/file)" = old; touch photo' 
      for home in / /nonexistent "$W/home/file" relative ''; do
        person env HOME="$home" ./program run --require-private --password-file password kept/Vault sh -c '
          set -e; case $PWD in /tmp/Albums) ;; *) echo "$PWD"; exit 1 ;; esac; test -e photo; touch /tmp/x'
      done
      test ! -e /tmp/x
      """#)
  }

  @Test func lockingEndsTheMount() throws {
    try expectSuccess(
      as: .user,
      #"""
      run --keep kept home/Vault sh -c 'echo words > file; exec 5>> file; touch "$0/ready"
        until test -e "$0/locked"; do sleep 0.05; done; echo more >&5; test $? != 0 && touch "$0/cut"' "$W/kept" &
      session=$!
      wait_for 600 'the program works' test -e kept/ready
      person ./program lock
      ended
      touch kept/locked
      wait $session || true
      test -e kept/cut
      run home/Vault sh -c 'test "$(cat file)" = words'
      # Those of others stay.
      run --keep kept home/Vault sh -c 'rm "$0/ready"; until test -e "$0/ready"; do sleep 0.05; done; cat file' "$W/kept" \
        > said & session=$!
      wait_for 600 'the program works' sh -c '! test -e kept/ready'
      HOME=$W ./program lock
      person touch kept/ready
      wait $session
      test "$(cat said)" = words
      """#)
  }

  @Test func namesMayBeAnyBytes() throws {
    try expectSuccess(
      as: .user,
      #"""
      home=$(printf 'home,:\\ "\377\n')
      mkdir "$home"
      chown 65534:65534 "$home"
      mv home/Vault kept/Vault
      person env HOME="$W/$home" ./program run --require-private --password-file password kept/Vault sh -c '
        set -e; test "$PWD" = "$HOME/Albums"; echo 1 > ~/file; echo 2 > photo'
      test -z "$(ls -A "$home")"
      run kept/Vault test -e photo
      """#)
  }
}
