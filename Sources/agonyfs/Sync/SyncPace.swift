/// How long `agonyfs sync --watch` waits, in seconds.
struct SyncPace: Equatable {
  /// Between two looks at the vault.
  var look: Int64 = 30
  /// From the end of a run to the next one, at least.
  var leastRest: Int64 = 60
  /// From one try to the next while the bucket or the vault cannot be used, at most.
  var longestRest: Int64 = 900
  /// To the next run if names and sizes of the vault's files stay, and until all of them are read again. A password that
  /// was removed changes neither.
  var longest: Int64 = 86_400

  /// The rest after a number of troubles, one after the other.
  func rest(afterTroubles count: Int) -> Int64 {
    min(longestRest, leastRest << Int64(min(max(count, 1) - 1, 16)))
  }

  /// The rest after a run that took some seconds: as long again, because a run may read the whole vault.
  func rest(afterRunOf seconds: Int64) -> Int64 { max(leastRest, seconds) }
}
