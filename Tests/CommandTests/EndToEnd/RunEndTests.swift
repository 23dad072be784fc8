import Testing

/// How `agonyfs run` ends: its status, and what is in the space by then.
@Suite(.enabled(if: Workspace.isRoot, "needs root, to become another user and to hide what others have in /tmp"))
struct RunEndTests {
  /// How long a program sleeps that no other run of the tests has, so that it is found by that.
  private static var seconds: Int { .random(in: 10_000...99_999_999) }

  @Test(arguments: SessionPerson.allCases)
  func theStatusIsTheProgramsOrOneOfEnv(_ person: SessionPerson) throws {
    try expectSuccess(
      as: person,
      #"""
      gives 0 run home/Vault true
      gives 1 run home/Vault false
      gives 77 run home/Vault -- sh -c 'exit 77'
      gives 137 run home/Vault sh -c 'kill -9 $$'
      gives 143 run home/Vault sh -c 'kill $$'
      says 126 'program /etc/passwd cannot be executed' run home/Vault /etc/passwd
      says 127 'The program no-such-program was not found' run home/Vault no-such-program
      gives 125 run --no-such-option home/Vault true
      gives 125 run home/None true
      gives 125 person ./program run
      echo wrong > wrong
      chmod 644 wrong
      says 125 'No space in' person ./program run --password-file wrong home/Vault touch started
      # Words of the program are its own, whatever they look like.
      gives 0 run home/Vault sh -c 'test "$*" = "--password=secret -o --keep x --"' sh --password=secret -o --keep x --
      gives 0 run home/Vault sh -c 'test "$(printf "%s" "$0" | od -An -tx1)" = " ff 41"' "$(printf '\377A')"
      # The shell, without a program, reads what follows the password.
      printf 'correct horse battery staple\necho words > file; exit 9\n' > input
      gives 9 person env SHELL=/bin/sh ./program run home/Vault < input
      gives 0 run home/Vault grep words file
      ended
      """#)
  }

  @Test func allThatWasClosedIsThereAfterAnyEnd() throws {
    try expectSuccess(
      as: .user,
      #"""
      # Each file is named once it was closed; the last one is being written when the end comes.
      cat > home/write << 'END'
      trap '' HUP
      n=0
      while test $n -lt 10000; do
        n=$((n + 1))
        head -c 300000 /dev/zero | tr '\0' x > $1.$n
        echo $1.$n >> "$2/closed"
      done
      END
      head -c 300000 /dev/zero | tr '\0' x > whole
      chmod 644 whole
      for signal in KILL TERM HUP; do
        run --keep kept home/Vault sh -c 'sh ~/write "$0" "$1" & wait' $signal "$W/kept" & session=$!
        wait_for 600 'five files are closed' grep -q $signal.5 kept/closed
        first=$(pgrep -f "program run --require.*$signal" | sort -n | head -1)
        kill -$signal $first
        status=0
        wait $session || status=$?
        case $signal in KILL) test $status = 137 ;; TERM) test $status = 143 ;; HUP) test $status = 129 ;; esac
        wait_for 600 'everything is written' ended
        not pgrep -f 'sh .*/write'
      done
      # The program is killed, not the command.
      run --keep kept home/Vault sh -c 'sh ~/write last "$0" &
        until grep -q last.6 "$0/closed"; do sleep 0.05; done; kill -9 $$' "$W/kept" && exit 1 || test $? = 137
      ended
      mount_it
      test "$(wc -l < kept/closed)" -gt 20
      person sh -ec 'while read name; do cmp Albums/$name whole; done' < kept/closed
      unmount_it
      person ./program check --read-data --password-file password home/Vault
      """#)
  }

  @Test(arguments: SessionPerson.allCases)
  func whatRunsOnIsEnded(_ person: SessionPerson) throws {
    let seconds = Self.seconds
    try expectSuccess(
      as: person,
      #"""
      run home/Vault sh -c '
        sleep \#(seconds) & nohup sleep \#(seconds).5 > /dev/null 2>&1 &
        setsid sh -c "trap \"\" TERM; exec 5> open; echo held >&5; while :; do sleep 1; done" &
        until test -s open; do sleep 0.05; done; exit 3' && exit 1 || test $? = 3
      not pgrep -f 'sleep \#(seconds)'
      ended
      mount_it
      test "$(person cat Albums/open)" = held
      unmount_it
      """#)
  }

  @Test func aFullDiskIsTheProgramsError() throws {
    try expectSuccess(
      as: .user,
      #"""
      mkdir disk
      mount -t tmpfs -o size=$(($(du -sm home/Vault | cut -f 1) + 12))M none disk
      cp -a home/Vault disk/
      status=0
      person ./program run --require-private --password-file password disk/Vault sh -c '
        set -e
        echo text > first
        sync first
        head -c 40000000 /dev/urandom > large' 2> errors || status=$?
      # Of `head`, or of the shell if not even the file can be made.
      cat errors
      test $status = 1 -o $status = 2
      grep -q 'No space left' errors
      ended
      person ./program run --require-private --password-file password disk/Vault sh -c '
        test "$(cat first)" = text; rm -f large; echo more > second'
      person ./program check --read-data --password-file password disk/Vault
      """#)
  }

  /// In a chroot the kernel refuses user namespaces.
  @Test func withoutNamespacesProgramsAreRedirected() throws {
    let seconds = Self.seconds
    try expectSuccess(
      as: .user,
      #"""
      mkdir runtime
      chown 65534:65534 runtime
      mount --rbind / /srv
      person() { chroot /srv setpriv --reuid 65534 --regid 65534 --clear-groups env -C "$W" HOME="$W/home" \
        XDG_RUNTIME_DIR="$W/runtime" "$@"; }
      says 125 'private session is not possible here, because namespaces are not allowed' run home/Vault touch started
      status=0
      redirected home/Vault sh -c '
        set -eu
        case $PWD in '"$W"'/runtime/agonyfs-*/Albums) ;; *) exit 1 ;; esac
        for place in "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$TMPDIR"; do
          echo trace-word > "$place/trace-word"
          case $place in "$PWD/.run/"*) ;; *) exit 1 ;; esac
        done
        setsid sh -c "trap \"\" TERM; while :; do sleep \#(seconds); done" &
        exit 5' 2> said || status=$?
      cat said >&2
      test $status = 5
      grep -q 'not private' said
      grep -q '.viminfo, .bash_history' said
      not left trace-word
      not pgrep -f 'sleep \#(seconds)'
      ended
      test -z "$(ls -A runtime)"
      # The files that programs keep are there the next time.
      redirected home/Vault sh -c 'test "$(cat "$XDG_CACHE_HOME/trace-word")" = trace-word; stat -c %a .run > mode'
      redirected --read-only home/Vault sh -c 'test "$(cat mode)" = 700; echo x > "$XDG_CACHE_HOME/x"'
      test -z "$(ls -A runtime)"
      # Where it is said, and killed.
      mkdir home/Place
      chown 65534:65534 home/Place
      redirected --at home/Place home/Vault sh -c 'test "$PWD" = "$HOME/Place"; touch ready; sleep \#(seconds).5' & session=$!
      wait_for 600 'the program runs' pgrep -xf 'sleep \#(seconds).5'
      kill -KILL $(pgrep -f 'program run --password-file.*\#(seconds).5' | sort -n | head -1)
      wait $session && exit 1 || test $? = 137
      wait_for 600 'the mount is gone' ended
      test -z "$(ls -A home/Place)"
      test -d home/Place
      redirected home/Vault test -e ready
      """#)
  }
}
