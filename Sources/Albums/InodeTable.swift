// Inodes in memory. Those that are open, changed, written to or without a name stay. Of the others a bounded number
// stays, those used last (second chance).
//
// Invariants
// 1. For each inode number there is at most one `Inode`, and it counts, whatever the row says.
// 2. Only an inode whose row is up to date is evicted (`isPinned` is false).
// 3. `queue` names every inode of the table once. It may name some that are gone.

internal import Vault

/// The inodes that are in memory.
struct InodeTable {
  private var inodes: [InodeNumber: Inode] = [:]
  private var queue = Queue<InodeNumber>()
  private let limit: Int

  /// A table that keeps about `limit` inodes that need not stay.
  init(limit: Int) { self.limit = limit }

  var count: Int { inodes.count }

  var all: Dictionary<InodeNumber, Inode>.Values { inodes.values }

  /// The inode, if it is in memory.
  subscript(number: InodeNumber) -> Inode? {
    let inode = inodes[number]
    inode?.wasUsed = true
    return inode
  }

  /// Adds an inode that is not in the table.
  mutating func insert(_ inode: Inode) {
    inodes[inode.number] = inode
    queue.append(inode.number)
  }

  /// Removes an inode that was deleted.
  mutating func remove(_ number: InodeNumber) { inodes[number] = nil }

  /// Evicts inodes that need not stay, while there are too many; looks at `steps` of them at most.
  mutating func shrink(steps: Int) {
    var left = steps
    while left > 0, inodes.count > limit || queue.count > 2 * inodes.count + limit, let number = queue.popFirst() {
      left -= 1
      guard let inode = inodes[number] else { continue }
      if inode.wasUsed || inode.isPinned {
        inode.wasUsed = false
        queue.append(number)
      } else {
        inodes[number] = nil
      }
    }
  }
}

/// First in, first out.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Puts elements in front of all others, in the order given.
  mutating func prepend(_ first: [Element]) {
    if first.isEmpty { return }
    elements.replaceSubrange(..<head, with: first)
    head = 0
  }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    defer {
      head += 1
      if head > 32, head * 2 > elements.count {
        elements.removeFirst(head)
        head = 0
      }
    }
    return elements[head]
  }
}
