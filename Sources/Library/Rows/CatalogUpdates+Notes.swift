// Marks rows of the catalog as stale when something changes that they depend on.
//
// Invariants
// 1. Marking is cheap: a row is only marked, and for a file without a row nothing is written.
// 2. The operation has priority: it is not undone if marking fails, and the next merge of the row corrects it.

internal import Albums
internal import Catalog
internal import Index
internal import System
internal import SystemPackage
internal import Vault

extension CatalogUpdates {
  /// Records that attributes, times or rights of an inode changed.
  func noteCatalogChange(_ inode: Inode) {
    guard inode.isRegular, !inode.isMediaPending else { return }
    note { index throws(IndexError) in try index.catalog.addStaleItem(inode.number) }
  }

  func noteCatalogAttribute(_ name: [UInt8], of inode: Inode) {
    guard UserWord.isOne(name) else { return }
    if inode.isDirectory {
      note { index throws(IndexError) in try index.catalog.addStale(inode.number, .match) }
    } else {
      noteCatalogChange(inode)
    }
  }

  /// Records that an inode got or lost a name.
  func noteCatalogName(_ name: FileName, in directory: InodeNumber, of inode: Inode) {
    guard inode.isRegular else { return }
    if name.isSidecar {
      inode.isSidecar = true
      note { index throws(IndexError) in try index.catalog.addStale(directory, .match) }
    }
    noteCatalogChange(inode)
  }

  func noteSidecarChange(_ inode: Inode) {
    guard isSidecar(inode), !inode.isReadPending else { return }
    inode.isReadPending = true
    note { index throws(IndexError) in try index.catalog.addStale(inode.number, .read) }
  }

  /// Records that more or fewer users may read a sidecar: it now applies to other photos, whichever users read it.
  func noteSidecarRights(_ inode: Inode) {
    guard isSidecar(inode) else { return }
    note { index throws(IndexError) in
      guard let known = try index.catalog.sidecar(inode.number) else { return }
      // As if it had just been read.
      try index.catalog.setSidecar(inode.number, version: -abs(known.version), found: known.found)
      for name in try index.catalog.names(of: inode.number, limit: Self.mostSidecarNames) {
        try index.catalog.addStale(name.parent, .match)
      }
    }
  }

  /// Names of a sidecar that count, at most.
  private static let mostSidecarNames = 64

  /// Whether an inode may be a sidecar.
  func isSidecar(_ inode: Inode) -> Bool {
    if let known = inode.isSidecar { return known }
    guard files.index.hasCatalog, inode.isRegular else { return false }
    let names = try? files.index.catalog.names(of: inode.number, limit: Self.mostSidecarNames)
    inode.isSidecar = names?.contains { $0.name.isSidecar }
    return inode.isSidecar ?? false
  }

  private func note(_ body: (Index) throws(IndexError) -> Void) {
    guard files.index.hasCatalog else { return }
    do throws(Errno) { try files.withIndex(body) } catch { return }
    files.signals[.sinkWork].signal()
  }
}

extension FileName {
  /// Whether a file of this name may be a sidecar. Every look-up asks, so only the last bytes are compared.
  var isSidecar: Bool {
    let count = bytes.count
    guard count > 4 else { return false }
    let last = (bytes[count - 4], bytes[count - 3] | 0x20, bytes[count - 2] | 0x20, bytes[count - 1] | 0x20)
    if last.0 == 0x2E {
      return last.1 == 0x78 && last.2 == 0x6D && last.3 == 0x70 || last.1 == 0x61 && last.2 == 0x61 && last.3 == 0x65
    }
    return count > 5 && bytes[count - 5] == 0x2E && last.0 | 0x20 == 0x6A && last.1 == 0x73 && last.2 == 0x6F
      && last.3 == 0x6E
  }
}
