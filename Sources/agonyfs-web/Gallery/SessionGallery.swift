internal import Gallery
internal import Hummingbird
internal import NIOPosix
internal import Synchronization

/// What the gallery keeps for one session: its space, its snapshots, and tickets for archives.
///
/// 1. No request of another session reaches it.
/// 2. What blocks for it runs on threads of its own: it keeps no other session waiting. What may take long has others than
///    what a page asks while it is used, so that the page answers beside it.
/// 3. The root of the space is closed when the session has ended and the last of its requests is done.
final class SessionGallery: Sendable {
  /// What work on a space may wait for.
  enum Patience: CaseIterable {
    /// For the mount alone, and not long.
    case none
    /// For bytes on their way to or from the browser.
    case transfers
    /// For a picture that is made.
    case pictures
    /// For an upload that is flushed, read back and compared.
    case uploads

    /// As many pictures as the mount decodes at a time, and more uploads than the page sends at a time.
    fileprivate var threads: Int {
      switch self {
      case .none, .transfers: 2
      case .pictures, .uploads: 4
      }
    }
  }

  let isReadOnly: Bool
  private let allowed: String
  private let gallery: Mutex<Gallery?>
  private let shelf = SnapshotShelf()
  private let pools: [Patience: NIOThreadPool]
  private let hasLargeRequest = Mutex(false)
  private let tickets = ZipTickets()
  private let places = ZipPlaces()
  private let listing = Mutex<TrashListing?>(nil)
  /// What was chosen in lists that are not shown any more.
  let chosen = Mutex(KeptChoice())

  /// Takes the descriptor of the space's root over.
  ///
  /// - Parameter allowed: as in `SectionsRequest`.
  init(root: CInt, isReadOnly: Bool, allowed: String) throws {
    (self.isReadOnly, self.allowed) = (isReadOnly, allowed)
    gallery = Mutex(Gallery(root: root))
    pools = Dictionary(
      uniqueKeysWithValues: Patience.allCases.map { ($0, NIOThreadPool(numberOfThreads: $0.threads)) })
    for pool in pools.values { pool.start() }
  }

  /// Ends everything that goes on, so that the space can be unmounted: called once, when the session ends. Requests may
  /// still be running.
  func end() {
    tickets.removeAll()
    listing.withLock { $0 = nil }
    chosen.withLock { $0 = KeptChoice() }
    gallery.withLock { gallery in
      gallery?.end()
      gallery = nil
    }
    for pool in pools.values { pool.shutdownGracefully { _ in } }
  }

  /// Works on the space, on a thread that may block.
  ///
  /// - Throws: 401 when the session has ended; `GalleryError`.
  func run<Result: Sendable>(
    waitingFor patience: Patience = .none, _ body: @escaping @Sendable (Gallery) throws -> Result
  ) async throws -> Result {
    guard let gallery = gallery.withLock({ $0 }), let pool = pools[patience] else { throw HTTPError(.unauthorized) }
    do {
      return try await pool.runIfActive { try body(gallery) }
    } catch is CancellationError where isOver {
      throw HTTPError(.unauthorized)
    } catch is NIOThreadPoolError.ThreadPoolInactive {
      throw HTTPError(.unauthorized)
    }
  }

  private var isOver: Bool { gallery.withLock { $0 == nil } }

  /// Does something that takes much memory, unless that is being done for this session.
  ///
  /// - Throws: `.busy`; what `body` throws.
  func alone<Result>(_ body: () async throws -> Result) async throws -> Result {
    let isFirst = hasLargeRequest.withLock { has in
      defer { has = true }
      return !has
    }
    guard isFirst else { throw GalleryError(.busy, "Another large request of this browser is being read; try again.") }
    defer { hasLargeRequest.withLock { $0 = false } }
    return try await body()
  }

  /// Makes a snapshot and keeps it.
  func snapshot(_ request: SectionsRequest) async throws -> Snapshot {
    var asked = request
    asked.allowed = allowed
    let snapshot = try await run { [asked] in try $0.snapshot(asked) }
    shelf.put(snapshot)
    return snapshot
  }

  /// Lists the other files of an album, or those of the trash without one, and keeps their snapshot.
  func otherFiles(in album: SpacePath?) async throws -> OtherFiles {
    // A directory of any length is listed, and files are asked for one by one.
    let others = try await run(waitingFor: .pictures) { gallery in
      if let album { return try gallery.otherFiles(in: album) }
      return try gallery.otherFilesInTrash()
    }
    shelf.put(others.snapshot)
    return others
  }

  /// Lists the trash, and keeps the listing until there is another.
  func listTrash() async throws -> TrashListing {
    let listed = try await run(waitingFor: .pictures) { try $0.trashListing() }
    listing.withLock { $0 = listed }
    return listed
  }

  /// The listing of the trash that is kept.
  func trashListing(_ name: String) throws(GalleryError) -> TrashListing {
    guard let listed = listing.withLock({ $0 }), listed.name == name else {
      throw GalleryError(.gone, "This list of the trash is not kept any more; empty the trash once more.")
    }
    return listed
  }

  /// A snapshot that is kept.
  func snapshot(_ name: String) throws(GalleryError) -> Snapshot { try shelf.get(name) }

  /// Keeps an archive until it is fetched, and gives its ticket.
  ///
  /// - Throws: `.busy` if it could not be read now: a browser that saves it would show no reason. `.tooLarge`.
  func keep(_ numbers: ZipNumbers, of snapshot: Snapshot) throws(GalleryError) -> String {
    _ = try places.take()
    return try tickets.put(numbers, of: snapshot)
  }

  /// Gives an archive for its ticket, once.
  ///
  /// - Throws: `.busy` if too many are being read; the ticket stays good. `.gone`.
  func archive(_ ticket: String) async throws -> ZipStream {
    let place = try places.take()
    let (numbers, snapshot) = try tickets.take(ticket, shelf)
    return try await run { ZipStream(numbers, of: snapshot, in: $0, at: place) }
  }

  /// Notes that an archive has ended, for a reason if it is not whole.
  func ended(archive ticket: String, reason: String?) { tickets.note(ticket, .ended(reason: reason)) }

  /// How far an archive is.
  func progress(ofArchive ticket: String) throws(GalleryError) -> ZipTickets.Progress { try tickets.progress(ticket) }
}
