import Testing

/// `agonyfs run` in a private session: what a program leaves, and what it does not.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to become another user and to hide what others have in /tmp"))
struct RunTests {
  @Test(arguments: SessionPerson.allCases)
  func onlyTheSpaceIsThereAfterwards(_ person: SessionPerson) throws {
    try expectSuccess(
      as: person,
      #"""
      mkdir home/run
      test $person = root || chown 65534:65534 home/run
      echo before > home/old
      test $person = root || chown 65534:65534 home/old
      cat > home/work << 'END'
      set -eux
      test "$PWD" = "$HOME/Albums"
      test "$(cat ~/old)" = before
      echo trace-word > ~/old
      mkdir -p ~/.cache/thumbnails ~/.local/share
      for place in ~ ~/.cache/thumbnails ~/.local/share /tmp /var/tmp /dev/shm "$XDG_RUNTIME_DIR"; do
        echo trace-word > "$place/trace-word"
      done
      rm ~/other
      mkdir ~/folder-trace-word
      mv ~/folder-trace-word ~/folder2-trace-word
      # Everything else cannot be written.
      for place in / /var/lib /mnt /usr /etc /run; do
        if touch "$place/trace-word"; then exit 1; fi
      done
      echo trace-word > photo
      test "$(cat ~/trace-word /tmp/trace-word ~/old)" = "$(printf 'trace-word\ntrace-word\ntrace-word')"
      END
      touch home/other
      # Searching finds such a thing where it is.
      echo other-word > /var/tmp/x
      left other-word
      rm /var/tmp/x
      person env XDG_RUNTIME_DIR=$W/home/run ./program run --require-private --password-file password home/Vault \
        sh -c 'sh ~/work' 2> said || { cat said >&2; exit 1; }
      test "$(grep -c 'vanish when this session ends' said)" = 1
      grep -q 'through /proc' said
      rm home/work
      not left trace-word
      test "$(cat home/old)" = before
      test -e home/other
      test ! -e home/Albums
      test "$(ls -A home | tr '\n' ' ')" = 'Vault old other run '
      ended
      mount_it
      test "$(person cat Albums/photo)" = trace-word
      unmount_it
      """#)
  }

  @Test(arguments: SessionPerson.allCases)
  func nothingIsSeenOutsideWhileItRuns(_ person: SessionPerson) throws {
    try expectSuccess(
      as: person,
      #"""
      run --keep kept home/Vault sh -c 'echo secret-word > secret-name; touch ~/secret-name; ls ../Albums > ~/list
        touch "$0/ready"; until test -e "$0/go"; do sleep 0.05; done' "$W/kept" & session=$!
      wait_for 600 'the program runs' test -e kept/ready
      serves
      not grep -e 'agonyfs-run' -e "^$W/home/Vault" /proc/mounts
      test ! -e home/Albums
      not left secret-word
      not left secret-name
      # A second one of the same space is refused, and says why.
      says 125 'This space is in use' run home/Vault true
      touch kept/go
      wait $session
      ended
      """#)
  }

  @Test(arguments: SessionPerson.allCases)
  func processesSeeOnlyThoseOfTheSessionAndHaveNoRights(_ person: SessionPerson) throws {
    try expectSuccess(
      as: person,
      #"""
      umask 0027
      person env DBUS_SESSION_BUS_ADDRESS=unix:path=/outer SSH_AUTH_SOCK=/agent TMPDIR=/var/tmp ./program run \
        --require-private --password-file password home/Vault sh -c '
        set -eux
        test "$(ls -d /proc/[0-9]* | wc -l)" -lt 8
        test "$(readlink /proc/self)" -lt 20
        case $DBUS_SESSION_BUS_ADDRESS in *outer*) exit 1; esac
        test -z "${SSH_AUTH_SOCK-}${TMPDIR-}"
        test ! -e /run/dbus/system_bus_socket
        if umount "$HOME"; then exit 1; fi
        if umount /tmp; then exit 1; fi
        if mount -t tmpfs none /mnt; then exit 1; fi
        test "$(umask)" = 0027
        grep -E "^Max core file size +1 +1 " /proc/self/limits
        id -u > user'
      mount_it
      test "$(person cat Albums/user)" = "$(person id -u)"
      unmount_it
      """#)
  }

  @Test func theVaultIsTheRealOneWhereverItIs() throws {
    try expectSuccess(
      as: .user,
      #"""
      mv home/Vault 'home/A vault, ä: x'
      ln -s 'A vault, ä: x' home/link
      # By a relative path, through a link, in the home directory.
      (cd home && person ../program run --require-private --password-file ../password link sh -c 'echo 1 > one')
      # In the session the vault is the real one too: a second mount of the space sees that it is in use.
      (cd home && run=$W/program && person $run run --require-private --password-file ../password --keep ../kept link \
        sh -c 'cp /proc/self/mountinfo "$0/mounts"; touch "$HOME/A vault, ä: x/agonyfs.json"
          test -w "$HOME/A vault, ä: x/segments"' "$W/kept")
      # On /tmp, which the session hides.
      mv 'home/A vault, ä: x' /tmp/V
      person ./program run --require-private --password-file password /tmp/V sh -c 'cat one; echo 2 > two'
      # On /dev/shm, where the mount would be.
      cp -a /tmp/V /dev/shm/V
      person ./program run --require-private --password-file password /dev/shm/V sh -c 'cat one two; echo 3 > three'
      # In /var/tmp, with the home directory inside as well.
      mv /dev/shm/V /var/tmp/V
      mkdir /var/tmp/home
      chown 65534:65534 /var/tmp/home
      person env HOME=/var/tmp/home ./program run --require-private --password-file password /var/tmp/V sh -c '
        test "$(cat one two three | tr -d "\n")" = 123; touch ~/x; test "$PWD" = /var/tmp/home/Albums'
      test -z "$(ls -A /var/tmp/home)"
      ended
      person ./program check --read-data --password-file password /var/tmp/V
      """#)
  }

  @Test(arguments: SessionPerson.allCases)
  func whatIsKeptStays(_ person: SessionPerson) throws {
    try expectSuccess(
      as: person,
      #"""
      mkdir -p 'home/Print me/now' home/other
      test $person = root || chown -R 65534:65534 home
      run --keep 'home/Print me/now' --keep kept --at home/Photos home/Vault sh -c '
        set -eux
        test "$PWD" = "$HOME/Photos"
        echo 1 > "$HOME/Print me/now/file"; echo 2 > "$HOME/Print me/file"; echo 3 > "$0/file"
        rm -r ~/other' "$W/kept"
      test "$(cat 'home/Print me/now/file' kept/file | tr -d '\n')" = 13
      test ! -e 'home/Print me/file'
      test -d home/other
      for wrong in '--keep home/none' '--keep /' '--keep password' '--at home/Vault' '--at home/none/x' '-o idle=5m' \
        '--keep home/other --at home/other/x' '--at /'; do
        says 125 ^agonyfs: run $wrong home/Vault touch started
        test "$(grep -c ^agonyfs: err)" = 1
      done
      test ! -e started
      """#)
  }

  @Test func theStateThatWasSeenIsRemembered() throws {
    try expectSuccess(
      as: .user,
      #"""
      cp -a home/Vault older
      run --remember home/Vault sh -c 'echo 1 > file'
      test "$(find home/.local/state/agonyfs -type f -size -2 | wc -l)" = 1
      run --remember home/Vault sh -c 'echo 2 > file' 2> said
      not grep -q older said
      rm -r home/Vault
      mv older home/Vault
      says 2 'older than the newest that this machine has seen' run --remember home/Vault sh -c 'echo 3 > other'
      run --remember --accept-older home/Vault sh -c 'test ! -e file; echo 4 > other'
      """#)
  }

  @Test func readOnlyIsReadOnly() throws {
    try expectSuccess(
      as: .user,
      #"""
      run home/Vault sh -c 'echo text > file'
      for words in --read-only '-o ro' '-oro'; do
        run $words home/Vault sh -c 'set -e; test "$(cat file)" = text; if echo more > file; then exit 1; fi; touch ~/x'
      done
      """#)
  }
}
