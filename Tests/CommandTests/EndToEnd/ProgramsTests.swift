import Testing

/// Programs that people keep photos with, inside a mount.
@Suite struct ProgramsTests {
  /// Runs a script with `$M` mounted, then another after mounting again.
  private func expectSuccess(_ first: String, afterMountingAgain second: String) throws {
    try CommandTests.expectSuccess(
      """
      M="$W/Albums"
      agonyfs mount --password-file password Vault Albums
      \(first)
      cd "$W"
      agonyfs unmount Albums
      agonyfs mount --password-file password Vault Albums
      \(second)
      cd "$W"
      agonyfs unmount Albums
      agonyfs check --read-data --password-file password Vault
      """)
  }

  /// A tree with everything that a copy has to keep.
  private static let tree = """
    mkdir -p tree/a/b/c 'tree/with space' "tree/$(printf 'caf\\303\\251')" "tree/$(printf 'not-utf8-\\377')"
    head -c 3000000 /dev/urandom > tree/a/photo.jpg
    for i in $(seq 1 200); do echo "number $i" > tree/a/b/c/file$i; done
    : > tree/empty
    ln tree/a/photo.jpg tree/hardlink
    ln -s ../nowhere tree/a/dangling
    mkfifo tree/fifo
    truncate -s 50M tree/sparse
    printf end | dd of=tree/sparse bs=1 seek=40000000 conv=notrunc
    chmod 0640 tree/a/photo.jpg
    chmod 1777 tree/a
    touch -d '1999-12-31 23:59:59.123456789' tree/a/photo.jpg
    touch -d '2040-02-03 04:05:06.987654321' tree/a/b
    touch -h -d '1969-07-20 20:17:40' tree/a/dangling
    setfattr -n user.comment -v 'at the beach' tree/a/photo.jpg
    setfattr -n user.binary -v 0x00ff00 tree/a/b
    setfacl -m u:1234:r,g:4321:rw tree/empty
    setfacl -d -m u:1234:rwx tree/a/b
    """

  @Test func rsyncKeepsEverything() throws {
    try expectSuccess(
      Self.tree + """

        rsync -aHAX tree/ "$M/tree/"
        """,
      afterMountingAgain: """
        test -z "$(rsync -aHAX --checksum --delete -n -i tree/ "$M/tree/")"
        rsync -aHAX "$M/tree/" back/
        test -z "$(rsync -aHAX --checksum --delete -n -i tree/ back/)"
        test "$(stat -c '%y %a' "$M/tree/a/photo.jpg")" = "$(stat -c '%y %a' tree/a/photo.jpg)"
        """)
  }

  @Test func copyAndTarKeepEverything() throws {
    try expectSuccess(
      Self.tree + """

        cp -a tree "$M/copied"
        tar -C tree --xattrs --acls -cf - . | (mkdir "$M/unpacked"; tar -C "$M/unpacked" --xattrs --acls -xpf -)
        """,
      afterMountingAgain: """
        test -z "$(rsync -aHAX --checksum --delete -n -i tree/ "$M/copied/")"
        # The holes are holes.
        test "$(stat -c %b "$M/copied/sparse")" -lt 2000
        diff -r --no-dereference "$M/copied/a" "$M/unpacked/a"
        test "$(getfacl -cp "$M/unpacked/empty")" = "$(getfacl -cp tree/empty)"
        tar -C "$M/copied" -cf "$M/archive.tar" a
        tar -C "$M/copied" --compare -f "$M/archive.tar"
        """)
  }

  @Test func gitWorksInside() throws {
    try expectSuccess(
      """
      git init -q "$M/repository"
      cd "$M/repository"
      git config user.name Tester
      git config user.email tester@example.org
      for i in $(seq 1 20); do seq $i 5000 > file$i; git add .; git commit -q -m "number $i"; done
      git repack -q -a -d
      git clone -q --no-hardlinks "$M/repository" "$M/clone"
      """,
      afterMountingAgain: """
        git -C "$M/repository" fsck --full --strict
        git -C "$M/clone" fsck --full --strict
        test -z "$(git -C "$M/clone" status --porcelain)"
        test "$(git -C "$M/clone" rev-list --count HEAD)" = 20
        """)
  }

  @Test func databasesWorkInside() throws {
    try expectSuccess(
      """
      sqlite3 "$M/catalog.db" 'PRAGMA journal_mode=WAL; CREATE TABLE photo(id INTEGER PRIMARY KEY, name TEXT);'
      for n in 1 2 3; do
        for i in $(seq 1 50); do echo "INSERT INTO photo(name) VALUES('photo $n $i');"; done |
          sqlite3 -cmd '.timeout 60000' "$M/catalog.db" &
      done
      wait
      """,
      afterMountingAgain: """
        test "$(sqlite3 "$M/catalog.db" 'SELECT count(*) FROM photo')" = 150
        test "$(sqlite3 "$M/catalog.db" 'PRAGMA integrity_check')" = ok
        """)
  }
}
