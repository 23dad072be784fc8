import TestSupport
import Testing

/// Keys of a FIDO2 token: libfido2 with a token in software (Tests/VirtualToken).
@Suite struct TokenUnlockTests {
  private var root: String { #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 } }

  /// Runs a script beside a vault. `token OPTIONS...` starts another token in the place of the one before, and `second
  /// OPTIONS...` one in another place; `typed TEXT OPTIONS...` mounts at a terminal, where the lines of the text are typed.
  private func run(_ script: String) throws {
    let workspace = try Workspace.withVault()
    try workspace.write(
      """
      export XDG_STATE_HOME="$W/state" AGONYFS_TEST_TOKEN="$W/socket:$W/socket2" PYTHONDONTWRITEBYTECODE=1
      mkdir -p programs
      test -e programs/agonyfs || {
        cp "$TOOLS/agonyfs" "$TOOLS/agonyfs-decoder" programs/
        cp "$TOOLS/unlock-with-virtual-token" programs/agonyfs-unlock
      }
      AGONYFS=$W/programs/agonyfs
      process=
      remove() { test -z "$process" || { kill $process; gone $process; process=; }; rm -f socket; }
      token() {
        remove
        python3 "$TOKEN" socket "$@" > token.log 2>&1 &
        process=$!
        wait_for 600 'the token listens' test -S socket
      }
      process2=
      remove_second() { test -z "$process2" || { kill $process2; gone $process2; process2=; }; rm -f socket2; }
      second() {
        remove_second
        python3 "$TOKEN" socket2 "$@" > token2.log 2>&1 &
        process2=$!
        wait_for 600 'the second token listens' test -S socket2
      }
      \(UnlockScript.functions)
      add() { agonyfs password add --fido2 --password-file password "$@" Vault; }
      """, to: "session")
    let start = "TOOLS='\(builtFolder)' TOKEN='\(root)/Tests/VirtualToken/token.py'\n. ./session\n"
    let outcome = try workspace.shell("set -eu\n" + start + script + "\nremove\nremove_second")
    #expect(outcome.status == 0, "\(outcome)")
  }

  private var builtFolder: String {
    builtProgram("agonyfs").split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }

  @Test(arguments: ["", "--resident"])
  func aTouchMounts(_ options: String) throws {
    try run(
      """
      token
      add \(options) 2> said
      grep -q 'Touch the token' said
      agonyfs info --password-file password Vault | grep -q 'opened by    2 passwords'
      agonyfs password list Vault | grep -q '  fido2$'
      test $(cat state/agonyfs/unlock-* | wc -c) \(options.isEmpty ? "-gt" : "-eq") 50
      agonyfs mount --enrolled Vault Albums
      agonyfs unmount Albums
      agonyfs password remove --fido2 Vault
      test -z "$(agonyfs password list)"
      agonyfs info --password-file password Vault | grep -q 'opened by    1 password$'
      """)
  }

  @Test func aTokenThatFailsSaysWhyAndThePasswordStillOpens() throws {
    try run(
      """
      token --without-secrets
      not add 2> said
      grep -q 'cannot hold such a key' said
      token --deny "$W/deny"
      touch deny
      not add 2> said
      grep -q 'The token was not touched' said
      agonyfs info --password-file password Vault | grep -q 'opened by    1 password$'
      test -z "$(agonyfs password list)"
      rm deny
      add
      touch deny
      fails 'The token was not touched'
      typed "$(cat password)\\n" mount Vault Albums
      grep -q 'The token was not touched' shown
      mounted
      agonyfs unmount Albums
      remove
      fails 'No FIDO2 token that you may use is connected'
      mv programs/agonyfs-unlock kept
      fails 'Starting .*agonyfs-unlock failed'
      printf '#!/bin/sh\\nhead -c 3 /dev/zero\\n' > programs/agonyfs-unlock
      chmod +x programs/agonyfs-unlock
      fails 'ended with status 0 without an answer'
      mv kept programs/agonyfs-unlock
      # Another token, or this one after a reset.
      token
      fails 'The connected token does not hold the key'
      not grep -q 'Touch the token' err
      not agonyfs password remove --fido2 Vault 2> said
      grep -q -e '--forget' said
      agonyfs password remove --fido2 --forget Vault
      test -z "$(agonyfs password list)"
      """)
  }

  /// The token that is found first is another one than that of the key.
  @Test(arguments: ["", "--resident"])
  func onlyTheTokenThatHasTheKeyIsAsked(_ options: String) throws {
    try run(
      """
      second
      add \(options)
      token --asked "$W/asked"
      agonyfs mount --enrolled Vault Albums 2> said
      test $(grep -c 'Touch the token' said) = 1
      agonyfs unmount Albums
      # Which one is to hold a new key is not guessed.
      says 1 'leave only the one that is for this space' add --yes
      not test -e asked
      # Without the key nobody is asked for a touch, nor told to forget it.
      second --asked "$W/asked"
      says 1 'None of the 2 connected tokens holds the key' agonyfs mount --enrolled Vault Albums
      not grep -q -e 'Touch the token' -e --forget err
      not test -e asked
      """)
  }

  @Test func aTokenThatDoesNotAnswerLeavesTheOthers() throws {
    try run(
      """
      token --silent
      second
      add
      agonyfs mount --enrolled Vault Albums
      agonyfs unmount Albums
      """)
  }

  @Test func onlyTheTokenThatHasTheKeyGetsThePIN() throws {
    try run(
      """
      second --pin 123456
      typed '123456\\n' password add --fido2 --password-file password Vault
      token --pin 654321 --asked "$W/asked"
      typed '123456\\n' mount Vault Albums
      mounted
      agonyfs unmount Albums
      second --pin 123456
      fails 'None of the 2 connected tokens holds the key'
      not test -e asked
      """)
  }

  @Test func twoMethodsOnlyIfThatIsSaid() throws {
    try run(
      """
      export AGONYFS_TPM="swtpm:path=$W/tpm.socket"
      mkdir tpm
      swtpm socket --tpm2 --tpmstate dir="$W/tpm" --server type=unixio,path="$W/tpm.socket" \\
        --ctrl type=unixio,path="$W/tpm.socket.ctrl" --flags startup-clear > tpm.log 2>&1 &
      tpm=$!
      wait_for 600 'the TPM listens' test -S tpm.socket
      token
      add
      agonyfs password add --tpm --also --password-file password Vault
      agonyfs password list Vault | cut -d ' ' -f 3 | tr '\\n' ' ' > found
      test "$(cat found)" = 'fido2 tpm '
      # One that fails leaves the other.
      remove
      agonyfs mount --enrolled Vault Albums 2> said
      grep -q 'No FIDO2 token' said
      agonyfs unmount Albums
      # Without it, both are replaced by one; what cannot be opened is not.
      not agonyfs password add --tpm --yes --password-file password Vault
      agonyfs info --password-file password Vault | grep -q 'opened by    3 passwords'
      agonyfs password remove --fido2 --forget Vault
      wait_for 600 'the TPM answers again' agonyfs password add --tpm --yes --password-file password Vault
      agonyfs password list Vault | grep -q '  tpm$'
      agonyfs info --password-file password Vault | grep -q 'opened by    3 passwords'
      kill $tpm || true
      gone $tpm
      """)
  }

  /// Also one that denies that it has the key until it gets its PIN.
  @Test(arguments: ["", "--hide"])
  func aTokenWithAPINAsksForIt(_ options: String) throws {
    try run(
      """
      token --pin 123456 \(options)
      not add 2> said
      grep -q 'asks for its PIN' said
      typed '123456\\n' password add --fido2 --password-file password Vault
      grep -q 'PIN of the token' shown
      agonyfs password list Vault | grep -q '  fido2$'
      fails 'asks for its PIN'
      typed '123456\\n' mount Vault Albums
      mounted
      agonyfs unmount Albums
      # A record of 1.0.0 does not say whether the token denies the key.
      printf '\\001' | dd of="$(echo state/agonyfs/unlock-*)" bs=1 seek=17 conv=notrunc status=none
      typed '123456\\n' mount --enrolled Vault Albums
      mounted
      agonyfs unmount Albums
      typed "wrong1\\n$(cat password)\\n" mount Vault Albums
      grep -q 'does not accept this PIN' shown
      mounted
      agonyfs unmount Albums
      typed "wrong2\\n" mount --enrolled Vault Albums
      typed "wrong3\\n$(cat password)\\n" mount Vault Albums
      grep -q 'token is blocked' shown
      mounted
      agonyfs unmount Albums
      """)
  }
}
