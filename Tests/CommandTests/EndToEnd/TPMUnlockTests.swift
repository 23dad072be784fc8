import TestSupport
import Testing

/// Keys that a TPM seals: tpm2-tss with a TPM in software (swtpm).
@Suite struct TPMUnlockTests {
  /// Runs a script beside a vault. `start` starts the TPM, `stop` stops it; `typed TEXT OPTIONS...` runs agonyfs at a
  /// terminal, where the lines of the text are typed.
  private func run(_ script: String) throws {
    let workspace = try Workspace.withVault()
    try workspace.write(
      """
      export XDG_STATE_HOME="$W/state" AGONYFS_TPM="swtpm:path=$W/socket"
      mkdir -p tpm
      process=
      stop() { test -z "$process" || { kill $process || true; gone $process; process=; }; rm -f socket; }
      start() {
        stop
        swtpm socket --tpm2 --tpmstate dir="$W/tpm" --server type=unixio,path="$W/socket" \\
          --ctrl type=unixio,path="$W/socket.ctrl" --flags startup-clear > tpm.log 2>&1 &
        process=$!
        wait_for 600 'the TPM listens' test -S socket
      }
      \(UnlockScript.functions)
      add() { agonyfs password add --tpm --password-file password "$@" Vault; }
      """, to: "session")
    let outcome = try workspace.shell("set -eu\n. ./session\n" + script + "\nstop")
    #expect(outcome.status == 0, "\(outcome)")
  }

  @Test func thisMachineMountsUntilItsTPMIsCleared() throws {
    try run(
      """
      # What cannot be read is no reason to mount nothing.
      XDG_STATE_HOME=$W/password
      typed "$(cat password)\\n" mount Vault Albums
      grep -q 'Reading the keys that are enrolled on this machine failed' shown
      mounted
      agonyfs unmount Albums
      not agonyfs mount --enrolled Vault Albums
      XDG_STATE_HOME=$W/state
      start
      add
      agonyfs password list Vault | grep -q '  tpm$'
      agonyfs info --password-file password Vault | grep -q 'opened by    2 passwords'
      # After a restart, too.
      start
      agonyfs mount --enrolled Vault Albums
      agonyfs unmount Albums
      stop
      fails 'No TPM answers'
      mv tpm kept
      mkdir tpm
      start
      fails 'was cleared, or is another one'
      typed "$(cat password)\\n" mount Vault Albums
      grep -q 'was cleared' shown
      mounted
      agonyfs unmount Albums
      not agonyfs password remove --tpm Vault 2> said
      grep -q -e '--forget' said
      stop
      rm -r tpm
      mv kept tpm
      start
      agonyfs password remove --tpm Vault
      agonyfs info --password-file password Vault | grep -q 'opened by    1 password$'
      """)
  }

  @Test func aPINIsAskedForAndCannotBeGuessed() throws {
    try run(
      """
      start
      not add --pin 2> said
      grep -q 'typed at a terminal' said
      typed '2468\\n2468\\n' password add --tpm --pin --password-file password Vault
      agonyfs password list Vault | grep -q '  tpm$'
      fails 'needs its PIN'
      typed '2468\\n' mount Vault Albums
      mounted
      agonyfs unmount Albums
      typed "1357\\n$(cat password)\\n" mount Vault Albums
      grep -q 'does not accept this PIN' shown
      mounted
      agonyfs unmount Albums
      tries=0
      until grep -q 'blocked after too many' shown; do
        test $tries -lt 50
        typed '1357\\n' mount Vault Albums
        tries=$((tries + 1))
      done
      # The right one does not help either for a time; the password does.
      typed "2468\\n$(cat password)\\n" mount Vault Albums
      grep -q 'blocked after too many' shown
      mounted
      agonyfs unmount Albums
      """)
  }
}
