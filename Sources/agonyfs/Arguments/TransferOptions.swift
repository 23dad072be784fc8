internal import ArgumentParser
internal import VaultCopy

/// The options for the speed of a copy.
struct TransferOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Files that are copied at once, 1 to 64.", valueName: "number"))
  var jobs = 4

  @Option(help: ArgumentHelp("Most bytes per second on average, such as 2M.", valueName: "size"))
  var bandwidth: ByteSize?

  func validate() throws {
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs must be from 1 to 64.") }
    if let bandwidth, bandwidth.bytes < 1024 { throw ValidationError("--bandwidth must be 1K or more.") }
  }

  /// A limit for one copy; nil if there is none.
  func newLimit() -> BandwidthLimit? { bandwidth.map { BandwidthLimit(bytesPerSecond: $0.bytes) } }
}
