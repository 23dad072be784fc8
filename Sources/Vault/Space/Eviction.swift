internal import Storage
internal import System

/// Takes the files of a space out of the host's memory. The files that the kernel still holds in memory show which of
/// them were used while the space was mounted, to anybody who looks before the machine is switched off. Holds no key.
package struct Eviction: Sendable {
  private static let mostThreads = 4

  private let storage: any Storage
  private let files: [SegmentIdentifier]

  init(_ storage: any Storage, _ files: [SegmentIdentifier]) {
    (self.storage, self.files) = (storage, files)
  }

  /// Takes the files out of memory. Unwritten data is written first.
  package func run() {
    // A disk finds several files sooner when it is asked for them at the same time.
    let share = max(1, (files.count + Self.mostThreads - 1) / Self.mostThreads)
    var helpers: [Thread] = []
    for start in stride(from: 0, to: files.count, by: share) {
      let (storage, part) = (storage, Array(files[start..<min(start + share, files.count)]))
      guard let helper = try? Thread({ storage.evict(part) }) else {
        storage.evict(part)
        continue
      }
      helpers.append(helper)
    }
    for helper in helpers { helper.join() }
  }
}

extension Space {
  /// Returns the eviction of all files of the space, also of those that other programs have read or written. Works
  /// after `close()`, too.
  package func eviction() -> Eviction { Eviction(storage, segmentIdentifiers() + (owner?.slots ?? [])) }
}
