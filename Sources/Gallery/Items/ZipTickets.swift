// Invariants
// 1. A waiting archive takes four bytes for each photo, and the total is bounded; it keeps no path and no snapshot.
// 2. The results of the latest archives are kept for the page to show, because browsers report only that a download
//    failed.

internal import Export
internal import Synchronization
internal import System

/// The photos of an archive, by their numbers in a snapshot.
public struct ZipNumbers: Sendable {
  /// Each number once, in the requested order.
  let all: [UInt32]

  /// Photos of a snapshot.
  ///
  /// - Throws: `.badRequest` for an empty list; `.notFound` for a number that the snapshot does not have.
  public init(_ items: [Int], of snapshot: Snapshot) throws(GalleryError) {
    var all: [UInt32] = []
    var seen = [UInt64](repeating: 0, count: snapshot.count / 64 + 1)
    for index in items {
      try snapshot.check(index)
      guard seen[index / 64] & 1 << UInt64(index % 64) == 0, let number = UInt32(exactly: index) else { continue }
      seen[index / 64] |= 1 << UInt64(index % 64)
      all.append(number)
    }
    guard !all.isEmpty else { throw GalleryError(.badRequest, "An archive needs at least one photo.") }
    self.all = all
  }

  /// The names that the archive changes because Windows or exFAT does not allow them: the first `most`, and their
  /// number.
  public func refusedNames(of snapshot: Snapshot, most: Int = 10) throws(GalleryError) -> RefusedNames {
    var refused = RefusedNames(first: [], count: 0)
    for number in all {
      let name = try snapshot.item(Int(number)).path.name
      if PortableName.isOne(name) { continue }
      refused.count += 1
      if refused.first.count < most { refused.first.append(name) }
    }
    return refused
  }
}

/// Names that an archive changes.
public struct RefusedNames: Sendable {
  /// The first of them.
  public var first: [[UInt8]]
  /// The number of all of them.
  public var count: Int
}

/// The archives of one session that wait to be downloaded, each once.
public final class ZipTickets: Sendable {
  private struct Ticket {
    var name: String
    var numbers: ZipNumbers
    var snapshot: String
  }

  /// The state of an archive.
  public enum Progress: Equatable, Sendable {
    case waiting, reading
    /// Finished: complete, cancelled, or failed with a reason.
    case ended(reason: String?)
  }

  /// The most archives whose state is kept.
  private static let mostKnown = 64

  private let tickets: Mutex<[Ticket]> = Mutex([])
  private let known: Mutex<[(name: String, progress: Progress)]> = Mutex([])
  private let most: Int
  private let mostPhotos: Int

  /// Keeps at most `most` tickets, with at most `mostPhotos` photos in all of them.
  public init(most: Int = 16, mostPhotos: Int = 2_000_000) { (self.most, self.mostPhotos) = (most, mostPhotos) }

  /// Keeps an archive of a snapshot's photos, drops the oldest ones if there are too many, and returns the ticket.
  ///
  /// - Throws: `.tooLarge` if the photos exceed the limit.
  public func put(_ numbers: ZipNumbers, of snapshot: Snapshot) throws(GalleryError) -> String {
    guard numbers.all.count <= mostPhotos else {
      throw GalleryError(.tooLarge, "One archive cannot hold so many photos; choose fewer.")
    }
    let name = Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    tickets.withLock { tickets in
      tickets.append(Ticket(name: name, numbers: numbers, snapshot: snapshot.name))
      var photos = tickets.reduce(0) { $0 + $1.numbers.all.count }
      while tickets.count > most || photos > mostPhotos { photos -= tickets.removeFirst().numbers.all.count }
    }
    note(name, .waiting)
    return name
  }

  /// Redeems a ticket, which is possible once.
  ///
  /// - Throws: `.gone` if the ticket or its snapshot is not kept any more.
  public func take(_ name: String, _ shelf: SnapshotShelf) throws(GalleryError) -> (ZipNumbers, Snapshot) {
    let ticket = tickets.withLock { tickets in tickets.firstIndex { $0.name == name }.map { tickets.remove(at: $0) } }
    guard let ticket else {
      throw GalleryError(.gone, "This archive was already downloaded, or has expired; request it again.")
    }
    let snapshot = try shelf.get(ticket.snapshot)
    note(name, .reading)
    return (ticket.numbers, snapshot)
  }

  /// Records the state of an archive.
  public func note(_ name: String, _ progress: Progress) {
    known.withLock { known in
      known.removeAll { $0.name == name }
      known.append((name, progress))
      if known.count > Self.mostKnown { known.removeFirst() }
    }
  }

  /// The state of an archive.
  ///
  /// - Throws: `.gone` if it is not kept any more.
  public func progress(_ name: String) throws(GalleryError) -> Progress {
    guard let found = known.withLock({ $0.last { $0.name == name }?.progress }) else {
      throw GalleryError(.gone, "The state of this archive has expired.")
    }
    return found
  }

  /// Drops all tickets and states.
  public func removeAll() {
    tickets.withLock { $0 = [] }
    known.withLock { $0 = [] }
  }
}
