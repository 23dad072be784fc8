// Which pages of the database a small commit need not write in full.
//
// Invariants
// 1. The committed content of a page is its blob in the log with its patch, if it has one, applied.
// 2. `bases` holds what stands in the log for a page, byte by byte, or nothing.
// 3. Patched pages are few: at most `keptBases` that were written lately. One whose base is forgotten is written in full by the
//    next commit, and so is every one after a head, so that no base is older than the epoch before.

/// Patches of the committed state, and the bases against which new ones are made.
struct PatchedPages {
  /// Pages whose base is kept: some that every small commit changes, and some that a few of them do.
  private static let keptBases = 64
  /// A commit of more whole pages is a large one: its pages are not likely to be changed again by themselves.
  private static let smallCommit = 16
  /// Bytes of patches in one commit.
  private static let patchesPerCommit = 16 << 10

  private(set) var patches: [PageNumber: PagePatch]
  private var bases: [PageNumber: [UInt8]] = [:]
  /// The pages of `bases`, the one that was written first in front.
  private var order: [PageNumber] = []

  init(patches: [PageNumber: PagePatch]) { self.patches = patches }

  /// Makes patches of those pages of a commit for which that is less to write, and leaves out those that did not change; `mustBeWhole` says which may not be one.
  func split(
    _ pages: [PageWrite], mustBeWhole: Set<PageNumber>
  ) -> (whole: [PageWrite], patches: [PageNumber: PagePatch]) {
    var whole: [PageWrite] = []
    var made: [PageNumber: PagePatch] = [:]
    var size = 0
    for page in pages {
      guard size < Self.patchesPerCommit, !mustBeWhole.contains(page.number), let base = bases[page.number],
        let patch = unsafe base.withUnsafeBytes({ unsafe PagePatch(from: $0, to: page.bytes) })
      else {
        whole.append(page)
        continue
      }
      if patch.encoded == patches[page.number]?.encoded ?? [] { continue }
      made[page.number] = patch
      size += patch.encoded.count
    }
    return (whole, made)
  }

  /// Notes a commit that is in the log; gives the pages that are to be written in full by the next one.
  mutating func commit(
    whole: [PageWrite], patches new: [PageNumber: PagePatch], pageCount: UInt32
  ) -> [PageNumber] {
    replay(whole: whole.map(\.number), patches: new, pageCount: pageCount)
    // A page that comes back after the database was cut has no blob any more.
    if bases.contains(where: { $0.key.rawValue > pageCount }) {
      bases = bases.filter { $0.key.rawValue <= pageCount }
      order.removeAll { $0.rawValue > pageCount }
    }
    let isSmall = whole.count <= Self.smallCommit
    for page in whole {
      if isSmall {
        if bases.updateValue(unsafe Array(page.bytes), forKey: page.number) != nil {
          order.removeAll { $0 == page.number }
        }
        order.append(page.number)
      } else if bases.removeValue(forKey: page.number) != nil {
        order.removeAll { $0 == page.number }
      }
    }
    var forgotten: [PageNumber] = []
    while order.count > Self.keptBases {
      let page = order.removeFirst()
      bases[page] = nil
      if patches[page] != nil { forgotten.append(page) }
    }
    return forgotten
  }

  /// Applies what a commit of the log says.
  mutating func replay(whole: [PageNumber], patches new: [PageNumber: PagePatch], pageCount: UInt32) {
    for page in whole { patches[page] = nil }
    patches.merge(new) { $1 }
    if patches.contains(where: { $0.key.rawValue > pageCount }) {
      patches = patches.filter { $0.key.rawValue <= pageCount }
    }
  }
}
