import Glibc
import ObjectStore
import Storage
import SystemPackage
import Testing
import VaultCopy

@testable import agonyfs

/// When `agonyfs sync` runs, and what it says.
@Suite struct SyncSentenceTests {
  /// Runs `body` in a time zone, in the form of the variable TZ. Tests run one after the other.
  private func inZone(_ zone: String, _ body: () throws -> Void) rethrows {
    let before = unsafe getenv("TZ").map { unsafe String(cString: $0) }
    unsafe setenv("TZ", zone, 1)
    tzset()
    defer {
      if let before { unsafe setenv("TZ", before, 1) } else { unsafe unsetenv("TZ") }
      tzset()
    }
    try body()
  }

  private static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
  private static let newYork = "EST5EDT,M3.2.0,M11.1.0"
  /// Clocks are set by half an hour.
  private static let lordHowe = "LHST-10:30LHDT-11,M10.1.0,M4.1.0"

  @Test(arguments: ["00:00", "0:00", "03:30", "3:30", "23:59"])
  func timesOfDayAreUnderstood(_ text: String) throws {
    let time = try #require(DailyTime(argument: text))
    #expect(time.description.hasSuffix(text))
  }

  @Test(arguments: [
    "", ":", "3", "3:5", "3:005", "24:00", "03:60", "-3:00", "+3:00", "003:00", "3:00:00", "٣:00", "no",
  ])
  func othersAreNot(_ text: String) {
    #expect(DailyTime(argument: text) == nil)
  }

  /// A zone, a time of day, a time, and the next one.
  private static let next: [(String, String, Int64, Int64)] = [
    // 30 November 2026, 13:00: the next morning; and the same day, but not the same second.
    (berlin, "03:00", 1_796_040_000, 1_796_090_400), (berlin, "13:00", 1_796_039_999, 1_796_040_000),
    (berlin, "13:00", 1_796_040_000, 1_796_126_400),
    // 28 March 2027: no clock shows 02:30. 31 October 2027: all clocks show it twice.
    (berlin, "02:30", 1_806_192_000, 1_806_197_400), (berlin, "02:30", 1_806_197_400, 1_806_280_200),
    (berlin, "02:30", 1_824_937_200, 1_824_942_600), (berlin, "02:30", 1_824_942_600, 1_825_032_600),
    (berlin, "02:30", 1_824_944_400, 1_825_032_600),
    (newYork, "02:30", 1_805_004_000, 1_805_009_400), (newYork, "01:30", 1_825_563_600, 1_825_565_400),
    (newYork, "01:30", 1_825_565_400, 1_825_655_400),
    (lordHowe, "02:15", 1_822_485_600, 1_822_491_900), (lordHowe, "01:45", 1_806_760_800, 1_806_763_500),
    (lordHowe, "01:45", 1_806_763_500, 1_806_851_700),
    // The end of a year, without summer time.
    ("JST-9", "00:00", 1_798_729_199, 1_798_729_200), ("JST-9", "23:59", 1_798_729_140, 1_798_815_540),
  ]

