import Testing

/// `mount --remember`: an older state of a space is recognized.
@Suite struct RememberTests {
  /// `open WORDS` mounts with --remember and keeps what was said, `back COPY` puts a whole other vault there.
  private static let functions = """
    XDG_STATE_HOME=$W/state; export XDG_STATE_HOME
    open() { "$AGONYFS" mount --password-file password --remember "$@" 2> said; cat said >&2; }
    silent() { test ! -s said; }
    put() { mkdir -p Albums; echo $1 > Albums/file; sync Albums/file; }
    back() { rm -rf Vault; cp -a $1 Vault; }

    """

  @Test func anOlderVaultIsNoticedAndReadOnlyUntilItIsAccepted() throws {
    try expectSuccess(
      Self.functions + """
        open Vault Albums; silent
        put 1
        agonyfs unmount Albums
        cp -a Vault older
        # Nothing happens, something is written, and nothing is said.
        open Vault Albums; silent; agonyfs unmount Albums
        open Vault Albums; silent; put 2; agonyfs unmount Albums
        open -o ro Vault Albums; silent; agonyfs unmount Albums
        cp -a Vault newer

        back older
        open Vault Albums
        test "$(wc -l < said)" = 1
        grep -q '^agonyfs: The space is mounted read-only, because this state of the space is older than the newest that this machine has seen' said
        test "$(cat Albums/file)" = 1
        not touch Albums/other 2> error
        grep -q 'Read-only file system' error
        grep -q '"readOnly": "this state of the space is older' Albums/.agonyfs/status
        agonyfs unmount Albums
        # It is said every time, also where reading is all that was asked for.
        open -o ro Vault Albums
        grep -q '^agonyfs: This state of the space is older' said
        agonyfs unmount Albums

        # What was seen is not forgotten meanwhile.
        back newer
        open Vault Albums; silent; agonyfs unmount Albums

        back older
        open --accept-older Vault Albums
        grep -q '^agonyfs: This state of the space is older' said
        put 3
        agonyfs unmount Albums
        open Vault Albums; silent
        test "$(cat Albums/file)" = 3
        agonyfs unmount Albums
        # Now the other branch is the one that is not expected, also when it is the longer one.
        back newer
        for n in 4 5 6; do
          agonyfs mount --password-file password Vault Albums
          put $n
          agonyfs unmount Albums
        done
        open Vault Albums
        grep -q 'this state of the space was continued elsewhere, from a state older than the newest' said
        test "$(cat Albums/file)" = 6
        not touch Albums/other
        agonyfs unmount Albums
        """)
  }

  @Test func whatWasSeenBeforeAKillIsRemembered() throws {
    try expectSuccess(
      Self.functions + """
        cp -a Vault older
        open Vault Albums
        record=$(ls state/agonyfs/*)
        cp $record before
        put 1
        # The first commit is remembered soon.
        wait_for 600 'another record' not cmp -s $record before
        daemon=$(pgrep -f "^agonyfs mount .*$W/Albums")
        kill -9 $daemon
        gone $daemon
        fusermount3 -u Albums
        cp -a Vault killed
        back older
        open Vault Albums
        grep -q 'older than the newest that this machine has seen' said
        agonyfs unmount Albums
        back killed
        open Vault Albums; silent
        test "$(cat Albums/file)" = 1
        agonyfs unmount Albums
        """)
  }

  @Test func nothingIsKeptUnlessSomebodyAsks() throws {
    try expectSuccess(
      Self.functions + """
        HOME=$W/home; export HOME
        mkdir home
        cp -a Vault older
        "$AGONYFS" mount --password-file password Vault Albums 2> said
        put 1
        agonyfs unmount Albums
        back older
        "$AGONYFS" mount --password-file password Vault Albums 2>> said
        agonyfs unmount Albums
        silent
        test ! -e state
        test -z "$(ls -A home)"
        """)
  }

  @Test func theRecordIsPrivateAndSaysNothing() throws {
    try expectSuccess(
      Self.functions + """
        umask 0
        open Vault Albums; put 1; agonyfs unmount Albums
        printf 'other password\\n' > other
        agonyfs space add --cover 0 --password-file other Vault
        agonyfs mount --password-file other --remember Vault Albums
        agonyfs unmount Albums
        test "$(find state -type f | wc -l)" = 2
        test "$(find state -type f -perm 0600 -size -2 | wc -l)" = 2
        test "$(find state/agonyfs -type d -perm 0700)" = state/agonyfs
        test "$(find state -type f -printf '%s\\n' | uniq | wc -l)" = 1
        for name in $(ls state/agonyfs); do
          echo $name | grep -qx '[0-9a-f]\\{32\\}'
          # It is not the name of a file of the vault.
          test -z "$(find Vault -name $name)"
        done
        """)
  }

  @Test func recordsThatCannotBeReadOrWrittenHinderNobody() throws {
    try expectSuccess(
      Self.functions + """
        open Vault Albums; put 1; agonyfs unmount Albums
        cp -a Vault older
        record=$(ls state/agonyfs/*)
        for damage in 'truncate -s 10' 'truncate -s 0' 'cp /etc/passwd'; do
          $damage $record
          open Vault Albums
          grep -q '^agonyfs: This machine.s record of the space was damaged; it now holds the current state' said
          put 2
          agonyfs unmount Albums
          open Vault Albums; silent; agonyfs unmount Albums
        done
        back older
        open Vault Albums
        grep -q 'older than the newest that this machine has seen' said
        agonyfs unmount Albums

        for wrong in 'mkdir state/agonyfs/'${record##*/} 'touch state/agonyfs' 'touch state'; do
          rm -r state
          mkdir -p state/agonyfs
          case $wrong in
          *agonyfs) rmdir state/agonyfs ;;
          touch*) rm -r state ;;
          esac
          $wrong
          open Vault Albums
          grep -q '^agonyfs: .*record.* the space.*: ' said
          put 3
          agonyfs unmount Albums
        done
        """)
  }
}
