// Invariants
// 1. Every member of a group differs from the group's first in at most `mostDistance` bits: groups do not chain from one
//    picture to another that has nothing to do with it.
// 2. A picture is in at most one group, and a group has at least two stacks.

/// A picture that may look like others.
package struct SimilarCandidate: Hashable, Sendable {
  package var inode: UInt64
  /// 64 bits, each whether a part of the picture is brighter than the one beside it.
  package var hash: UInt64
  /// The stack that it is in; files of one stack are not similar, they are the same picture.
  package var stack: UInt64?
  /// Takes the three.
  package init(inode: UInt64, hash: UInt64, stack: UInt64? = nil) {
    self.inode = inode
    self.hash = hash
    self.stack = stack
  }
}

/// Groups of pictures that look alike.
package enum SimilarPictures {
  /// Most bits in which two similar pictures differ.
  package static let mostDistance = 6
  /// Fewest bits of each value. An even picture has nearly no bit of one of them, and looks like every other even one.
  package static let fewestBits = 4

  /// Four bands of 16 bits. With at most six differences, one band has at most one.
  private static let bandCount = 4

  /// Whether a hash says enough about a picture.
  package static func isUsable(_ hash: UInt64) -> Bool {
    (fewestBits...(64 - fewestBits)).contains(hash.nonzeroBitCount)
  }

  /// Groups, each led by the candidate that comes first; put the best pictures first. Groups are in the order of their
  /// first members. The inodes are of pictures that look like the first.
  package static func groups(of candidates: [SimilarCandidate]) -> [[UInt64]] {
    // Equal hashes first: a thousand copies cost as much as one.
    var numbers: [UInt64: Int] = [:]
    var hashes: [UInt64] = []
    var members: [[Int]] = []
    for (index, candidate) in candidates.enumerated() where isUsable(candidate.hash) {
      if let number = numbers[candidate.hash] {
        members[number].append(index)
      } else {
        numbers[candidate.hash] = hashes.count
        hashes.append(candidate.hash)
        members.append([index])
      }
    }
    var buckets = Buckets(hashes)
    var groups: [[UInt64]] = []
    for leader in hashes.indices where buckets.take(leader) {
      var group = members[leader]
      for number in buckets.takeNeighbours(of: leader) { group += members[number] }
      guard group.count > 1 else { continue }
      // The leader is the first of all, so sorting keeps it there.
      group.sort()
      let stacks = Set(group.map { candidates[$0].stack.map { [1, $0] } ?? [0, candidates[$0].inode] })
      if stacks.count > 1 { groups.append(group.map { candidates[$0].inode }) }
    }
    return groups
  }

  /// Hashes by the value of each band: 16 bytes for each hash, and 1 MB.
  private struct Buckets {
    let hashes: [UInt64]
    private var isTaken: [Bool]
    private var starts: [[Int32]] = []
    private var lists: [[Int32]] = []

    init(_ hashes: [UInt64]) {
      self.hashes = hashes
      isTaken = .init(repeating: false, count: hashes.count)
      for band in 0..<SimilarPictures.bandCount {
        // Counting, then filling: numbers of one value lie together.
        var starts = [Int32](repeating: 0, count: 65_537)
        for hash in hashes { starts[Self.value(hash, band) + 1] += 1 }
        for value in 1..<starts.count { starts[value] += starts[value - 1] }
        var ends = starts
        var list = [Int32](repeating: 0, count: hashes.count)
        for (number, hash) in hashes.enumerated() {
          let value = Self.value(hash, band)
          list[Int(ends[value])] = Int32(number)
          ends[value] += 1
        }
        self.starts.append(starts)
        lists.append(list)
      }
    }

    private static func value(_ hash: UInt64, _ band: Int) -> Int { Int(hash >> UInt64(16 * band) & 0xFFFF) }

    mutating func take(_ number: Int) -> Bool {
      defer { isTaken[number] = true }
      return !isTaken[number]
    }

    /// All that are not taken yet and differ in few bits.
    mutating func takeNeighbours(of leader: Int) -> [Int] {
      var found: [Int] = []
      let hash = hashes[leader]
      for band in 0..<SimilarPictures.bandCount {
        let value = Self.value(hash, band)
        takeAll(of: value, band, near: hash, &found)
        for bit in 0..<16 { takeAll(of: value ^ 1 << bit, band, near: hash, &found) }
      }
      return found
    }

    private mutating func takeAll(of value: Int, _ band: Int, near hash: UInt64, _ found: inout [Int]) {
      for place in Int(starts[band][value])..<Int(starts[band][value + 1]) {
        let number = Int(lists[band][place])
        if (hashes[number] ^ hash).nonzeroBitCount <= SimilarPictures.mostDistance, take(number) {
          found.append(number)
        }
      }
    }
  }
}

/// Groups of files with the same content, or with the same pixels.
package enum EqualFiles {
  /// Inodes with the same hash, ascending, in the order of the first of each group. Files of one stack alone are no
  /// group.
  package static func groups(of files: [(inode: UInt64, hash: [UInt8], stack: UInt64?)]) -> [[UInt64]] {
    var groups: [[UInt8]: [(inode: UInt64, stack: UInt64?)]] = [:]
    for file in files where !file.hash.isEmpty { groups[file.hash, default: []].append((file.inode, file.stack)) }
    return groups.values.compactMap { group in
      let stacks = Set(group.map { $0.stack.map { [1, $0] } ?? [0, $0.inode] })
      return stacks.count > 1 ? Array(Set(group.map(\.inode))).sorted() : nil
    }.sorted { $0[0] < $1[0] }
  }
}
