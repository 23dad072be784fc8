import Testing

@testable import agonyfs

/// Names of vaults, mount points and files that are no UTF-8, as old disks have them.
@Suite struct ByteNameTests {
  /// `v` is a vault whose name is in Latin-1, `m` a mount point that ends in a byte that no encoding has.
  private static let start = """
    v=$(printf 'Fotos f\\374r Oma')
    m=$(printf 'Alb\\303\\274m, \\\\ \\377')
    printf '%s\\n' 'correct horse battery staple' > password

    """

  private func run(_ script: String) throws {
    try expectSuccess(try Workspace(), Self.start + script)
  }

  @Test func aVaultIsMadeMountedAndTakenAway() throws {
    try run(
      """
      agonyfs create --kdf interactive --cover 0 --password-file password "$v"
      mkdir "$m"
      agonyfs mount --password-file password "$v" "$m"
      # The kernel's table has both names, byte for byte.
      findmnt -t fuse.agonyfs -rno SOURCE,TARGET | grep -F "$W" > found
      test "$(wc -l < found)" = 1
      echo kept > "$m/file"
      not agonyfs mount --password-file password "$v" "$m" 2> said
      grep -aq 'is mounted at' said
      agonyfs list "$m" --count
      agonyfs thumbnails "$m"
      # A program can find both.
      agonyfs info --json --password-file password "$v" > shown
      python3 - "$v" "$m" << 'END'
      import json, os, sys
      shown = json.load(open("shown"))
      for given, place, name in zip(sys.argv[1:], (shown["vault"], shown), ("path", "mountPoint")):
          digits = place.get(name + "Bytes")
          found = bytes.fromhex(digits) if digits else place[name].encode()
          assert found == os.path.abspath(os.fsencode(given)), (given, place)
      END
      agonyfs unmount "$m"
      not mountpoint -q "$m"
      agonyfs info --password-file password "$v" > /dev/null
      agonyfs check --read-data --password-file password "$v"
      agonyfs refresh "$v"
      agonyfs mount --password-file password "$v" "$m"
      test "$(cat "$m/file")" = kept
      agonyfs unmount --give-back "$m"
      """)
  }

  @Test func aDeadMountThereIsTakenAway() throws {
    try run(
      """
      agonyfs create --kdf interactive --cover 0 --password-file password "$v"
      mkdir "$m"
      agonyfs mount --password-file password "$v" "$m"
      pkill -KILL -f "mount .*--as-daemon $W/"
      wait_for 600 'it has died' not sh -c 'stat "$1" 2> /dev/null' - "$m"
      agonyfs mount --password-file password "$v" "$m"
      agonyfs unmount "$m"
      not mountpoint -q "$m"
      """)
  }

  @Test func filesGoInAndOut() throws {
    try run(
      """
      agonyfs create --kdf interactive --cover 0 --password-file password "$v"
      mkdir "$m" in
      photo=$(printf 'in/caf\\351.jpg')
      printf 'no photo, but a file' > "$photo"
      key=$(printf 'k\\377')
      cp password "$key"
      agonyfs mount --password-file "$key" "$v" "$m"
      agonyfs import "$photo" "$m"
      cmp "$photo" "$m/${photo#in/}"
      out=$(printf 'out\\376')
      agonyfs export "$m" "$out"
      cmp "$photo" "$out/${photo#in/}"
      agonyfs doctor --dry-run "$m" > /dev/null || test $? = 19
      agonyfs unmount "$m"
      agonyfs mount -o passfile="$key" "$v" "$m"
      agonyfs unmount "$m"
      """)
  }

  @Test func textIsNotChangedInSilence() throws {
    let outcome = try Workspace().shell("agonyfs list . \"$(printf 'caf\\351')\"")
    expectFailure(outcome, .usage, "\"caf\\xE9\" is not UTF-8 text")
  }

  /// A file of the same name does not make a text of it.
  @Test func textIsNoPathThatStandsBesideIt() throws {
    let workspace = try Workspace()
    let outcome = try workspace.shell("t=$(printf 'caf\\351'); agonyfs tag --title \"$t\" \"$t\"")
    expectFailure(outcome, .usage, "\"caf\\xE9\" is not UTF-8 text")
    expectFailure(
      try workspace.shell("agonyfs mount -o subtype=\"$(printf 's\\351')\" v m"), .usage,
      "The value of the mount option \"subtype\" is not UTF-8 text")
  }

  /// A slash at the end of a file's name is not passed over: another file has the name without it.
  @Test func aFileIsNoDirectory() throws {
    try run(
      """
      mkdir m in
      echo kept > notes
      for words in 'import --report notes/ in m' 'mount --password-file password/ v m' 'tag --from notes/ m' \
        'tag --files0-from notes/ --rating 3' 'mount --places notes/ v m'; do
        status=0
        agonyfs $words 2> said || status=$?
        test "$status" = 2
        grep -qE '(notes|password)/' said
      done
      test "$(cat notes)" = kept
      says 2 'is empty' agonyfs thumbnails ''
      """)
  }
}
