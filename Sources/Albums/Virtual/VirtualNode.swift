// What the mount shows beside the files: `.sh_thumbnails` in every directory, and `.agonyfs` in the root.
//
// Invariants
// 1. Their node numbers have bit 62 set. Those of files never have: they are given one by one from 1 on.
// 2. A node number says all about its node, so no table of nodes is kept.

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

  /// The derivative that the PNG is made of.
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
  /// A directory or the JPEG of a file below `.agonyfs/thumbnails/<size>`, by the inode that it stands for.
  case tree(DerivativeSize, InodeNumber)
  /// `.sh_thumbnails` in a directory.
  case shared(InodeNumber)
  /// A folder of it.
  case sharedSize(SharedSize, InodeNumber)
  /// The PNG of a file, by its inode.
  case picture(SharedSize, InodeNumber)

  private static let mark: UInt64 = 1 << 62
  private static let kindShift: UInt64 = 56
  private static let inodeMask: UInt64 = 1 << kindShift - 1

  /// Whether a node number is one of these.
  @inline(__always)
  package static func isVirtual(_ number: InodeNumber) -> Bool { number.rawValue & mark != 0 }

  /// The node of a number; nil for numbers of stored inodes, and of nothing.
  package init?(_ number: InodeNumber) {
    guard Self.isVirtual(number) else { return nil }
    let inode = InodeNumber(rawValue: number.rawValue & Self.inodeMask)
    let kind = number.rawValue >> Self.kindShift & 0x3F
    switch kind {
    case 0: self = .control
    case 1: self = .trees
    case 2: self = .status
    case 3: self = .failures
    case 4: self = .tree(.small, inode)
    case 5: self = .tree(.large, inode)
    case 6: self = .shared(inode)
    case 8..<16:
      guard let size = SharedSize(rawValue: kind & 3) else { return nil }
      self = kind < 12 ? .sharedSize(size, inode) : .picture(size, inode)
    default: return nil
    }
  }

  /// The file or directory that it belongs to, whose attributes it has; nil for `.agonyfs` and what is in it.
  var inode: InodeNumber? {
    switch self {
    case .control, .trees, .status, .failures: nil
    case .tree(_, let inode), .shared(let inode), .sharedSize(_, let inode), .picture(_, let inode): inode
    }
  }

  /// The node's number.
  package var number: InodeNumber {
    let kind: UInt64 =
      switch self {
      case .control: 0
      case .trees: 1
      case .status: 2
      case .failures: 3
      case .tree(let size, _): size == .small ? 4 : 5
      case .shared: 6
      case .sharedSize(let size, _): 8 + size.rawValue
      case .picture(let size, _): 12 + size.rawValue
      }
    return InodeNumber(rawValue: Self.mark | kind << Self.kindShift | (inode?.rawValue ?? 0))
  }
}
