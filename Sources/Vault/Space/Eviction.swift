internal import Storage
internal import System

/// Takes the files of a space out of the host's memory. What the kernel keeps of them shows which files were used while
/// the space was mounted to whoever looks before the machine is switched off. It holds no key.
package struct Eviction: Sendable {
  private static let mostThreads = 4

  private let storage: any Storage
  private let files: [SegmentIdentifier]

  init(_ storage: any Storage, _ files: [SegmentIdentifier]) {
    (self.storage, self.files) = (storage, files)
  }

  /// Takes them out. What was not written yet is written first.
  package func run() {
    // A disk finds several files at once sooner than one after another.
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
  /// What takes all files of the space out of the host's memory, whoever has read or written them. Also after `close()`.
  package func eviction() -> Eviction { Eviction(storage, segmentIdentifiers() + (owner?.slots ?? [])) }
}
