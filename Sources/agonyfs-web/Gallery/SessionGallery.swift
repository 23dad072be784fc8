internal import Gallery
internal import Hummingbird
internal import NIOPosix
internal import Synchronization

/// The state of the gallery for one session: its space, its snapshots, and tickets for archives.
///
/// 1. No request of another session can use it.
/// 2. Blocking work runs on its own threads, so that no other session waits. Work that may take long has separate
///    threads, so that the page's short requests are answered at the same time.
/// 3. The root of the space is closed when the session has ended and the last of its requests is done.
final class SessionGallery: Sendable {
  /// Classes of work by how long they may wait. Each has its own threads.
  enum Patience: CaseIterable {
    /// Waits only for the mount, and briefly.
    case none
    /// Waits for the browser to send or receive bytes.
    case transfers
    /// Waits for a picture to be made.
    case pictures
    /// Waits for an upload to be flushed, read back and compared.
    case uploads

    /// As many pictures as the mount decodes at once, and more uploads than the page sends at once.
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
  /// Photos chosen in lists that are no longer shown.
  let chosen = Mutex(KeptChoice())

  /// Takes ownership of the descriptor of the space's root.
  ///
  /// - Parameter allowed: See `SectionsRequest`.
  init(root: CInt, isReadOnly: Bool, allowed: String) throws {
    (self.isReadOnly, self.allowed) = (isReadOnly, allowed)
    gallery = Mutex(Gallery(root: root))
    pools = Dictionary(
      uniqueKeysWithValues: Patience.allCases.map { ($0, NIOThreadPool(numberOfThreads: $0.threads)) })
    for pool in pools.values { pool.start() }
  }

  /// Closes the gallery, so that the space can be unmounted. Call it once, when the session ends; requests may still be
  /// running.
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

  /// Calls `body` with the gallery, on a thread that may block.
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

  /// Runs `body`, which needs much memory, unless the session is already running another.
  ///
  /// - Throws: `.busy`; the errors of `body`.
  func alone<Result>(_ body: () async throws -> Result) async throws -> Result {
    let isFirst = hasLargeRequest.withLock { has in
      defer { has = true }
      return !has
    }
    guard isFirst else { throw GalleryError(.busy, "Another large request of this browser is being read; try again.") }
    defer { hasLargeRequest.withLock { $0 = false } }
    return try await body()
  }

  /// Creates a snapshot and keeps it.
  func snapshot(_ request: SectionsRequest) async throws -> Snapshot {
    var asked = request
    asked.allowed = allowed
    let snapshot = try await run { [asked] in try $0.snapshot(asked) }
    shelf.put(snapshot)
    return snapshot
  }

  /// Lists the other files of an album, or those of the trash if `album` is nil, and keeps their snapshot.
  func otherFiles(in album: SpacePath?) async throws -> OtherFiles {
    // May take long: the directory can be large, and the files are queried one by one.
    let others = try await run(waitingFor: .pictures) { gallery in
      if let album { return try gallery.otherFiles(in: album) }
      return try gallery.otherFilesInTrash()
    }
    shelf.put(others.snapshot)
    return others
  }

  /// Lists the trash, and keeps the listing until the next one.
  func listTrash() async throws -> TrashListing {
    let listed = try await run(waitingFor: .pictures) { try $0.trashListing() }
    listing.withLock { $0 = listed }
    return listed
  }

  /// The current listing of the trash.
  func trashListing(_ name: String) throws(GalleryError) -> TrashListing {
    guard let listed = listing.withLock({ $0 }), listed.name == name else {
      throw GalleryError(.gone, "This list of the trash has expired; empty the trash again.")
    }
    return listed
  }

  /// A snapshot that is kept.
  func snapshot(_ name: String) throws(GalleryError) -> Snapshot { try shelf.get(name) }

  /// Keeps an archive until it is downloaded, and returns its ticket.
  ///
  /// - Throws: `.busy` if too many archives are being read: checked here, because a failing download would show no
  ///   reason. `.tooLarge`.
  func keep(_ numbers: ZipNumbers, of snapshot: Snapshot) throws(GalleryError) -> String {
    _ = try places.take()
    return try tickets.put(numbers, of: snapshot)
  }

  /// Redeems a ticket, which is possible once.
  ///
  /// - Throws: `.busy` if too many archives are being read; the ticket stays valid. `.gone`.
  func archive(_ ticket: String) async throws -> ZipStream {
    let place = try places.take()
    let (numbers, snapshot) = try tickets.take(ticket, shelf)
    return try await run { ZipStream(numbers, of: snapshot, in: $0, at: place) }
  }

  /// Records the end of an archive, with the reason if it is not complete.
  func ended(archive ticket: String, reason: String?) { tickets.note(ticket, .ended(reason: reason)) }

  /// The state of an archive.
  func progress(ofArchive ticket: String) throws(GalleryError) -> ZipTickets.Progress { try tickets.progress(ticket) }
}
