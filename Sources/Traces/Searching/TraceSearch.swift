// Invariants
// 1. A search changes nothing.
// 2. A file or folder that could not be searched is reported, so that it does not count as clean.

internal import SystemPackage

/// A kind of place where programs leave traces.
package protocol TraceSource: Sendable {
  /// Whether agonyfs can remove the traces that are found here.
  var isRemovable: Bool { get }

  /// Looks for traces, and reports each one to the search.
  func search(_ search: inout TraceSearch)
}

/// A search for everything that programs left of places.
package struct TraceSearch {
  /// A file or folder that could not be searched.
  package struct Gap: Sendable, Equatable {
    /// Its path.
    package var path: [UInt8]
    /// The reason, as the end of a sentence.
    package var reason: String
    /// Whether a part of it was searched.
    var isPartial = false

    /// The end of a sentence about it.
    package var clause: String {
      isPartial ? "was not searched completely: \(reason)" : "was not searched: \(reason)"
    }
  }

  /// The user's folders.
  package let home: Home
  /// The places whose traces are searched for.
  package let places: SearchedPlaces
  /// The files that are in the places now.
  package let known: KnownFiles
  let matcher: PathMatcher
  /// Finds the paths of the vaults, which are searched for only in histories; nil if there are none.
  let vaultMatcher: PathMatcher?
  /// The traces found, in the order of the sources.
  package private(set) var findings: [Finding] = []
  /// The files and folders that could not be searched.
  package private(set) var gaps: [Gap] = []

  /// A search that has not begun. `vaults` are the vaults of the places: commands in histories name them.
  package init(
    _ home: Home, for places: SearchedPlaces, known: KnownFiles = KnownFiles(),
    vaults: SearchedPlaces = SearchedPlaces([])
  ) {
    self.home = home
    self.places = places
    self.known = known
    matcher = PathMatcher(places, home: home.path)
    let others = vaults.paths.filter { !places.contains($0) }
    vaultMatcher = others.isEmpty ? nil : PathMatcher(SearchedPlaces(others), home: home.path)
  }

  /// All kinds of places.
  package static let sources: [any TraceSource] =
    [
      ThumbnailCache(), RecentFiles(), RecentDocuments(), HomeTrash(), MetadataStore(), MirroredPaths(), WatchLater(),
      TemporaryFiles(),
    ]
    + ReportedFiles.all

  /// Searches all places, or only those whose traces can be removed.
  package mutating func run(onlyRemovable: Bool = false) {
    for source in Self.sources where source.isRemovable || !onlyRemovable { source.search(&self) }
  }

  mutating func found(_ finding: Finding) { findings.append(finding) }

  /// Notes a gap. A path that does not exist, or is not a regular file, needs no search.
  mutating func couldNotSearch(_ path: [UInt8], _ error: Errno) {
    let reason: String
    switch error {
    case .noSuchFileOrDirectory, .notDirectory, .isDirectory, .invalidArgument: return
    case .tooManySymbolicLinkLevels: reason = "it is a symbolic link"
    case .notPermitted: reason = "it belongs to another user"
    case .fileTooLarge: reason = "it is too large"
    default: reason = error.description
    }
    couldNotSearch(path, reason)
  }

  /// Notes a gap; the reason is the end of a sentence.
  mutating func couldNotSearch(_ path: [UInt8], _ reason: String, isPartial: Bool = false) {
    let gap = Gap(path: path, reason: reason, isPartial: isPartial)
    if !gaps.contains(gap) { gaps.append(gap) }
  }

  /// Opens a folder below a root; nil if it cannot be opened. A root inside one of the places is no leak.
  mutating func folder(_ root: Home.Root, _ path: String = "") -> Folder? {
    var whole = home.path(of: root)
    do throws(Errno) {
      let opened = try home.open(root)
      if !path.isEmpty { whole += Array("/\(path)".utf8) }
      let folder = try opened.folder(at: path)
      return places.contains(folder.path) ? nil : folder
    } catch {
      couldNotSearch(whole, error)
      return nil
    }
  }

  mutating func folder(_ name: [UInt8], in folder: Folder) -> Folder? {
    tried(folder.path(of: name)) { () throws(Errno) in try folder.folder(name) }
  }

  mutating func names(in folder: Folder) -> [[UInt8]] {
    tried(folder.path) { () throws(Errno) in try folder.names() } ?? []
  }

  mutating func file(_ name: [UInt8], in folder: Folder) -> OwnFile? {
    tried(folder.path(of: name)) { () throws(Errno) in try folder.file(name) }
  }

  /// Reads a small file whole.
  mutating func content(of name: [UInt8], in folder: Folder, limit: Int) -> (bytes: [UInt8], file: OwnFile)? {
    tried(folder.path(of: name)) { () throws(Errno) in
      let file = try folder.file(name)
      return (bytes: try file.all(limit: limit), file: file)
    }
  }

  private mutating func tried<Found>(
    _ path: @autoclosure () -> [UInt8], _ body: () throws(Errno) -> Found
  ) -> Found? {
    do throws(Errno) {
      return try body()
    } catch {
      couldNotSearch(path(), error)
      return nil
    }
  }
}
