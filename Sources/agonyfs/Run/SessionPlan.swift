// Invariants
// 1. Copies of what is shown are taken while everything is as outside, and before it becomes read-only: a copy keeps what
//    it was.
// 2. After `freeze` nothing outside can be written but through the copies of `kept` and of the space.
// 3. A directory comes before what lies in it.

internal import SystemPackage

/// A step of making what a private session sees.
enum SessionStep: Equatable {
  /// Takes a copy of all that is mounted at a path. A copy that is frozen can only be read. What does not exist is left
  /// out.
  case copy(FilePath, isFrozen: Bool)
  /// Opens the directory below the overlay.
  case keepLower(FilePath)
  /// Makes all that is seen read-only.
  case freeze
  /// Mounts the memory of the session, at a place that is covered later.
  case memory(at: FilePath)
  /// Covers a directory with an empty one in memory; `isShared` gives all users the right to write.
  case empty(FilePath, isShared: Bool)
  /// Covers the directory below with an overlay.
  case overlay(FilePath)
  /// Shows the copy that was taken of a path.
  case show(FilePath, at: FilePath)
  /// Shows the processes of the session, and no others.
  case processes
}

/// What a private session sees, as steps in order. This is data only.
struct SessionPlan: Equatable {
  let steps: [SessionStep]
  /// Where other file systems are mounted below the home directory.
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

  /// All but the runtime directory are for all users.
  private static func isPrivate(_ path: FilePath) -> Bool { !SessionHost.sharedMemory.contains(path) }

  /// A path has fewer components than what lies in it. Among others the order does not matter, but is always the same.
  private static func isAbove(_ path: FilePath, _ other: FilePath) -> Bool {
    let (count, otherCount) = (path.components.count, other.components.count)
    return count != otherCount ? count < otherCount : path.string < other.string
  }
}
