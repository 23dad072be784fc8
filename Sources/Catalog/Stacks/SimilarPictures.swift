// Invariants
// 1. Every member of a group differs from the group's first in at most `mostDistance` bits: groups do not chain from
//    one picture to another that looks different.
// 2. A picture is in at most one group, and a group has at least two pictures.

/// Pictures that may look like others: 16 bytes for each.
package struct SimilarCandidates: Sendable {
  fileprivate var hashes: [UInt64] = []
  fileprivate var inodes: [UInt64] = []

  /// Without pictures.
  package init() {}

  /// Adds a picture, unless its hash contains too little information. Each of the 64 bits of a hash states whether a
  /// part of the picture is brighter than the one next to it.
  package mutating func append(_ inode: UInt64, hash: UInt64) {
    guard SimilarPictures.isUsable(hash) else { return }
    hashes.append(hash)
    inodes.append(inode)
  }

  /// For each picture the next one with the same hash, −1 for the last; and the number of different hashes.
  fileprivate func chains() -> (next: [Int32], count: Int) {
    var order = (0..<Int32(hashes.count)).map { $0 }
    order.sort { (hashes[Int($0)], $0) < (hashes[Int($1)], $1) }
    var next = [Int32](repeating: -1, count: order.count)
    var count = min(order.count, 1)
    for (one, other) in zip(order, order.dropFirst()) {
      if hashes[Int(one)] == hashes[Int(other)] { next[Int(one)] = other } else { count += 1 }
    }
    return (next, count)
  }
}

/// Groups of pictures that look alike.
package enum SimilarPictures {
  /// The largest number of bits in which two similar pictures differ.
  package static let mostDistance = 6
  /// A hash needs at least this many zeros and ones. A nearly uniform picture has few of one of them, and looks like
  /// every other uniform one.
  package static let fewestBits = 4

  /// Whether a hash contains enough information about a picture.
  package static func isUsable(_ hash: UInt64) -> Bool {
    (fewestBits...(64 - fewestBits)).contains(hash.nonzeroBitCount)
  }

  /// Groups, each led by its first candidate, so put the best pictures first. Groups are in the order of their first
  /// members, and all members look like the first. Stacks are ignored. This takes 21 bytes more for each candidate.
  package static func groups(of candidates: consuming SimilarCandidates) -> [[UInt64]] {
    // Equal hashes count once, so a thousand copies cost the same as one.
    let (next, count) = candidates.chains()
    // Moved, because the hashes are changed in place.
    let hashes = candidates.hashes
    candidates.hashes = []
    var buckets = SimilarBuckets(consume hashes, next, count)
    var groups: [[UInt64]] = []
    for leader in next.indices where buckets.take(leader) {
      var group: [Int] = []
      for var number in [leader] + buckets.takeNeighbours(of: leader) {
        group.append(number)
        while next[number] >= 0 {
          number = Int(next[number])
          group.append(number)
        }
      }
      guard group.count > 1 else { continue }
      // The leader has the lowest number, so sorting keeps it first.
      group.sort()
      groups.append(group.map { candidates.inodes[$0] })
    }
    return groups
  }
}

/// Groups of files with the same content, or with the same pixels.
package enum EqualFiles {
  /// Groups of inodes with the same hash, each ascending, in the order of their first members. Files that all belong
  /// to one stack do not form a group.
  package static func groups(of files: [(inode: UInt64, hash: [UInt8], stack: UInt64?)]) -> [[UInt64]] {
    var groups: [[UInt8]: [(inode: UInt64, stack: UInt64?)]] = [:]
    for file in files where !file.hash.isEmpty { groups[file.hash, default: []].append((file.inode, file.stack)) }
    return groups.values.compactMap { group in
      let stacks = Set(group.map { $0.stack.map { [1, $0] } ?? [0, $0.inode] })
      return stacks.count > 1 ? Array(Set(group.map(\.inode))).sorted() : nil
    }.sorted { $0[0] < $1[0] }
  }
}
