import Mount
import ObjectStore
import Storage
import SystemPackage
import Testing
import Vault
import VaultCopy

@testable import agonyfs

/// Exit statuses and sentences.
@Suite struct ErrorTableTests {
  private static let vaultErrors: [(VaultError, CommandStatus)] = [
    (.notAVault("it has no agonyfs.json"), .noVault), (.newerFormat(3), .failure),
    (.newerSpace, .failure),
    (.olderFormat(1), .failure), (.derivationsTooWeak, .failure), (.tooLittleCover, .usage),
    (.lastPassword, .failure),
    (.vaultExists, .vaultExists), (.cancelled, .failure), (.noSpaceOpens, .noSpaceOpens),
    (.passwordInUse, .passwordInUse),
    (.spaceInUse, .spaceInUse), (.damaged("a head is missing"), .damage), (.noSpace, .noRoom),
    (.snapshotEnded, .failure),
    (.readOnly("it is"), .failure), (.indexFailed(7), .failure), (.system(.permissionDenied, "reading"), .failure),
    (.system(.noSpace, "writing"), .noRoom), (.system(.diskQuotaExceeded, "writing"), .noRoom),
  ]

  @Test(arguments: vaultErrors)
  func vaultErrorsHaveAStatusAndASentence(_ error: VaultError, _ status: CommandStatus) {
    let failure = CommandFailure(error, vault: "/the/vault")
    #expect(failure.status == status)
    #expect(failure.message.first?.isUppercase == true || failure.message.hasPrefix("/the/vault"))
    #expect(!failure.message.contains("\n"))
    #expect(failure.message.count > 20)
  }

