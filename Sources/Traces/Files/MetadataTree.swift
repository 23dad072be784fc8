// Invariants
// 1. The file is untrusted: every offset and count is checked, and no part is visited twice, so that a cyclic tree
//    ends.

/// A tree file of GVfs' metadata (`~/.local/share/gvfs-metadata/home` or `root`): names of folders and files for which
/// a file manager keeps settings. Numbers are big-endian. See metadata/metatree.c of GVfs.
struct MetadataTree {
  private static let magic = [0xDA, 0x1A] + Array("meta".utf8)
  /// The offset of the root entry's offset, after the magic, two bytes of version, and two numbers.
  private static let rootOffset = 16
  /// Bytes in an entry: the offsets of its name, children and metadata, and a time.
  private static let entrySize = 16

  private let bytes: [UInt8]

  /// Parses a file; nil if it is not a tree file.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic) else { return nil }
    self.bytes = bytes
  }

  /// The paths in the tree that are `folder` or below it; all start from the tree's root, without a leading slash.
  func paths(below folder: [UInt8], most: Int) -> [[UInt8]] {
    guard let root = number(at: Self.rootOffset) else { return [] }
    var parts = folder.split(separator: PathBytes.slash)[...]
    var entry = root
    while let part = parts.popFirst() {
      guard let next = children(of: entry).first(where: { name(of: $0).map { $0.elementsEqual(part) } ?? false }) else {
        return []
      }
      entry = next
    }
    var paths: [[UInt8]] = [folder]
    var seen: Set<Int> = [entry]
    var waiting = [(entry, folder)]
    while let (entry, path) = waiting.popLast() {
      for child in children(of: entry) where seen.insert(child).inserted {
        guard paths.count < most else { return paths }
        guard let name = name(of: child) else { continue }
        let inner = path + (path.isEmpty ? [] : [PathBytes.slash]) + name
        paths.append(inner)
        waiting.append((child, inner))
      }
    }
    return paths
  }

  private func number(at offset: Int) -> Int? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  private func name(of entry: Int) -> ArraySlice<UInt8>? {
    guard let start = number(at: entry), start > 0, start < bytes.count else { return nil }
    let name = bytes[start...].prefix(4096).prefix { $0 != 0 }
    return name.isEmpty || name.contains(PathBytes.slash) ? nil : name
  }

  private func children(of entry: Int) -> [Int] {
    guard let list = number(at: entry + 4), list > 0, let count = number(at: list) else { return [] }
    let most = max(0, (bytes.count - list - 4) / Self.entrySize)
    return (0..<min(count, most)).map { list + 4 + $0 * Self.entrySize }
  }
}
