import TestSupport
import Testing

/// Keys in a real keyring: gnome-keyring on a session bus of its own.
@Suite struct KeyringUnlockTests {
  /// Runs a script beside a vault, within a session bus of its own. `keyring` starts a keyring that the word `test` has
  /// unlocked; `lock` locks all.
  private func session(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let workspace = try Workspace.withVault()
    try workspace.write(
      """
      export HOME="$W/home" XDG_STATE_HOME="$W/state" XDG_DATA_HOME="$W/data" XDG_RUNTIME_DIR="$W/run"
      unset DISPLAY WAYLAND_DISPLAY
      mkdir -p -m 700 home run
      keyring() {
        printf test | gnome-keyring-daemon --unlock --components=secrets --foreground > keyring.log 2>&1 &
        # A question to the service itself would start another one.
        wait_for 600 'the keyring answers' sh -c 'dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
          org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q true'
        wait_for 600 'the keyring is open' sh -c 'dbus-send --session --print-reply --dest=org.freedesktop.secrets \\
          /org/freedesktop/secrets/aliases/default org.freedesktop.DBus.Properties.Get \\
          string:org.freedesktop.Secret.Collection string:Locked 2> /dev/null | grep -q false'
      }
      lock() {
        dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \\
          org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login > locked.log
      }
      add() { agonyfs password add --keyring --password-file password "$@" Vault; }
      """, to: "session")
    try workspace.write("set -eu\n" + Workspace.functions + ". ./session\n" + script, to: "script")
    let outcome = try workspace.shell(". ./session; dbus-run-session -- sh script")
    #expect(outcome.status == 0, "\(outcome)", sourceLocation: sourceLocation)
  }

  @Test func theKeyMountsAndGoes() throws {
    try session(
      """
      keyring
      add 2> said
      grep -q 'Enrol only a space that you would show' said
      agonyfs info --password-file password Vault | grep -q 'opened by    2 passwords'
      agonyfs mount --enrolled Vault Albums
      echo kept > Albums/file
      agonyfs unmount Albums
      # The list is of this vault, and says nothing of its path. Only the user reads the record.
      identifier=$(sed -n 's/.*"vault" : "\\(.*\\)".*/\\1/p' Vault/agonyfs.json)
      test "$(agonyfs password list)" = "$identifier  keyring"
      test "$(agonyfs password list Vault)" = "$identifier  keyring"
      test "$(stat -c %a state/agonyfs/unlock-$identifier-keyring)" = 600
      not grep -rq Vault state
      # What is stored says neither what it is for nor whose it is.
      not grep -rqi -e agonyfs -e vault -e "$identifier" data
      # No library for this is in the process that has keys of spaces.
      ldd "$AGONYFS" > linked
      grep -q sodium linked
      not grep -e secret -e fido -e tss linked
      # Options and standard input win.
      not agonyfs mount --enrolled --password=wrong Vault Albums
      not agonyfs mount Vault Albums < first 2> said
      not grep -q keyring said
      agonyfs password remove --keyring Vault
      test -z "$(agonyfs password list)"
      agonyfs info --password-file password Vault | grep -q 'opened by    1 password$'
      not agonyfs mount --enrolled Vault Albums 2> said
      grep -q 'No key is enrolled' said
      """)
  }

  @Test func whatFailsSaysWhyAndThePasswordStillOpens() throws {
    try session(
      """
      keyring
      add
      fails() {
        says 1 "$1" agonyfs mount --enrolled Vault Albums
        # On a busy machine also that it takes long.
        test $(grep -vc 'Waiting for the keyring' err) = 1
        agonyfs mount --password-file password Vault Albums
        agonyfs unmount Albums
      }
      echo locked >&2
      lock
      fails 'keyring is locked'
      # Nor is it replaced.
      not add --yes 2> said
      grep -q 'keyring is locked' said
      test -n "$(agonyfs password list)"
      # A locked keyring keeps the slot, too.
      not agonyfs password remove --keyring Vault 2> said
      grep -q 'Nothing was removed' said
      test -n "$(agonyfs password list)"
      echo absent >&2
      DBUS_SESSION_BUS_ADDRESS=unix:path=$W/absent fails 'No keyring answers'
      """)
  }

