import Testing

@testable import agonyfs

/// One vault in a folder that a program keeps the same on two machines, on both of which it is mounted and written.
@Suite struct SyncFolderTests {
  /// `Here` and `There` are the folders, `Vault` the one that a mount at `Albums` uses. `mounted FOLDER NAME` mounts
  /// one of them, `write NAME TEXT` writes and syncs a file, `arrive FROM TO` replaces files of one folder by those of
  /// the other, as such programs do, and `sums FOLDER` tells what is in all files.
  private static let functions = """
    mounted() { mkdir -p $2; agonyfs mount --password-file password $1 $2; }
    write() { echo "$2" > $1/file && sync $1/file; }
    arrive() {
      (cd $1 && find segments -type f) | while read -r file; do
        cmp -s $1/$file $2/$file && continue
        cp $1/$file $2/arriving
        mv $2/arriving $2/$file
      done
    }
    sums() { (cd $1 && find . -type f | sort | xargs sha256sum); }
    # What has to be seen of the end of a writer that stopped.
    stopped() {
      not write $1 never 2> /dev/null
      not touch $1/other 2> error
      grep -q 'Read-only file system' error
      grep -q '"readOnly": "the space was continued elsewhere' $1/.agonyfs/status
      test "$(cat $1/before)" = before
    }

    """

  private func vault() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.makeVault()
    try expectSuccess(
      workspace,
      Self.functions + """
        mounted Vault Albums
        echo before > Albums/before
        agonyfs unmount Albums
        mv Vault Here
        cp -a Here There
        mounted Here Albums1
        mounted There Albums2
        """)
    return workspace
  }

  @Test func aFileThatIsReplacedStopsTheWriter() throws {
    let workspace = try vault()
    try expectSuccess(
      workspace,
      Self.functions + """
        # Both begin the same epoch.
        write Albums1 here
        write Albums2 there
        arrive There Here
        sums Here > arrived
        stopped Albums1
        agonyfs unmount Albums1 || true
        sums Here > later
        cmp arrived later
        write Albums2 there2
        agonyfs unmount Albums2
        arrive There Here
        mounted Here Albums1
        test "$(cat Albums1/file)" = there2
        test "$(cat Albums1/before)" = before
        agonyfs unmount Albums1
        agonyfs check --read-data --password-file password Here
        """)
  }

  @Test func aFileThatAppearsStopsTheWriter() throws {
    let workspace = try vault()
    try expectSuccess(
      workspace,
      Self.functions + """
        write Albums1 here
        write Albums2 there
        # The other one is an epoch further.
        agonyfs unmount Albums2
        mounted There Albums2
        write Albums2 there2
        for file in $(cd There && find segments -type f); do
          test -e Here/$file || cp There/$file Here/$file
        done
        sums There > arrived
        # It is looked for once a second.
        i=0
        while write Albums1 more$i; do i=$((i + 1)); test $i -lt 100; sleep 0.1; done
        stopped Albums1
        agonyfs unmount Albums1 || true
        sums There > later
        cmp arrived later
        agonyfs unmount Albums2
        """)
  }

  @Test(arguments: ["rm $file", "mv $file conflict", "truncate -s 5000 $file", "echo more >> $file"])
  func aFileThatGoesOrChangesStopsTheWriter(_ change: String) throws {
    let workspace = try vault()
    try expectSuccess(
      workspace,
      Self.functions + """
        (cd Here && find segments -type f | sort) > old
        write Albums1 here
        file=Here/$(cd Here && find segments -type f | sort | comm -13 ../old -)
        test -f $file
        \(change)
        stopped Albums1
        agonyfs unmount Albums1 || true
        agonyfs unmount Albums2
        """)
  }

  @Test func filesThatAreOnlyReadOrLinkedStopNobody() throws {
    let workspace = try vault()
    try expectSuccess(
      workspace,
      Self.functions + """
        write Albums1 here
        cp -al Here snapshot
        rsync -a Here/ copy/
        find Here -type f -exec chmod g+r {} +
        write Albums1 again
        head -c 3000000 /dev/urandom > Albums1/large
        sync Albums1/large
        rm -r snapshot copy
        write Albums1 third
        grep -q '"readOnly": null' Albums1/.agonyfs/status
        agonyfs unmount Albums1
        agonyfs unmount Albums2
        agonyfs check --read-data --password-file password Here
        """)
  }
}
