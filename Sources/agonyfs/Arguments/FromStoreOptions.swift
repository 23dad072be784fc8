internal import ArgumentParser
internal import RemoteStore

/// The options for the first bucket of a copy from bucket to bucket. Without them it is reached as the second one is.
struct FromStoreOptions: ParsableArguments {
  @Option(help: ArgumentHelp("From bucket to bucket: the server of the first.", valueName: "url"))
  var fromEndpoint: String?

  @Option(help: ArgumentHelp("From bucket to bucket: the region of the first.", valueName: "name"))
  var fromRegion: String?

  @Option(help: ArgumentHelp("From bucket to bucket: the profile of the first.", valueName: "name"))
  var fromProfile: String?

  /// Whether one of the options is given.
  var isGiven: Bool { [fromEndpoint, fromRegion, fromProfile].contains { $0 != nil } }

  /// Checks that no server gets requests with credentials that are meant for another one.
  ///
  /// - Parameters:
  ///   - store: the options of the second bucket.
  ///   - sourceIsBucket: whether the vault is in a bucket.
  ///   - targetIsBucket: whether the copy is.
  /// - Throws: `ValidationError`.
  func validate(besides store: StoreOptions, sourceIsBucket: Bool, targetIsBucket: Bool) throws {
    guard sourceIsBucket || !isGiven else {
      throw ValidationError("--from-endpoint, --from-region and --from-profile need a bucket as <from>.")
    }
    guard sourceIsBucket && targetIsBucket else { return }
    guard fromEndpoint == nil || fromProfile != nil else {
      throw ValidationError("From bucket to bucket, --from-endpoint needs --from-profile.")
    }
    guard fromProfile == nil || store.endpoint == nil || fromEndpoint != nil else {
      throw ValidationError(
        "From bucket to bucket, --from-profile with --endpoint needs --from-endpoint, which may be the same server.")
    }
  }

  /// How to reach the bucket that is copied from.
  ///
  /// - Parameter store: the options of the second bucket, or of the only one.
  func place(besides store: StoreOptions) -> StoreOptions.Place {
    var place = store.ofTarget
    if let fromEndpoint { place.endpoint = fromEndpoint }
    if let fromRegion { place.region = fromRegion }
    if let fromProfile { place.credentials = .profile(fromProfile) }
    return place
  }
}