  @Test func aKeyringThatHangsIsSaidOnce() throws {
    try session(
      """
      keyring
      daemon=$!
      add
      halt $daemon
      agonyfs mount --enrolled Vault Albums 2> said &
      mounting=$!
      wait_for 600 'it says that it waits' grep -q 'Waiting for the keyring' said
      kill -CONT $daemon
      wait $mounting
      mounted
      agonyfs unmount Albums
      test $(grep -c 'Waiting for the keyring' said) = 1
      """)
  }

  @Test func aLostKeyIsForgotten() throws {
    try session(
      """
      keyring
      add
      for item in $(dbus-send --session --print-reply=literal --dest=org.freedesktop.secrets \\
        /org/freedesktop/secrets/collection/login org.freedesktop.DBus.Properties.Get \\
        string:org.freedesktop.Secret.Collection string:Items | grep -o '/org[^ ]*'); do
        dbus-send --session --print-reply --dest=org.freedesktop.secrets $item org.freedesktop.Secret.Item.Delete
      done > deleted.log
      not agonyfs mount --enrolled Vault Albums 2> said
      grep -q 'not in the keyring any more' said
      not grep -q -e --forget said
      not agonyfs password remove --keyring Vault 2> said
      grep -q -e --forget said
      agonyfs password remove --keyring --forget Vault 2> said
      grep -q -e --rekey said
      test -z "$(agonyfs password list)"
      """)
  }

  @Test func anotherSpaceReplacesItOnlyIfThatIsSaid() throws {
    try session(
      """
      keyring
      echo 'the other space opens by this' > other
      agonyfs space add --cover 0 --password-file other Vault
      add
      not agonyfs password add --keyring --password-file other Vault 2> said
      grep -q 'add --yes to replace' said
      agonyfs info --password-file other Vault | grep -q 'opened by    1 password$'
      # A wrong password makes nothing and takes nothing away.
      not agonyfs password add --keyring --yes --password=wrong Vault
      agonyfs mount --enrolled Vault Albums
      agonyfs unmount Albums
      agonyfs password add --keyring --yes --password-file other Vault
      agonyfs info --password-file other Vault | grep -q 'opened by    2 passwords'
      agonyfs info --password-file password Vault | grep -q 'opened by    1 password$'
      agonyfs mount --enrolled Vault Albums
      echo other > Albums/of-the-other
      agonyfs unmount Albums
      agonyfs mount --password-file other Vault Albums
      test "$(cat Albums/of-the-other)" = other
      agonyfs unmount Albums
      # The only key of a space is not taken away, in no way.
      agonyfs password remove --password-file other Vault
      not add --yes 2> said
      grep -q 'No other undamaged password' said
      not agonyfs password remove --keyring Vault 2> said
      grep -q 'No other undamaged password' said
      agonyfs mount --enrolled Vault Albums
      agonyfs unmount Albums
      secret-tool search --all xdg:schema org.freedesktop.Secret.Generic 2> attributes > item
      sed -n 's/^secret = //p' item > key
      test "$(wc -l < key)" = 1
      # What is stored can be typed.
      agonyfs password add --password-file key --new-password-file other Vault
      # A new key of the space ends the enrolled one.
      agonyfs password change --rekey --yes --password-file other --new-password-file first Vault
      says 12 'opens no space of the vault any more' agonyfs mount --enrolled Vault Albums
      agonyfs password remove --keyring Vault
      test -z "$(agonyfs password list)"
      """)
  }

  @Test func aTerminalUsesItAndAsksWhenItFails() throws {
    try session(
      """
      keyring
      add
      # `script` gives it a terminal; what is typed is there before it is asked for.
      typed() { printf '%s\\n' "$1" | script -qec "$2" /dev/null | tr -d '\\r'; }
      typed '' "$AGONYFS mount Vault Albums" > shown
      mounted
      not grep -q Password shown
      agonyfs unmount Albums
      typed "$(cat password)" "$AGONYFS mount --ask Vault Albums" > shown
      grep -q 'Password for' shown
      mounted
      agonyfs unmount Albums
      lock
      typed "$(cat password)" "$AGONYFS mount Vault Albums" > shown
      grep -q 'keyring is locked' shown
      grep -q 'Password for' shown
      mounted
      agonyfs unmount Albums
      """)
  }
}
