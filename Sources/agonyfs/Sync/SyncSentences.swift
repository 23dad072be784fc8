internal import ObjectStore
internal import Storage
internal import System
internal import SystemPackage
internal import VaultCopy

extension SyncSummary {
  /// Whether the bucket has everything that was synced in the vault before the run began.
  var hasEverything: Bool { waiting == 0 && gone == 0 && shortened == 0 && tooLarge == 0 }

  /// The result for the user.
  ///
  /// - Parameter now: the time of day, in seconds since 1970.
  func sentences(at now: Int64) -> String {
    var text = "Sent \((copied + resent).counted("file")) (\(ByteSize(bytes: sentBytes))"
    if resent > 0 { text += ", \(resent) of them again" }
    text += ")"
    // A run that leaves something out deletes nothing.
    guard hasEverything else {
      text += "."
      if waiting > 0 { text += " \(waitingFiles) not in the bucket yet." }
      return text
    }
    return "\(text), deleted \(deleted). Everything synced before \(Self.clock(begun, at: now)) is in the bucket."
  }

  /// What a run would do.
  var plan: String {
    "Would send \(waiting.counted("file")) (\(ByteSize(bytes: waitingBytes))), and delete \(deleted)."
  }

  private var waitingFiles: String {
    let size = ByteSize(bytes: waitingBytes)
    return waiting.counted("file (\(size)) is", "files (\(size)) are")
  }

  /// A time on the clock, with its day unless that is today.
  private static func clock(_ seconds: Int64, at now: Int64) -> String {
    let day = "%-d %B %Y"
    let isToday = LocalTime.text(seconds, day) == LocalTime.text(now, day)
    return LocalTime.text(seconds, isToday ? "%H:%M:%S" : "%H:%M:%S on \(day)") ?? LocalTime.words(seconds)
  }
}

extension CopyError {
  /// Whether the error may pass by itself, so that `agonyfs sync --watch` tries again.
  ///
  /// - Parameter hasSucceeded: whether vault and bucket could be used before. Then a missing vault is on a disk that was
  ///   taken away, whose mount point may be empty, and a server with another certificate is the page of a hotel.
  func mayPass(hasSucceeded: Bool) -> Bool {
    switch self {
    case .store(.quota, _), .inUse, .system(.noSpace, _, _), .system(.diskQuotaExceeded, _, _): true
    case .store(.untrustedCertificate, _), .store(.redirected, _), .noVault, .directory(.missing, _),
      .directory(.incomplete, _):
      hasSucceeded
    case .store(let reason, _): reason.isTemporary
    default: false
    }
  }

  /// The error in a sentence that does not ask for the same command once more.
  var sentenceForWatch: String {
    switch self {
    case .store(let reason, let address): reason.sentence(for: address)
    case .system(.noSpace, _, let path), .system(.diskQuotaExceeded, _, let path):
      "The disk that holds \(path) is full; make room there."
    default: CommandFailure(self).message
    }
  }
}
