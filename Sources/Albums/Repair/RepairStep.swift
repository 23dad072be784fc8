internal import Index
internal import System
internal import Vault

/// One change that makes the index consistent, with itself or with the readable data. The check that finds a problem
/// proposes it. It has no effect if the problem is gone.
enum RepairStep: Hashable {
  /// The bytes cannot be read, or are missing: they become a hole.
  case makeHole(InodeNumber, Range<FileOffset>)
  /// The row of an extent makes no sense.
  case dropExtent(InodeNumber, FileOffset)
  /// A thumbnail is damaged: it is removed together with all references to it, and made again later.
  case dropDerivative(InodeNumber)
  /// All data of an inode that does not exist.
  case dropExtents(InodeNumber)
  /// Facts about the content of an inode that does not exist.
  case dropMedia(InodeNumber)
  /// All names of an inode that does not exist, or of the root.
  case dropNames(InodeNumber)
  /// A name in an inode that is not a directory.
  case dropName(InodeNumber, FileName)
  /// A directory with several names keeps the one in its parent.
  case keepOneName(InodeNumber)
  /// An inode without a name gets one in `lost+found`.
  case giveName(InodeNumber)
  /// A directory that cannot be reached from the root goes to `lost+found`.
  case moveToLostAndFound(InodeNumber)
  /// The kind in an entry is set to that of its inode.
  case setKind(InodeNumber, FileName)
  /// The parent of a directory is corrected. Only directories have one.
  case setParent(InodeNumber)
  /// The record of whether an inode has extended attributes is corrected.
  case setHasAttributes(InodeNumber, Bool)
  /// The target of a symbolic link is corrected, and its size is the length of the target. Only links have one.
  case setTarget(InodeNumber)
  /// An impossible size or time becomes the nearest possible one.
  case straighten(InodeNumber)
  /// An inode that has a name is removed from the orphans.
  case keep(InodeNumber)
  /// The number of names.
  case setLinks(InodeNumber, UInt32)
  /// A new inode replaces a lost one.
  case replaceInode(InodeNumber)
  /// The positions of some data are lost. The values are the number of lost bytes, and of the others.
  case loseData(InodeNumber, Int64, left: Int64)
  /// The bytes in the extents of an inode.
  case setAllocated(InodeNumber, Int64)
  /// The live bytes of a segment.
  case setLiveBytes(SegmentNumber, Int64)
  /// The totals of the space.
  case setTotals(inodes: Int64, liveBytes: Int64)

  /// Whether it follows from the rest of the index. Such a step waits until the rest is right.
  var isDerived: Bool {
    switch self {
    case .setLinks, .loseData, .setAllocated, .setLiveBytes, .setTotals: true
    default: false
    }
  }

  /// Whether something is lost that only a backup has.
  var isLoss: Bool {
    switch self {
    case .makeHole, .dropExtent, .dropNames, .replaceInode, .loseData: true
    case .setHasAttributes(_, let has): !has
    default: false
    }
  }

  /// The bytes of the file that are lost.
  var lostBytes: Range<Int64>? {
    guard case .makeHole(_, let range) = self else { return nil }
    return range.lowerBound.rawValue..<range.upperBound.rawValue
  }

  /// The change, as a clause whose subject is the file.
  var text: String {
    switch self {
    case .makeHole(_, let range):
      "bytes \(range.lowerBound.rawValue) to \(range.upperBound.rawValue) cannot be read and become a hole"
    case .dropExtent(_, let offset): "the data at byte \(offset.rawValue) is invalid and becomes a hole"
    case .dropDerivative: "its thumbnail is dropped and rebuilt"
    case .dropExtents(let inode): "the data of inode \(inode.rawValue), which does not exist, is deleted"
    case .dropMedia(let inode): "the media facts of inode \(inode.rawValue), which does not exist, are dropped"
    case .dropNames: "the name leads nowhere and is removed"
    case .dropName(_, let name): "the name \(name.description) in something that is not a directory is removed"
    case .keepOneName: "all its names but one are removed"
    case .giveName(let inode): "inode \(inode.rawValue) has no name and gets one in lost+found"
    case .moveToLostAndFound: "it is moved to lost+found"
    case .setKind(_, let name): "the type in the entry \(name.description) is corrected"
    case .setParent: "its parent directory is corrected"
    case .setHasAttributes(_, let has):
      has ? "its extended attributes are restored" : "its extended attributes are lost"
    case .setTarget: "its link target is corrected"
    case .straighten: "its impossible size or time becomes the nearest possible one"
    case .keep: "it is no longer marked as deleted"
    case .setLinks(_, let links): "its link count becomes \(links)"
    case .replaceInode: "its owner, permissions and times are lost"
    case .loseData(_, let lost, _):
      lost.counted("byte of its data cannot be found and is a hole", "bytes of its data cannot be found and are a hole")
    case .setAllocated(_, let bytes): "\(bytes.counted("byte is", "bytes are")) counted for it"
    case .setLiveBytes(.unwritten, _): "the allocated bytes are recounted"
    case .setLiveBytes(let segment, _): "the live bytes of segment \(segment.rawValue) are recounted"
    case .setTotals: "the totals of the space are recounted"
    }
  }
}