  /// The sentences name the vault, and are true whatever was done.
  @Test func sentencesFitEveryCommand() {
    func sentence(_ error: VaultError) -> String { CommandFailure(error, vault: "/the/vault").message }
    #expect(
      sentence(.system(.noMemory, "allocating 256 MiB to derive the key"))
        == "Allocating 256 MiB to derive the key failed for the vault at /the/vault: there is not enough free memory.")
    #expect(sentence(.indexFailed(7)).hasPrefix("The index of the space in /the/vault failed with SQLite's error 7; "))
  }

  /// What ends a check is not looked for with another check.
  @Test(arguments: [VaultError.damaged("no head of the space can be read"), .indexFailed(11)])
  func aCheckDoesNotAdviseItself(_ error: VaultError) {
    let (failure, other) = (
      CommandFailure(ofCheck: error, vault: "/the/vault"), CommandFailure(error, vault: "/the/vault")
    )
    #expect(failure.status == other.status)
    #expect(!failure.message.contains("agonyfs check") && other.message.contains("agonyfs check"))
    #expect(failure.message.contains("from a backup"))
    #expect(CommandFailure(ofCheck: .spaceInUse, vault: "/v") == CommandFailure(VaultError.spaceInUse, vault: "/v"))
  }

  /// Of an interrupted copy the files of the password may be missing.
  @Test func aPasswordThatOpensNothingMayMeetAnIncompleteCopy() {
    let message = CommandFailure(VaultError.noSpaceOpens, vault: "/the/vault").message
    #expect(message.contains("type it again") && message.contains("a copy that was interrupted"))
  }

  private static let directoryErrors: [(DirectoryStorageError, CommandStatus)] = [
    (.missing, .noVault), (.incomplete("it has no agonyfs.json"), .noVault), (.exists, .vaultExists),
    (.blocked("segments/07"), .damage),
    (.beingCreated, .vaultExists), (.parentMissing("/the"), .failure),
    (.system(.permissionDenied, "reading"), .failure), (.system(.noSpace, "writing"), .noRoom),
    (.system(.diskQuotaExceeded, "writing"), .noRoom),
  ]

  @Test(arguments: directoryErrors)
  func directoryErrorsHaveAStatusAndASentence(_ error: DirectoryStorageError, _ status: CommandStatus) {
    let failure = CommandFailure(error, vault: "/the/vault")
    #expect(failure.status == status)
    #expect(failure.message.contains("/the") || failure.message.hasPrefix("Reading failed: permission denied"))
  }

  /// A vault whose folders a refresh could neither exchange nor name as before is whole, and can be repaired.
  @Test func aRefreshBetweenRenamesSaysWhatToDo() {
    let error = RefreshError.betweenRenames(.ioError, "exchanging the folders")
    let failure = CommandFailure(error, vault: "/the/vault")
    #expect(failure.status == .failure)
    #expect(failure.message.hasPrefix("Exchanging the folders failed in the vault at /the/vault: "))
    #expect(failure.message.hasSuffix("mount a space for writing, or run: agonyfs refresh /the/vault"))
  }

  private static let mountErrors: [(MountError, CommandStatus)] = [
    (.missing(path: "/m"), .mountPointUnusable), (.notDirectory(path: "/m"), .mountPointUnusable),
    (.notEmpty(path: "/m"), .mountPointUnusable), (.mountedAlready(path: "/m"), .mountPointUnusable),
    (.notPermitted(path: "/m"), .mountPointUnusable), (.deadMount(path: "/m"), .mountPointUnusable),
    (.deadMountOfOther(path: "/m", user: 7), .mountPointUnusable),
    (.mountOfOther(path: "/m", user: 7), .mountPointUnusable),
    (.notMounted(path: "/m"), .mountPointUnusable), (.deviceMissing, .failure), (.helperMissing, .failure),
    (.busy(path: "/m"), .failure), (.tooLong, .mountPointUnusable), (.moved(path: "/m"), .mountPointUnusable),
    (.unusable(path: "/m", reason: "broken"), .mountPointUnusable),
    (.insideVault(path: "/m"), .mountPointUnusable), (.holdsVault(path: "/m"), .mountPointUnusable),
  ]

  @Test(arguments: mountErrors)
  func mountErrorsHaveAStatus(_ error: MountError, _ status: CommandStatus) {
    #expect(CommandFailure(error).status == status)
    #expect(CommandFailure(error).message == error.description)
  }

  @Test func optionsThatAreUnknownAreUsageErrors() {
    let failure = CommandFailure(any: MountOptionError.unknown("x"), vault: "")
    #expect(failure?.status == .usage)
  }

  private static let copyErrors: [(CopyError, CommandStatus)] = [
    (.directory(.missing, "/the/copy"), .noVault), (.system(.noSpace, "writing", "/the/copy"), .noRoom),
    (.system(.ioError, "reading", "/the/copy"), .failure), (.vault(.newerFormat(3), "/the/copy"), .failure),
    (.vault(.notAVault("it is not"), "s3://photos/vault"), .noVault), (.noVault("s3://photos/vault"), .noVault),
    (.unfinished("/the/copy"), .noVault), (.otherVault("/the/copy"), .vaultExists),
    (.notEmpty("/the/copy"), .vaultExists), (.inUse("/the/copy"), .spaceInUse),
    (.sourceReplaced("/the/copy"), .failure), (.notKept("/the/copy"), .damage), (.newerThere("/the/copy"), .failure),
    (.olderSource("/the/copy", 1), .failure), (.incompleteSource("/the/copy", 1), .failure),
    (.divergent("s3://photos/vault", 3), .failure),
    (.readOnlySource("/the/copy"), .failure), (.cancelled, .failure),
  ]

  @Test(arguments: copyErrors)
  func copyErrorsHaveAStatusAndASentence(_ error: CopyError, _ status: CommandStatus) {
    let failure = CommandFailure(error)
    #expect(failure.status == status)
    #expect(failure.message.count > 20 && !failure.message.contains("\n"))
    let names = ["/the/copy", "s3://photos/vault"]
    #expect(error == .cancelled || names.contains { failure.message.contains($0) })
  }

  /// A store that is full or busy is filled later; one that refuses is set up first.
  @Test func storesAreNamedAndStatusesAreTheirs() throws {
    let address = try StoreAddress("s3://photos/vault")
    let errors: [(StoreError, CommandStatus, Bool)] = [
      (.quota, .noRoom, true), (.unreachable, .storeUnreachable, true), (.denied(.put), .storeRefused, false),
      (.untrustedCertificate, .storeRefused, false), (.refused("X"), .failure, false),
      (.lags, .failure, false),
    ]
    for (error, status, goesOn) in errors {
      let failure = CommandFailure(CopyError.store(error, address))
      #expect(failure.status == status)
      #expect(failure.message.hasSuffix("the same command continues from there.") == goesOn)
    }
  }

  @Test func theLineOfACopyHasRateAndTimeLeft() {
    var progress = CopyProgress()
    (progress.done, progress.total) = (1 << 30, 4 << 30)
    #expect(CopyLine.line("copying", progress, after: 0.5) == "copying: 1 GiB of 4 GiB")
    #expect(CopyLine.line("copying", progress, after: 64) == "copying: 1 GiB of 4 GiB, 16 MiB/s, 3:12 left")
  }

  @Test func numbersNeverChange() {
    #expect(CommandStatus.allCases.map(\.rawValue) == [0, 1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
  }
}
