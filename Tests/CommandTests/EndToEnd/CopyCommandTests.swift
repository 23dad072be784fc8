import TestSupport
import Testing

@testable import agonyfs

/// `agonyfs copy`: a copy opens as the vault does, without a password on the way.
@Suite struct CopyCommandTests {
  private static let functions = CopyScript.functions
  private static let server = CopyScript.server

  @Test func aCopyOnADiskOpensAndIsBroughtUpToDate() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      agonyfs copy Vault Copy > out
      grep -q '^Copied [0-9]* files of [0-9]*\\.$' out
      same Vault Copy
      test "$(ls -A Copy)" = "$(printf 'agonyfs.json\\nsegments')"
      test "$(find Copy -printf '%T@\\n' | sort -u)" = 946684800.0000000000
      agonyfs copy --verify Vault Copy | grep -q '^All [0-9]* files are the same\\.$'
      agonyfs copy Vault Copy | grep -q '^Copied 0 files'
      write two 2000000
      gives 16 agonyfs copy --verify Vault Copy
      agonyfs copy --jobs 1 --read-back Vault Copy
      agonyfs copy --verify --read-back Vault Copy
      opens Copy
      """)
  }

  /// Files that keep name, size and time, and files that the copy has lost.
  @Test func contentDecides() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 3000000
      agonyfs copy Vault Copy
      name=$(cd Copy && find segments -type f | head -n 1)
      printf 'sixteen letters!' | dd of=Copy/$name bs=1 seek=1000 conv=notrunc
      touch -d @946684800 Copy/$name
      rm Copy/$(cd Copy && find segments -type f | tail -n 1)
      says 16 'lacks 1 file, and has other bytes in 1' agonyfs copy --verify Vault Copy
      agonyfs copy Vault Copy | grep -q '^Copied 2 files'
      same Vault Copy
      touch Copy/segments/00/00000000000000000000000000000000
      says 0 'has 1 file that' agonyfs copy Vault Copy
      test -e Copy/segments/00/00000000000000000000000000000000
      """)
  }

  @Test func whileASpaceIsWrittenTheCopyHasWhatWasSynced() throws {
    try expectSuccess(
      """
      \(Self.functions)
      agonyfs mount --password-file password Vault Albums
      head -c 5000000 /dev/urandom > Albums/synced
      # The kernel tells no file system in user space of sync -f.
      sync Albums/synced
      sha256sum Albums/synced > written
      (while :; do head -c 1500000 /dev/urandom > Albums/other; sync Albums/other; sleep 0.1; done) & writing=$!
      agonyfs copy --bandwidth 20M Vault Copy
      kill $writing
      wait $writing || true
      wait_for 60 'nothing is written any more' agonyfs unmount Albums
      agonyfs mount -o ro --password-file password Copy Albums
      sha256sum --quiet -c written
      agonyfs unmount Albums
      agonyfs copy Vault Copy
      agonyfs mount -o ro --password-file password Copy Albums
      sha256sum --quiet -c written
      agonyfs unmount Albums
      """)
  }

  /// It is killed at several points; until a copy is complete it does not open.
  @Test func aKilledCopyIsResumed() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 20000000
      for try in \(TestLength.sample(Array(1...8), 3).map(String.init).joined(separator: " ")); do
        "$AGONYFS" copy --bandwidth 8M Vault Copy > /dev/null & copying=$!
        sleep 0.$try
        kill -KILL $copying || true
        wait $copying || true
        if [ -e Copy/copying ] && [ ! -e Copy/agonyfs.json ]; then
          gives 10 agonyfs mount -o ro --password-file password Copy Albums
          says 10 'an incomplete copy' agonyfs copy Copy Third
          says 11 'exists and is not an empty' agonyfs create --password-file password Copy
        fi
      done
      agonyfs copy Vault Copy
      same Vault Copy
      opens Copy
      """)
  }

  @Test func asASignalAsksItEnds() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 20000000
      env --default-signal=INT "$AGONYFS" copy --bandwidth 1M --jobs 2 Vault Copy 2> said & copying=$!
      begun() { test -e Copy/copying; }
      wait_for 100 'the copy begins' begun
      kill -INT $copying
      ended=0
      wait $copying || ended=$?
      test $ended = 130
      grep -q 'interrupted; the same command continues' said
      agonyfs copy Vault Copy
      same Vault Copy
      """)
  }

  /// A command for credentials may ask somebody, and so hang.
  @Test func aSignalKillsACommandForCredentials() throws {
    try expectSuccess(
      """
      \(Self.functions)
      begun() { test -s command; }
      for words in copy sync 'sync --at 04:00'; do
        rm -f command
        env --default-signal=INT "$AGONYFS" $words --credentials-command 'echo $$ > command; exec sleep 1000' \
          Vault s3://photos/vault 2> said & copying=$!
        wait_for 100 'the command runs' begun
        kill -INT $copying
        ended=0
        wait $copying || ended=$?
        test $ended = 130
        ends $(cat command)
        not grep -q stopped said
      done
      """)
  }

  @Test func badInputIsRefusedWithASentence() throws {
    try expectSuccess(
      """
      \(Self.functions)
      mkdir full
      echo text > full/letter
      says 11 'not empty' agonyfs copy Vault full
      says 10 'no vault at' agonyfs copy absent Copy
      says 1 'no directory' agonyfs copy Vault absent/Copy
      says 2 'the vault itself' agonyfs copy Vault Vault
      says 2 'or in it' agonyfs copy Vault Vault/Copy
      says 2 'options of buckets' agonyfs copy --region x Vault Copy
      says 2 'options of buckets' agonyfs copy --from-region x Vault Copy
      says 2 'jobs must be' agonyfs copy --jobs 0 Vault Copy
      says 2 'bandwidth must be' agonyfs copy --bandwidth 1 Vault Copy
      says 2 'is not the name of a bucket' agonyfs copy Vault s3://X
      says 2 'need a bucket as <from>' agonyfs copy --from-profile x Vault s3://photos/vault
      says 2 'needs --from-profile' agonyfs copy --from-endpoint https://store.example s3://photos/a s3://photos/b
      # Otherwise the server of the copy gets the credentials of the vault's.
      says 2 'with --endpoint needs' agonyfs copy --from-profile x --endpoint https://store.example s3://photos/a s3://photos/b
      says 2 'is not encrypted' agonyfs copy --from-profile x --from-endpoint http://store s3://photos/a s3://photos/b
      says 2 'is not encrypted' agonyfs copy --endpoint http://store.example Vault s3://photos/vault
      agonyfs create --kdf interactive --segment-size 1M --cover 0 --password-file password Other
      says 11 'has another vault' agonyfs copy Vault Other
      agonyfs copy Vault Copy
      agonyfs mount --password-file password Copy Albums
      says 15 'in use' agonyfs copy Vault Copy
      agonyfs unmount Albums
      test ! -e absent
      """)
  }

  @Test(.enabled(if: CrashLoad.canMount("ext4"), "needs root, loop devices and ext4"))
  func aFullDiskIsSaidAndTheCopyGoesOn() throws {
    try expectSuccess(
      """
      \(Self.functions)
      write one 5000000
      make_disk $(($(du -sm Vault | cut -f 1) + 30))M ext4 -m 0
      not dd if=/dev/zero of=disk/filler bs=1M count=400 2> /dev/null
      truncate -s -8M disk/filler
      says 17 'is full' agonyfs copy Vault disk/Copy
      test ! -e disk/Copy/agonyfs.json
      rm disk/filler
      agonyfs copy Vault disk/Copy
      same Vault disk/Copy
      umount disk
      """)
  }

  @Test func aBucketGetsTheVaultAndGivesItBack() throws {
    try expectSuccess(
      """
      \(Self.functions + Self.server)
      write one 3000000
      copy Vault s3://photos/my/vault
      copy --verify Vault s3://photos/my/vault
      copy --verify --read-back Vault s3://photos/my/vault
      copy s3://photos/my/vault Back
      same Vault Back
      copy s3://photos/my/vault s3://photos/second
      copy --verify Back s3://photos/second
      write two 2000000
      for fault in busy drop lose double flip cut; do order fault $fault 2; done
      copy Vault s3://photos/my/vault
      copy --verify Vault s3://photos/my/vault
      copy s3://photos/my/vault Back
      same Vault Back
      opens Back
      exec 9>&-
      """)
  }

  @Test func aBucketThatRefusesIsNamed() throws {
    try expectSuccess(
      """
      \(Self.functions + Self.server)
      says 21 'has no bucket' copy Vault s3://absent/vault
      says 21 'has no bucket' copy s3://absent/vault Back
      (AWS_SECRET_ACCESS_KEY=wrong; says 21 'does not accept the credentials' copy Vault s3://photos/vault)
      (unset AWS_ACCESS_KEY_ID; export HOME="$W"; says 21 'No credentials' copy Vault s3://photos/vault)
      says 21 'in the region us-east-1' copy --region eu-central-1 Vault s3://photos/vault
      says 10 'no vault at' copy s3://photos/vault Back
      says 20 '127.0.0.1' agonyfs copy --endpoint http://127.0.0.1:1 Vault s3://photos/vault
      order set deny PUT
      says 21 's3:PutObject' copy Vault s3://photos/vault
      order set deny none
      order set quota 3000000
      says 17 'is full' copy Vault s3://photos/vault
      says 10 'an incomplete copy' copy s3://photos/vault Back
      order set quota 1000000000
      order set late list
      says 1 'use another store' copy Vault s3://photos/vault
      order set late
      order set versioning Enabled
      says 0 'keeps old versions of objects' copy Vault s3://photos/vault
      copy s3://photos/vault Back
      same Vault Back
      exec 9>&-
      """)
  }

  /// The tests' own server.
  @Test func aServerThatEndsIsNotWaitedFor() throws {
    let outcome = try Workspace().shell("set -eu\npython3() { return 3; }\n" + Self.server)
    #expect(outcome.status == 1 && outcome.errors.contains("the server ended before it had a port"), "\(outcome)")
  }
}
