// The virtual files and directories of the mount: `.agonyfs` in the root, and `.sh_thumbnails` in every directory
// with thumbnails.
//
// Invariants
// 1. Virtual node numbers have bit 62 set. Those of stored files never have it, because they are assigned
//    consecutively from 1.
// 2. A node number describes its node completely, so there is no table of nodes. Searches are the exception, see
//    ViewFolder.
// 3. The number of `.sh_thumbnails` and of its folders changes each time a stored one was removed, because the kernel
//    does not let any process into a directory whose removal it has seen.

package import Media
package import Vault

/// A size of the freedesktop thumbnail standard: a folder of `.sh_thumbnails`.
package enum SharedSize: UInt64, Sendable, CaseIterable {
  case normal = 0
  case large, extraLarge, extraExtraLarge

  /// The folder's name.
  package var name: String { ["normal", "large", "x-large", "xx-large"][Int(rawValue)] }

  /// The longer side in pixels.
  package var pixels: Int { 128 << Int(rawValue) }

  /// The derivative from which the PNG is made.
  var source: DerivativeSize { self == .normal || self == .large ? .small : .large }
}

/// A file or directory that is not stored.
package enum VirtualNode: Hashable, Sendable {
  /// `.agonyfs` in the root.
  case control
  /// `.agonyfs/thumbnails`.
  case trees
  /// `.agonyfs/status`.
  case status
  /// `.agonyfs/failed`.
  case failures
  /// `.agonyfs/query`.
  case query
  /// Below `.agonyfs/thumbnails/<size>`: a directory or the JPEG of a file, by the stored inode.
  case tree(DerivativeSize, InodeNumber)
  /// `.sh_thumbnails` in a directory.
  case shared(InodeNumber)
  /// A folder of `.sh_thumbnails`.
  case sharedSize(SharedSize, InodeNumber)
  /// The PNG of a file, by its inode.
  case picture(SharedSize, InodeNumber)
  /// A directory below `.agonyfs/views`.
  case view(ViewFolder)
  /// A symbolic link to a file, by the file's inode, in a directory `depth` names below the root.
  case link(depth: Int, InodeNumber)
  /// `.sh_thumbnails` in a directory of links.
  case viewShared(ViewFolder)
  /// A folder of that `.sh_thumbnails`.
  case viewSharedSize(SharedSize, ViewFolder)
  /// Below `.agonyfs/covers`: a directory, by the stored directory.
  case covers(InodeNumber)
  /// The JPEG of an album's cover, by the album's directory.
  case cover(InodeNumber)
  /// Below `.agonyfs/thumbnails/full`: a directory or file, by the stored inode.
  case full(InodeNumber)
  /// Below `.agonyfs/motion`: a directory or file, by the stored inode.
  case motion(InodeNumber)

  private static let mark: UInt64 = 1 << 62
  private static let kindShift: UInt64 = 56
  private static let inodeMask: UInt64 = 1 << kindShift - 1
  /// Above the inode number of a shared folder: the number of removals of a stored one, modulo 256.
  private static let removalShift: UInt64 = 48
  private static let albumMask: UInt64 = 1 << removalShift - 1

  /// Whether a node number is virtual.
  @inline(__always)
  package static func isVirtual(_ number: InodeNumber) -> Bool { number.rawValue & mark != 0 }

  /// The node of a number; nil for the numbers of stored inodes, and for numbers without a node.
  package init?(_ number: InodeNumber) {
    guard Self.isVirtual(number) else { return nil }
    let rest = number.rawValue & Self.inodeMask
    let inode = InodeNumber(rawValue: rest)
    let kind = number.rawValue >> Self.kindShift & 0x3F
    switch kind {
    case 0: self = .control
    case 1: self = .trees
    case 2: self = .status
    case 3: self = .failures
    case 4: self = .tree(.small, inode)
    case 5: self = .tree(.large, inode)
    case 6: self = .shared(InodeNumber(rawValue: rest & Self.albumMask))
    case 7: self = .query
    case 8..<16:
      guard let size = SharedSize(rawValue: kind & 3) else { return nil }
      self = kind < 12 ? .sharedSize(size, InodeNumber(rawValue: rest & Self.albumMask)) : .picture(size, inode)
    case 16..<32:
      let numberMask: UInt64 = 1 << ViewFolder.numberBits - 1
      guard let folder = ViewFolder(family: kind - 16, number: rest & numberMask) else { return nil }
      switch rest >> ViewFolder.numberBits {
      case 0: self = .view(folder)
      case 1: self = .viewShared(folder)
      case let part:
        guard let size = SharedSize(rawValue: part - 2) else { return nil }
        self = .viewSharedSize(size, folder)
      }
    case 32..<40:
      guard ViewFolder.linkDepths.contains(Int(kind - 32)) else { return nil }
      self = .link(depth: Int(kind - 32), inode)
    case 40: self = .covers(inode)
    case 41: self = .cover(inode)
    case 42: self = .full(inode)
    case 43: self = .motion(inode)
    default: return nil
    }
  }

  /// The stored file or directory whose attributes it has; nil if it belongs to the mount's owner.
  var inode: InodeNumber? {
    switch self {
    case .control, .trees, .status, .failures, .query, .view, .link, .viewShared, .viewSharedSize, .covers, .cover: nil
    case .tree(_, let inode), .shared(let inode), .sharedSize(_, let inode), .picture(_, let inode), .full(let inode),
      .motion(let inode):
      inode
    }
  }

  /// Whether it is `.sh_thumbnails` in a stored directory, or a folder in that.
  package var isSharedFolder: Bool {
    switch self {
    case .shared, .sharedSize: true
    default: false
    }
  }

  /// The node's number.
  package var number: InodeNumber {
    let (kind, rest) = code
    return InodeNumber(rawValue: Self.mark | kind << Self.kindShift | rest)
  }

  /// The number of a shared folder after `count` removals of a stored one.
  package func number(afterRemovals count: UInt64) -> InodeNumber {
    InodeNumber(rawValue: number.rawValue | (count & 0xFF) << Self.removalShift)
  }

  private var code: (kind: UInt64, rest: UInt64) {
    switch self {
    case .control: (0, 0)
    case .trees: (1, 0)
    case .status: (2, 0)
    case .failures: (3, 0)
    case .tree(let size, let inode): (size == .small ? 4 : 5, inode.rawValue)
    case .shared(let inode): (6, inode.rawValue)
    case .query: (7, 0)
    case .sharedSize(let size, let inode): (8 + size.rawValue, inode.rawValue)
    case .picture(let size, let inode): (12 + size.rawValue, inode.rawValue)
    case .view(let folder): Self.code(of: folder, part: 0)
    case .viewShared(let folder): Self.code(of: folder, part: 1)
    case .viewSharedSize(let size, let folder): Self.code(of: folder, part: 2 + size.rawValue)
    case .link(let depth, let inode): (32 + UInt64(depth), inode.rawValue)
    case .covers(let inode): (40, inode.rawValue)
    case .cover(let inode): (41, inode.rawValue)
    case .full(let inode): (42, inode.rawValue)
    case .motion(let inode): (43, inode.rawValue)
    }
  }

  private static func code(of folder: ViewFolder, part: UInt64) -> (kind: UInt64, rest: UInt64) {
    let (family, number) = folder.code
    return (16 + family, part << ViewFolder.numberBits | number)
  }
}
