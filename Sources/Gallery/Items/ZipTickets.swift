// Invariants
// 1. What waits to be fetched takes four bytes a photo and is bounded; no path is kept for it, and no snapshot.
// 2. How the latest archives ended is kept, so that the page can say it: a browser says only that a download failed.

internal import Export
internal import Synchronization
internal import System

/// The photos of an archive, by their numbers in a snapshot.
public struct ZipNumbers: Sendable {
  /// Each once, in the order in which they were asked for.
  let all: [UInt32]

  /// Some photos of a snapshot.
  ///
  /// - Throws: `.badRequest` for none; `.notFound` for one that the snapshot does not have.
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

  /// Names that the archive has in another form, because Windows or exFAT refuses them: the first ones, and their number.
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

/// Names that an archive has in another form.
public struct RefusedNames: Sendable {
  /// The first of them.
  public var first: [[UInt8]]
  /// How many there are.
  public var count: Int
}

/// The archives of one session that wait to be fetched, each once.
public final class ZipTickets: Sendable {
  private struct Ticket {
    var name: String
    var numbers: ZipNumbers
    var snapshot: String
  }

  /// How far an archive is.
  public enum Progress: Equatable, Sendable {
    case waiting, reading
    /// It has ended: whole, by who read it, or for a reason.
    case ended(reason: String?)
  }

  /// Archives whose progress is known, at most.
  private static let mostKnown = 64

  private let tickets: Mutex<[Ticket]> = Mutex([])
  private let known: Mutex<[(name: String, progress: Progress)]> = Mutex([])
  private let most: Int
  private let mostPhotos: Int

  /// Keeps so many tickets, and so many photos in all of them.
  public init(most: Int = 16, mostPhotos: Int = 2_000_000) { (self.most, self.mostPhotos) = (most, mostPhotos) }

  /// Keeps an archive of photos of a snapshot, in the place of the oldest if there are too many; gives its ticket.
  ///
  /// - Throws: `.tooLarge` for more photos than may wait.
  public func put(_ numbers: ZipNumbers, of snapshot: Snapshot) throws(GalleryError) -> String {
    guard numbers.all.count <= mostPhotos else {
      throw GalleryError(.tooLarge, "These are too many photos for an archive.")
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

  /// Gives an archive for its ticket, once.
  ///
  /// - Throws: `.gone` if it is not kept, or its snapshot is not.
  public func take(_ name: String, _ shelf: SnapshotShelf) throws(GalleryError) -> (ZipNumbers, Snapshot) {
    let ticket = tickets.withLock { tickets in tickets.firstIndex { $0.name == name }.map { tickets.remove(at: $0) } }
    guard let ticket else { throw GalleryError(.gone, "This archive was fetched already, or is not kept any more.") }
    let snapshot = try shelf.get(ticket.snapshot)
    note(name, .reading)
    return (ticket.numbers, snapshot)
  }

  /// Notes how far an archive is.
  public func note(_ name: String, _ progress: Progress) {
    known.withLock { known in
      known.removeAll { $0.name == name }
      known.append((name, progress))
      if known.count > Self.mostKnown { known.removeFirst() }
    }
  }

  /// How far an archive is.
  ///
  /// - Throws: `.gone` if it is not known any more.
  public func progress(_ name: String) throws(GalleryError) -> Progress {
    guard let found = known.withLock({ $0.last { $0.name == name }?.progress }) else {
      throw GalleryError(.gone, "Nothing is known of this archive any more.")
    }
    return found
  }

  /// Forgets all of them.
  public func removeAll() {
    tickets.withLock { $0 = [] }
    known.withLock { $0 = [] }
  }
}
