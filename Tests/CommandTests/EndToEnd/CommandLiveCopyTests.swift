import TestSupport
import Testing

/// Copies of a vault that is in use, by the programs that people use for it.
@Suite struct CommandLiveCopyTests {
  /// Also of a hidden space, in which a file goes for each that is made.
  @Test func everyCopyMountsWithAllThatWasSynced() throws { try copies(ownCover: "") }
  @Test func everyCopyOfAHiddenSpaceMountsWithAllThatWasSynced() throws { try copies(ownCover: "80M") }

  private func copies(ownCover: String) throws {
    let promises = TestLength.count(40, few: 6, name: "promises before the next copy")
    let rounds = TestLength.sample([1, 2, 3, 4], 3).map(String.init).joined(separator: " ")
    try expectSuccess(
      """
      \(CrashLoad.functions)
      mkdir Copied
      number=$(files Vault)
      # Files that went while it was looking are no failure.
      copies() { ended=0; "$@" || ended=$?; case $ended in 0 | 24) ;; *) return $ended ;; esac; }
      agonyfs mount --password-file password Vault Albums
      start
      for round in \(rounds); do
        promised $((35 + \(promises) * (round - 1)))
        case $round in
        1 | 3)
          to=mirror
          copies rsync -a $(test $round = 1 || echo --delete-after) Vault/ $to/
          ;;
        2)
          # Interrupted, and completed later.
          to=mirror
          # Names of what is not whole begin with a dot.
          copied() { find $to/segments -type f -not -name '.*' | wc -l; }
          before=$(copied)
          rsync -a --partial Vault/ $to/ & copying=$!
          has_more() { ends $copying || test $(copied) -gt $before; }
          wait_for 600 'another file' has_more
          kill $copying || true
          wait $copying || true
          copies rsync -a --partial Vault/ $to/
          ;;
        4)
          to=copy
          # Of a file that went it says only that.
          cp -r Vault $to 2> errors || not grep -v 'No such file or directory' errors
          ;;
        esac
        agonyfs check --read-data --password-file password $to \(ownCover.isEmpty ? "" : "|| test $? = 16")
        agonyfs mount -o ro --password-file password $to Copied
        verify Copied promised
        agonyfs unmount Copied
      done
      murder
      agonyfs mount --password-file password Vault Albums
      verify
      agonyfs unmount Albums
      # What was copied beside a mount is the same now, but for what went.
      rsync -a --delete-after Vault/ mirror/
      rsync -a -c --delete --itemize-changes Vault/ mirror/ > changes
      test ! -s changes
      agonyfs check --read-data --password-file password mirror
      agonyfs mount --password-file password mirror Copied
      verify Copied
      # A fast machine has filled a hidden space by then.
      rm -r Copied/load1
      echo more > Copied/more
      agonyfs unmount Copied
      if \(!ownCover.isEmpty); then
        for vault in Vault mirror; do test "$(files $vault)" = $number; done
      fi
      """, ownCover: ownCover)
  }

  /// What a name stands for, once it is complete, never changes while anything needs it. So a copy is brought up to date
  /// by sending what is new, also of a space that owns cover.
  @Test(arguments: ["", "80M"]) func anIncrementalCopySendsWhatIsNew(ownCover: String) throws {
    try expectSuccess(
      """
      number=$(files Vault)
      agonyfs mount --password-file password Vault Albums
      head -c 60000000 /dev/urandom > Albums/old
      agonyfs unmount Albums
      rsync -a Vault/ copy/
      agonyfs mount --password-file password Vault Albums
      head -c 10000000 /dev/urandom > Albums/new
      agonyfs unmount Albums
      sent=$(rsync -a --stats --delete-after Vault/ copy/ | sed -n 's/^Total bytes sent: //p' | tr -d ,)
      # The new file, and whole segments for the heads of two epochs and for what was left of the last ones.
      test $sent -ge 10000000
      test $sent -le $((10000000 * 11 / 10 + 4 * 1048576))
      rsync -a -c --delete --itemize-changes Vault/ copy/ > changes
      test ! -s changes
      if \(!ownCover.isEmpty); then
        for vault in Vault copy; do test "$(files $vault)" = $number; done
      fi
      """, ownCover: ownCover)
  }
}
