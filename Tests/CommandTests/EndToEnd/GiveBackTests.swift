import Testing

/// What people see of a disk on which they deleted something.
@Suite struct GiveBackTests {
  /// A space with 40 MB, of which 30 are deleted. `taken` prints the bytes that the vault got since it was made, and
  /// `figure NAME` one of `info`.
  private static let start = """
    size() { du -sB1 Vault | cut -f 1; }
    base=$(size)
    taken() { echo $(($(size) - base)); }
    info() { agonyfs info --password-file password Vault; }
    figure() { agonyfs info --json --password-file password Vault | tr -d ' ,"' | sed -n "s/^$1://p"; }
    agonyfs mount --password-file password Vault Albums
    for i in 1 2 3 4; do head -c 10000000 /dev/urandom > Albums/$i; done
    sha256sum Albums/1 > sum
    sync Albums/4
    test "$(taken)" -gt 40000000
    rm Albums/2 Albums/3 Albums/4

    """

  private func space(_ script: String) throws {
    try expectSuccess(Self.start + script)
  }

  @Test func itIsGivenBackWhenThatIsAskedFor() throws {
    try space(
      """
      agonyfs unmount Albums
      # A copy of the vault that is being made may need it.
      test "$(taken)" -gt 40000000
      test "$(figure deletedBytes)" -gt 20000000
      info | grep -q '^deleted .* of that, kept for copies of the vault .*; agonyfs unmount --give-back'
      agonyfs mount --password-file password Vault Albums
      agonyfs unmount --give-back Albums
      test "$(taken)" -lt 20000000
      test "$(figure deletedBytes)" = 0
      not sh -c 'agonyfs info --password-file password Vault | grep ^deleted'
      agonyfs check --read-data --password-file password Vault
      agonyfs mount --password-file password Vault Albums
      sha256sum -c sum
      test "$(ls Albums)" = 1
      agonyfs unmount Albums
      """)
  }

  /// Who was refused because the space is in use has asked for nothing that a later end does.
  @Test func whatWasRefusedIsForgotten() throws {
    try space(
      """
      (cd Albums && exec sleep 1000) & works=$!
      in_place() { test "$(readlink /proc/$works/cwd)" = "$W/Albums"; }
      wait_for 600 'somebody works there' in_place
      not agonyfs unmount --give-back Albums 2> told
      grep -q 'in use' told
      kill $works
      gone $works
      agonyfs unmount Albums
      test "$(taken)" -gt 40000000
      """)
  }

  /// A newer state, of which a copy lacks something, can still be brought.
  @Test func anIncompleteCopyKeepsWhatItHas() throws {
    try space(
      """
      agonyfs unmount Albums
      files() { (cd $1 && find segments -type f | sort); }
      files Vault > before
      agonyfs mount --password-file password Vault Albums
      head -c 3000000 /dev/urandom > Albums/new
      sha256sum Albums/new > new
      agonyfs unmount Albums
      files Vault | comm -23 - before > newest
      refused=0 advised=0
      for missing in $(cat newest); do
        rm -rf Copy Plain
        cp -a Vault Copy
        rm Copy/$missing
        # Without the option, the reason is followed by what to do.
        cp -a Copy Plain
        agonyfs mount --password-file password Plain Albums 2> said
        agonyfs unmount Albums
        if grep -q 'is mounted read-only, because' said; then
          grep -qe '[.] Complete the copy, or continue from this state with --accept-older[.]$' \
            -e '[.] See what is lost with agonyfs check[.]$' said
          advised=$((advised + 1))
        fi
        files Copy > had
        agonyfs mount --accept-older --password-file password Copy Albums 2> said
        if ! agonyfs unmount --give-back Albums 2> told; then
          grep -q 'cannot free the room of deleted files: an older state' told
          grep -q 'it continues from that' said
          refused=$((refused + 1))
          agonyfs unmount Albums
        fi
        # Nothing of the newer state is lost.
        files Copy | comm -13 - had | comm -12 - newest > lost
        cmp lost /dev/null
      done
      test $refused -gt 0 -a $advised -gt 0
      """)
  }

  /// Files that stay are whole, and the vault works, also when it is killed while it gives back.
  @Test func beforeAndAfterAKill() throws {
    try space(
      """
      sync Albums/1
      setfattr -n user.agonyfs.request -v give-back Albums/.agonyfs
      daemon=$(pgrep -f "as-daemon $PWD/Vault")
      kill $daemon
      kill -KILL $daemon
      for try in $(seq 100); do umount -l Albums 2> /dev/null || break; done
      agonyfs mount --password-file password Vault Albums
      sha256sum -c sum
      agonyfs unmount --give-back Albums
      test "$(taken)" -lt 20000000
      agonyfs check --read-data --password-file password Vault
      """)
  }

  @Test(.enabled(if: Workspace.isRoot, "needs root, for a file system of its own"))
  func aMountCountsItAsFree() throws {
    try expectSuccess(
      Workspace(),
      """
      mkdir disk Albums
      mount -t tmpfs -o size=400m none disk
      echo password > password
      agonyfs create --kdf interactive --cover 0 --segment-size 1M --password-file password disk/Vault
      agonyfs mount --password-file password disk/Vault Albums
      free() { sync Albums/one; stat -f -c %a Albums; }
      : > Albums/one
      before=$(free)
      head -c 100000000 /dev/zero | tr '\\\\0' x > Albums/two
      full=$(free)
      rm Albums/two
      # Pages of 4 KiB.
      test $((before - full)) -gt 20000
      until test $(($(free) - full)) -gt 15000; do sleep 0.1; done
      agonyfs unmount --give-back Albums
      umount disk
      """)
  }

  @Test func whereNothingCanBeGivenBackThatIsSaid() throws {
    try expectSuccess(
      """
      agonyfs mount --password-file password Vault Albums
      files=$(ls -R Vault | wc -l)
      head -c 3000000 /dev/urandom > Albums/a
      rm Albums/a
      agonyfs unmount --give-back Albums 2> told
      grep -q 'owns a fixed number of files and keeps them' told
      not agonyfs unmount --give-back Albums 2> told
      grep -q 'No agonyfs space is mounted at' told
      not agonyfs unmount --give-back --all 2> told
      grep -q 'name the mount points' told
      agonyfs mount -o ro --password-file password Vault Albums
      mkdir -p Plain/.agonyfs
      not agonyfs unmount --give-back Plain nowhere Albums 2> told
      grep -q 'cannot free the room of deleted files: it is mounted read-only' told
      grep -q 'No agonyfs space is mounted at .*Plain' told
      not getfattr -n user.agonyfs.request Plain/.agonyfs
      agonyfs unmount Albums
      """, ownCover: "24M")
  }
}
