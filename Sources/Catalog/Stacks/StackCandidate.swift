package import Media

/// The facts that the rules of stacks use.
package struct StackCandidate: Sendable, Hashable {
  package var inode: UInt64
  /// The directory that contains the name.
  package var directory: UInt64
  package var name: [UInt8]
  package var kind: MediaKind
  package var taken: CapturedTime?
  package var camera: String?
  package var contentIdentifier: String?
  package var burstIdentifier: String?
  /// Seconds of a video.
  package var duration: Double?
  /// Whether the user chose it as the cover.
  package var isChosen = false

  /// A file about which only these facts are known.
  package init(inode: UInt64, directory: UInt64, name: [UInt8], kind: MediaKind) {
    self.inode = inode
    self.directory = directory
    self.name = name
    self.kind = kind
  }
}

extension StackCandidate {
  /// Seconds between two photos; nil if unknown. A time that a copy may have changed, or that is not exact to the
  /// second, does not count. A time in UTC is not compared with a wall time whose zone is unknown, even if its wall
  /// time comes from the home zone.
  func gap(to other: StackCandidate) -> Double? {
    guard let one = taken, let two = other.taken, one.isKnown, two.isKnown,
      one.wall.precision == .second, two.wall.precision == .second
    else { return nil }
    let seconds: Int64
    if let first = one.instant, let second = two.instant {
      seconds = first - second
    } else if !one.isFromUTC, !two.isFromUTC {
      seconds = one.wall.seconds - two.wall.seconds
    } else {
      return nil
    }
    return abs(Double(seconds) + (Double(one.wall.nanoseconds) - Double(two.wall.nanoseconds)) / 1e9)
  }

  func isClose(to other: StackCandidate, within seconds: Double) -> Bool {
    gap(to: other).map { $0 <= seconds } ?? false
  }
}