  @Test func theNextTimeIsThatOfTheClock() throws {
    for (zone, text, now, next) in Self.next {
      let time = try #require(DailyTime(argument: text))
      inZone(zone) { #expect(time.next(after: now) == next, "\(zone) \(text) after \(now)") }
    }
  }

  @Test func aYearHasARunForEachDay() throws {
    for zone in [Self.berlin, Self.newYork, Self.lordHowe, "UTC0"] {
      for text in ["00:00", "01:30", "02:00", "02:15", "02:30", "03:00", "23:30"] {
        let time = try #require(DailyTime(argument: text))
        inZone(zone) {
          // 1 January 2027, noon in UTC.
          let start: Int64 = 1_798_804_800
          var (now, runs) = (start, 0)
          while true {
            let next = time.next(after: now)
            guard next <= start + 365 * 86_400 else { break }
            #expect(next > now && next - now <= 25 * 3600, "\(zone) \(text) after \(now)")
            (now, runs) = (next, runs + 1)
          }
          #expect(runs == 365, "\(zone) \(text)")
        }
      }
    }
  }

  @Test func resultsAreSentences() {
    var summary = SyncSummary()
    // 15 January 2027, 08:00:00.
    summary.begun = 1_800_000_000
    (summary.copied, summary.sentBytes, summary.deleted) = (12, 48 << 20, 3)
    inZone("UTC0") {
      #expect(
        summary.sentences(at: summary.begun + 60)
          == "Sent 12 files (48 MiB), deleted 3. Everything synced before 08:00:00 is in the bucket.")
      #expect(
        summary.sentences(at: summary.begun + 86_400)
          == "Sent 12 files (48 MiB), deleted 3. Everything synced before 08:00:00 on 15 January 2027 is in the bucket."
      )
      summary.resent = 2
      #expect(summary.sentences(at: summary.begun).hasPrefix("Sent 14 files (48 MiB, 2 of them again), deleted 3. "))
    }
  }

  /// Without everything in the bucket nothing may claim it.
  @Test func whatIsMissingIsSaid() {
    var summary = SyncSummary()
    (summary.copied, summary.sentBytes) = (1, 4 << 20)
    (summary.waiting, summary.waitingBytes) = (8, 32 << 20)
    #expect(summary.sentences(at: 0) == "Sent 1 file (4 MiB). 8 files (32 MiB) are not in the bucket yet.")
    (summary.waiting, summary.waitingBytes) = (1, 4 << 20)
    #expect(summary.sentences(at: 0) == "Sent 1 file (4 MiB). 1 file (4 MiB) is not in the bucket yet.")
    #expect(summary.plan == "Would send 1 file (4 MiB), and delete 0.")
    summary.waiting = 0
    let lacking: [WritableKeyPath<SyncSummary, Int>] = [\.gone, \.shortened, \.tooLarge]
    for field in lacking {
      var other = summary
      other[keyPath: field] = 1
      #expect(other.sentences(at: 0) == "Sent 1 file (4 MiB).")
    }
  }

  @Test func filesThatWereLeftOutEndACopy() {
    #expect(LeftOutFiles(place: "Vault", gone: 0, unusable: 0).failure(others: "all is well") == nil)
    let gone = LeftOutFiles(place: "Vault", gone: 2, unusable: 1).failure(others: "all others were copied")
    #expect(gone?.status == .failure)
    let words = "Vault deleted 2 files during the copy, as a mount or agonyfs refresh does; all others were copied. "
    #expect(gone?.message == words + "Run the same command again.")
    let unusable = LeftOutFiles(place: "Vault", gone: 0, unusable: 1).failure(others: "all others were copied")
    let message = unusable?.message ?? ""
    #expect(message.hasPrefix("1 file in Vault became shorter during the copy, or is no file of a vault; all others "))
  }

  @Test func aVaultThatMayBeOlderIsCalledThat() {
    let words = "The vault at Vault may be an older copy: it lacks 2 files that the bucket has, and has no record of "
    let more = "the bucket's last sync; nothing was changed. "
    let advice = "Sync the newest copy; if it is this one, run once with --delete-newer."
    #expect(CommandFailure(CopyError.olderSource("Vault", 2)).message == words + more + advice)
  }

  @Test func aBucketThatMayBeNewerIsCalledThat() {
    let words = "s3://photos/vault may have changes that this vault lacks: it has other bytes in 2 files, "
    let more = "and the vault has no record of the bucket's last sync; nothing was changed. "
    let advice = "Sync the newest copy; if it is this one, run once with --delete-newer."
    #expect(CommandFailure(CopyError.divergent("s3://photos/vault", 2)).message == words + more + advice)
  }

  @Test func onlyTroublesThatMayPassAreWaitedOut() throws {
    let address = try StoreAddress("s3://photos/vault")
    let always: [CopyError] = [
      .store(.unreachable, address), .store(.slowDown, address), .store(.quota, address), .inUse("Vault"),
      .system(.noSpace, "writing synced", "Vault"), .system(.diskQuotaExceeded, "writing synced", "Vault"),
    ]
    // An empty directory is left where a disk was mounted.
    let later: [CopyError] = [
      .store(.untrustedCertificate, address), .store(.redirected, address), .noVault("Vault"),
      .directory(.missing, "Vault"), .directory(.incomplete("it has no agonyfs.json"), "Vault"),
    ]
    let never: [CopyError] = [
      .store(.wrongCredentials, address), .store(.denied(.put), address), .otherVault("s3://photos/vault"),
      .newerThere("s3://photos/vault"), .olderSource("Vault", 2), .divergent("s3://photos/vault", 2),
      .incompleteSource("Vault", 2), .readOnlySource("Vault"), .system(.ioError, "writing synced", "Vault"), .cancelled,
    ]
    for error in always { #expect(error.mayPass(hasSucceeded: false) && error.mayPass(hasSucceeded: true)) }
    for error in later { #expect(!error.mayPass(hasSucceeded: false) && error.mayPass(hasSucceeded: true)) }
    for error in never { #expect(!error.mayPass(hasSucceeded: false) && !error.mayPass(hasSucceeded: true)) }
    for error in always { #expect(!error.sentenceForWatch.contains("the same command")) }
  }

  @Test func pausesGrowToAQuarterOfAnHour() {
    let pace = SyncPace()
    #expect((1...7).map { pace.rest(afterTroubles: $0) } == [60, 120, 240, 480, 900, 900, 900])
    #expect(pace.rest(afterTroubles: 1_000_000) == 900)
    #expect(pace.rest(afterRunOf: 5) == 60)
    #expect(pace.rest(afterRunOf: 500) == 500)
  }
}
