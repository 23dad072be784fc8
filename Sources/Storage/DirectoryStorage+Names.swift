// When names come, and when they are put in a random order.
//
// Invariants
// 1. Whether that is done never depends on what a space is: only on names that came, and on the host.
// 2. A folder is changed whenever a name comes, and `segments` is given its time later than all folders when names are
//    in no order. So a writer sees, before it begins and when it ends, names that others left in order: what crashed,
//    and who ended while the vault was still in use.

internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

extension DirectoryStorage {
  /// Whether names came since they were last in no order, on a host that lists them as they came.
  package var hasNewNames: Bool {
    if isReadOnly || !agonyfs_lists_in_order_of_creation(root.number) { return false }
    return namesCame.load(ordering: .acquiring) || hasChangedFolder
  }

  /// Keeps in mind that names came before, since beginning to write sets all times.
  func noteNewNames() { if hasNewNames { noteNewName() } }

  /// Keeps in mind that a name comes.
  func noteNewName() { namesCame.store(true, ordering: .releasing) }

  /// Whether a folder was changed later than `segments`.
  private var hasChangedFolder: Bool {
    var status = stat()
    guard unsafe fstat(root.number, &status) == 0 else { return false }
    let last = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    for folder in 0..<256 where unsafe fstatat(root.number, folderName(folder), &status, AT_SYMLINK_NOFOLLOW) == 0 {
      if (status.st_ctim.tv_sec, status.st_ctim.tv_nsec) > last { return true }
    }
    return false
  }

  /// Puts the names of all segment files in a random order, if the host can link files and exchange directories, and
  /// nobody reads a folder. Durable on return.
  package func shuffleNames() {
    guard let isDone = try? DirectoryRefresh(self, segmentSize: 0).shuffleNames(), isDone else { return }
    namesCame.store(false, ordering: .releasing)
  }

  /// Takes a name out of what a kill left in `refreshing`, if it leads to a file that has another name by now.
  func forgetLink(_ identifier: SegmentIdentifier) {
    let path = DirectoryRefresh.place + "/" + identifier.path
    var left = stat()
    guard unsafe fstatat(directory.number, path, &left, AT_SYMLINK_NOFOLLOW) == 0, left.st_nlink > 1 else { return }
    var named = stat()
    let isNamed = unsafe fstatat(root.number, identifier.path, &named, AT_SYMLINK_NOFOLLOW) == 0
    if !isNamed || named.st_ino != left.st_ino { unsafe unlinkat(directory.number, path, 0) }
  }
}
