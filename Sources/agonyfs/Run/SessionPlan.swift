// Invariants
// 1. All copies of mounts are taken before anything is covered and before the freeze: a copy keeps its access rights.
// 2. After `freeze`, nothing outside can be written except through the copies of `kept` and of the space.
// 3. A directory comes before the paths in it.

internal import SystemPackage

/// A step of setting up the mounts of a private session.
enum SessionStep: Equatable {
  /// Copies the whole mount tree at a path. A frozen copy is read-only. A path that does not exist is skipped.
  case copy(FilePath, isFrozen: Bool)
  /// Opens the directory that will be below the overlay.
  case keepLower(FilePath)
  /// Makes all visible mounts read-only.
  case freeze
  /// Mounts the session's memory, at a place that is covered later.
  case memory(at: FilePath)
  /// Covers a directory with an empty one in memory; `isShared` lets all users write to it.
  case empty(FilePath, isShared: Bool)
  /// Covers the home directory with an overlay.
  case overlay(FilePath)
  /// Shows the copy of a path.
  case show(FilePath, at: FilePath)
  /// Mounts a /proc that shows only the processes of the session.
  case processes
}

/// The mounts of a private session, as steps in order. This is data only.
struct SessionPlan: Equatable {
  let steps: [SessionStep]
  /// Mount points of other file systems below the home directory.
  let mounts: [FilePath]

  init(_ places: SessionPlaces) {
    let mounts = places.mounts.filter { mount in !places.kept.contains { mount.starts(with: $0) } }
    let frozen = mounts + places.sockets
    var steps = [SessionStep.copy(places.source, isFrozen: false)]
    steps += places.kept.map { .copy($0, isFrozen: false) }
    steps += frozen.map { .copy($0, isFrozen: true) }
    if let home = places.home { steps.append(.keepLower(home)) }
    steps.append(.freeze)
    if let first = places.vanishing.first { steps.append(.memory(at: first)) }
    let covers =
      places.vanishing.map { ($0, SessionStep.empty($0, isShared: !Self.isPrivate($0))) }
      + places.hidden.map { ($0, .empty($0, isShared: false)) } + (places.home.map { [($0, .overlay($0))] } ?? [])
    steps += covers.sorted { Self.isAbove($0.0, $1.0) }.map(\.1)
    let shown = (frozen + places.kept).map { ($0, $0) } + [(places.source, places.album)]
    steps += shown.sorted { Self.isAbove($0.1, $1.1) }.map { .show($0.0, at: $0.1) }
    steps.append(.processes)
    self.steps = steps
    self.mounts = places.mounts
  }

  /// The runtime directory is for its user alone, the others for all users.
  private static func isPrivate(_ path: FilePath) -> Bool { !SessionHost.sharedMemory.contains(path) }

  /// Sorts a path before the paths in it, by the number of components. Ties have a fixed order that does not matter.
  private static func isAbove(_ path: FilePath, _ other: FilePath) -> Bool {
    let (count, otherCount) = (path.components.count, other.components.count)
    return count != otherCount ? count < otherCount : path.string < other.string
  }
}
