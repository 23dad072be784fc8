import Testing

/// `agonyfs sync`: a bucket follows a vault, without a password on the way.
@Suite struct SyncCommandTests {
  /// `update` runs once. `brought` copies the bucket to `$back`, a new directory, and expects that it is the same as a
  /// vault. `count METHOD` prints how many requests of a method the server had, `changes` those that change objects, and
  /// `requests` how many there were in all.
  private static let functions =
    CopyScript.functions + CopyScript.server + """
      update() { agonyfs sync --endpoint http://127.0.0.1:$port "$@"; }
      number=0
      brought() {
        number=$((number + 1))
        back=Back$number
        copy s3://photos/vault $back
        same $1 $back
      }
      count() { order count $1; tail -n 1 answers; }
      changes() { count PUT; count DELETE; }
      requests() { { count GET; count HEAD; changes; } | awk '{ sum += $1 } END { print sum }'; }

      """

  @Test func theBucketFollowsTheVault() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 8000000
      update Vault s3://photos/vault > out
      grep -q '^Sent [0-9]* files (.*), deleted 0\\. Everything synced before .* is in the bucket\\.$' out
      brought Vault
      earlier=$(requests)
      update Vault s3://photos/vault | grep -q '^Sent 0 files (0 bytes), deleted 0\\.'
      # None is made only to find out whether the bucket is there.
      test $(($(requests) - earlier)) = 10
      write two 2000000
      update Vault s3://photos/vault | grep -q '^Sent [1-9][0-9]* file.*, deleted [0-9]*\\. Everything'
      brought Vault
      find Vault/segments -type f | sort > files
      agonyfs mount --password-file password Vault Albums
      rm Albums/one
      sha256sum Albums/* > written
      agonyfs unmount --give-back Albums
      # The space has deleted files of the vault.
      find Vault/segments -type f | sort | comm -23 files - > gone
      test -s gone
      update --dry-run Vault s3://photos/vault | grep -q "^Would send .*, and delete $(wc -l < gone)\\.$"
      update Vault s3://photos/vault | grep -q ", deleted $(wc -l < gone)\\."
      brought Vault
      opens $back
      exec 9>&-
      """)
  }

  /// Restored from an older copy, or with another vault's files, the vault must not replace what the bucket has.
  @Test func anOlderVaultIsRefused() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      cp -a Vault Older
      write two 3000000
      update Vault s3://photos/vault
      changes > before
      gives 1 update Older s3://photos/vault
      gives 1 update --dry-run Older s3://photos/vault
      gives 1 update --watch Older s3://photos/vault
      mkdir Empty
      gives 10 update Empty s3://photos/vault
      gives 10 update --watch Empty s3://photos/vault
      agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password Other
      says 11 'has another vault' update Other s3://photos/vault
      says 11 'has another vault' update --watch Other s3://photos/vault
      changes > after
      cmp before after
      brought Vault
      says 1 'run once with --delete-newer' update Older s3://photos/vault
      update --delete-newer Older s3://photos/vault
      brought Older
      # Other commands do not mind the file with the tokens.
      cp Older/synced before
      agonyfs info --password-file password Older
      agonyfs check --password-file password Older
      agonyfs refresh Older
      cmp before Older/synced
      update Older s3://photos/vault | grep -q '^Sent 0 files'
      exec 9>&-
      """)
  }

  @Test func aDryRunChangesNothing() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      update --dry-run Vault s3://photos/vault > out
      grep -q "^Would send $(find Vault/segments -type f | wc -l) files (.* MiB), and delete 0\\.$" out
      test "$(changes)" = "$(printf '0\\n0')"
      update Vault s3://photos/vault
      changes > before
      write two 3000000
      update --dry-run Vault s3://photos/vault | grep -q '^Would send [1-9]'
      changes > after
      cmp before after
      exec 9>&-
      """)
  }

  @Test func aRateBringsTheVaultInSeveralRuns() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 5000000
      update --rate 1M Vault s3://photos/vault > out
      grep -q '^Sent [0-9]* files* (.*)\\. [0-9]* files (.*) are not in the bucket yet\\.$' out
      says 10 'an incomplete copy' copy s3://photos/vault Back
      runs=0
      until grep -q 'Everything synced before' out; do
        runs=$((runs + 1))
        test $runs -lt 100
        update --rate 20M Vault s3://photos/vault > out
      done
      brought Vault
      update --rate 2M Vault s3://photos/vault | grep -q '^Sent \\([0-9]*\\) files* (.*, \\1 of them again), deleted 0\\.'
      exec 9>&-
      """)
  }

  /// The command runs again by itself. It may be in the middle of a run when it is ended.
  @Test func aChangeIsNoticed() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      "$AGONYFS" sync --watch --pause 1 --endpoint http://127.0.0.1:$port Vault s3://photos/vault > said &
      watching=$!
      first() { grep -q 'Everything synced before .* is in the bucket' said; }
      wait_for 300 'the first run' first
      brought Vault
      write two 2000000
      verified() { copy --verify Vault s3://photos/vault; }
      wait_for 300 'the second file is in the bucket' verified
      kill $watching
      wait $watching || true
      update Vault s3://photos/vault
      brought Vault
      opens $back
      exec 9>&-
      """)
  }

  /// Neither begins a run before the signal comes.
  @Test func aSignalBetweenTwoRunsIsNoFailure() throws {
    try expectSuccess(
      """
      \(Self.functions)
      ends_well() {
        ready() { grep -q "$1" said; }
        wait_for 300 "$1" ready "$1"
        kill $watching
        ended=0
        wait $watching || ended=$?
        test $ended = 0
      }
      write one 2000000
      begin() { "$AGONYFS" sync --endpoint http://127.0.0.1:$port "$@" Vault s3://photos/vault > said 2>&1 & watching=$!; }
      begin --at $(date -d '6 hours' +%H:%M)
      ends_well 'The first run begins at [0-9][0-9]:[0-9][0-9] on '
      test "$(changes)" = "$(printf '0\\n0')"
      begin --watch --pause 600
      ends_well 'Everything synced before .* is in the bucket'
      # No connection can be made.
      port=1
      begin --watch --pause 600
      ends_well 'agonyfs sync tries again by itself'
      exec 9>&-
      """)
  }

  @Test func aSignalDuringARunIsSaidAndTheNextGoesOn() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 5000000
      "$AGONYFS" sync --watch --jobs 1 --bandwidth 1K --endpoint http://127.0.0.1:$port \\
        Vault s3://photos/vault > said 2>&1 & watching=$!
      # The parameters, and the first file. The second one waits for minutes.
      until test "$(count PUT)" -ge 2; do kill -0 $watching; sleep 0.1; done
      kill $watching
      ended=0
      wait $watching || ended=$?
      test $ended = 143
      grep -q 'interrupted; the same command continues' said
      update Vault s3://photos/vault
      brought Vault
      exec 9>&-
      """)
  }

  /// The service manager must not start again what was refused.
  @Test func whatTheBucketRefusesEndsAWatch() throws {
    try expectSuccess(
      """
      \(Self.functions)
      (AWS_SECRET_ACCESS_KEY=wrong; says 21 'does not accept the credentials' update --watch Vault s3://photos/vault)
      says 21 'has no bucket' update --watch Vault s3://absent/vault
      says 21 'has no bucket' update --at 03:00 Vault s3://absent/vault
      order set deny PUT
      says 21 's3:PutObject' update --watch Vault s3://photos/vault
      exec 9>&-
      """)
  }

  @Test func badInputIsRefusedWithASentence() throws {
    try expectSuccess(
      """
      there=s3://photos/vault
      says 2 'must be a directory' agonyfs sync s3://photos/a s3://photos/b
      says 2 'must be in a bucket' agonyfs sync Vault Copy
      says 2 'The path of the vault is empty' agonyfs sync '' $there
      says 2 'jobs must be' agonyfs sync --jobs 65 Vault $there
      says 2 'bandwidth must be' agonyfs sync --bandwidth 1 Vault $there
      says 2 'rate must be' agonyfs sync --rate 1K Vault $there
      for time in 24:00 3:5 03:60 +3:00 noon ''; do says 2 'is invalid' agonyfs sync --at "$time" Vault $there; done
      says 2 'dry-run is for one run' agonyfs sync --dry-run --watch Vault $there
      says 2 'dry-run is for one run' agonyfs sync --dry-run --at 03:00 Vault $there
      says 2 'delete-newer is for one run' agonyfs sync --delete-newer --watch Vault $there
      says 2 'nknown option' agonyfs sync --from-profile=x Vault $there
      says 2 'is not the name of a bucket' agonyfs sync Vault s3://X
      says 2 'is not encrypted' agonyfs sync --endpoint http://store.example --at 03:00 Vault $there
      says 10 'no vault at' agonyfs sync absent $there
      says 10 'no vault at' agonyfs sync --watch absent $there
      says 10 'no vault at' agonyfs sync --at 03:00 absent $there
      test ! -e absent
      """)
  }
}
