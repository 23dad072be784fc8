import TestSupport
import Testing

/// One vault in a folder that a program keeps the same on two machines, on both of which it is mounted and written.
@Suite struct SyncFolderTests {
  /// `Here` and `There` are the folders, `Vault` the one that a mount at `Albums` uses. `mounted FOLDER NAME` mounts
  /// one of them, `write NAME TEXT` writes and syncs a file, `arrive FROM TO` replaces files of one folder by those of
  /// the other, as such programs do, and `sums FOLDER` tells what is in all files. The space has a file already.
  private static let start = """
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
    mounted Vault Albums
    echo before > Albums/before
    agonyfs unmount Albums
    mv Vault Here
    cp -a Here There

    """

  private static let bothMounted =
    start + """
      mounted Here Albums1
      mounted There Albums2

      """

  @Test(arguments: ["", "24M"]) func aFileThatIsReplacedStopsTheWriter(ownCover: String) throws {
    try expectSuccess(
      Self.bothMounted + """
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
        """, ownCover: ownCover)
  }

  @Test(arguments: ["", "24M"]) func aFileThatAppearsStopsTheWriter(ownCover: String) throws {
    try expectSuccess(
      Self.bothMounted + """
        write Albums1 here
        write Albums2 there
        # The other one is an epoch further.
        agonyfs unmount Albums2
        mounted There Albums2
        write Albums2 there2
        for file in $(cd There && find segments -type f); do
          test -e Here/$file && continue
          cp There/$file Here/$file
          (cd Here && sha256sum $file) >> arrived
        done
        # It is looked for once a second.
        i=0
        while write Albums1 more$i; do i=$((i + 1)); test $i -lt 3000; sleep 0.1; done
        stopped Albums1
        agonyfs unmount Albums1 || true
        (cd Here && sha256sum --quiet -c ../arrived)
        agonyfs unmount Albums2
        """, ownCover: ownCover)
  }

  @Test(
    arguments: TestLength.sample(
      ["rm $file", "mv $file conflict", "truncate -s 5000 $file", "echo more >> $file"].flatMap {
        [($0, ""), ($0, "24M")]
      },
      4, kind: { $0.0 }))
  func aFileThatGoesOrChangesStopsTheWriter(_ change: String, ownCover: String) throws {
    try expectSuccess(
      // What a mount examines by itself begins the same file.
      Self.start + """
        (cd Here && find segments -type f | sort) > old
        mounted Here Albums1
        mounted There Albums2
        write Albums1 here
        file=Here/$(cd Here && find segments -type f | sort | comm -13 ../old -)
        test -f $file
        \(change)
        stopped Albums1
        agonyfs unmount Albums1 || true
        agonyfs unmount Albums2
        """, ownCover: ownCover)
  }

  @Test(arguments: ["", "24M"]) func filesThatAreOnlyReadOrLinkedStopNobody(ownCover: String) throws {
    try expectSuccess(
      Self.bothMounted + """
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
        """, ownCover: ownCover)
  }

  /// The vault is used on one machine, and everything is transferred, deletions too, before it is used on the other. The
  /// hidden space is filled so often that everything that it had at first is gone.
  @Test(arguments: ["", "24M"]) func usedInTurnNothingIsLost(ownCover: String) throws {
    try expectSuccess(
      Self.start + """
        number=$(files Here)
        (cd Here && find segments -type f | sort) > old
        from=Here to=There
        : > sums
        for round in 1 2 3 4 5 6 7 8; do
          agonyfs mount --copy-window 0 --password-file password $from Albums
          if [ -s sums ]; then sha256sum --quiet -c sums; fi
          head -c 8000000 /dev/urandom > Albums/photo$round
          rm -f Albums/photo$((round - 2))
          sync Albums/photo$round
          # A program that transfers what changes is at work all the time.
          rsync -a --delete $from/ $to/ || case $? in 23 | 24) ;; *) false ;; esac
          write Albums round$round
          sha256sum Albums/photo* Albums/file Albums/before > sums
          agonyfs unmount Albums
          rsync -a --delete $from/ $to/
          rsync -a -c --delete --itemize-changes $from/ $to/ > changes
          test ! -s changes
          if \(!ownCover.isEmpty); then test "$(files $from)" = $number; fi
          now=$from from=$to to=$now
        done
        if \(!ownCover.isEmpty); then
          # Nothing but what belongs to the first space, or to nobody: all 24 files of the hidden one have other names.
          (cd Here && find segments -type f | sort) | comm -12 old - > same
          test $((number - $(wc -l < same))) -ge 24
        fi
        agonyfs check --read-data --password-file password Here
        if \(!ownCover.isEmpty); then agonyfs check --read-data --password-file first There; fi
        """, ownCover: ownCover)
  }
}
