import Testing

@testable import agonyfs

/// Copies of a vault that is in use, by the programs that people use for it.
@Suite struct LiveCopyTests {
  @Test func everyCopyMountsWithAllThatWasSynced() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      \(CrashLoad.functions)
      mkdir Copied
      agonyfs mount --password-file password Vault Albums
      start
      for round in 1 2 3 4; do
        promised $((40 * round + 1))
        cp manifest1 promised1
        cp manifest2 promised2
        case $round in
        1 | 3)
          to=mirror
          # Files that went while it was looking are no failure (status 24).
          rsync -a $(test $round = 1 || echo --delete-after) Vault/ $to/ || test $? = 24
          ;;
        2)
          # Interrupted, and completed later.
          to=mirror
          timeout 0.2 rsync -a --partial Vault/ $to/ || true
          sleep 0.5
          rsync -a --partial Vault/ $to/ || test $? = 24
          ;;
        4)
          to=copy
          cp -r Vault $to
          ;;
        esac
        agonyfs check --read-data --password-file password $to
        agonyfs mount -o ro --password-file password $to Copied
        verify Copied promised
        agonyfs unmount Copied
      done
      murder
      """)
  }

  /// No file of the vault ever has two contents, so a copy is brought up to date by sending what is new.
  @Test func anIncrementalCopySendsWhatIsNew() throws {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      """
      agonyfs mount --password-file password Vault Albums
      head -c 60000000 /dev/urandom > Albums/old
      agonyfs unmount Albums
      rsync -a Vault/ copy/
      agonyfs mount --password-file password Vault Albums
      head -c 10000000 /dev/urandom > Albums/new
      agonyfs unmount Albums
      sent=$(rsync -a --stats Vault/ copy/ | sed -n 's/^Total bytes sent: //p' | tr -d ,)
      # The new file, and whole segments for the heads of two epochs and for what was left of the last ones.
      test $sent -ge 10000000
      test $sent -le $((10000000 * 11 / 10 + 4 * 1048576))
      rsync -a -c --delete --itemize-changes Vault/ copy/ > changes
      test ! -s changes
      """)
  }
}
