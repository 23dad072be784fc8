import Glibc
import TestSupport
import Testing

/// `agonyfs copy` to a bucket of a real engine with two gateways, of a vault that is in use.
@Suite(.enabled(if: unsafe getenv("AGONYFS_TEST_S3") != nil, "needs scripts/test --engine ceph"))
struct EngineCopyTests {
  @Test func whatWasSyncedBeforeACopyComesBackFromTheBucket() throws {
    try expectSuccess(
      """
      \(CopyScript.gateways)
      agonyfs mount --password-file password Vault Albums
      start
      for round in 1 2; do
        promised $((35 * round))
        # The second copy brings the first up to date, through the other gateway.
        if [ $round = 1 ]; then copy $first Vault $to; else copy $second Vault $to; fi
        mount_back $first Back$round
        agonyfs unmount Copied
      done
      murder
      # A copy that is killed is completed later.
      "$AGONYFS" copy --bandwidth 1M --endpoint $first Vault $to > copied & copying=$!
      sleep 1
      kill -KILL $copying || true
      wait $copying || true
      copy $second Vault $to
      copy $first $to Killed
      agonyfs mount --password-file password Killed Copied
      verify Copied
      echo more > Copied/more
      agonyfs unmount Copied
      agonyfs check --read-data --password-file password Killed
      """)
  }

  @Test func aCopyIsTheSameAtBothGateways() throws {
    try expectSuccess(
      """
      \(CopyScript.gateways)
      write photo 20000000
      copy $first Vault $to
      copy $second --verify Vault $to
      copy $second --verify --read-back Vault $to
      copy $second $to Back
      same Vault Back
      copy $second $to $to-second
      copy $first --verify Back $to-second
      copy $first Vault $to | grep -q '^Copied 0 files'
      """)
  }

  @Test func aBucketThatRefusesIsNamed() throws {
    try expectSuccess(
      """
      \(CopyScript.gateways)
      says 21 'has no bucket' copy $first Vault s3://absent/vault
      says 21 'has no bucket' copy $first s3://absent/vault Back
      says 10 'no vault at' copy $first $to Back
      (AWS_SECRET_ACCESS_KEY=wrong; says 21 'does not accept the credentials' copy $first Vault $to)
      # It takes one object only.
      says 17 'is full' copy $first Vault s3://small/$(basename "$W")
      """)
  }
}
