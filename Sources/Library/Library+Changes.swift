// How changes of the file system affect photos: their thumbnails and their rows in the catalog.

package import Albums
package import Index
package import SystemPackage
package import Vault

/// Passes changes of the file system on to the parts that depend on them.
extension Library: ChangeSink {
  package func noteWrite(
    to inode: Inode, at offset: Int64, _ bytes: UnsafeRawBufferPointer, _ files: borrowing LockedFileSystem
  ) throws(Errno) {
    try unsafe files.mediaUpdates.noteWrite(inode, at: offset, bytes)
  }

  package func noteContentChange(
    of inode: Inode, _ change: ContentChange, _ files: borrowing LockedFileSystem
  ) throws(Errno) {
    // A file known not to be a photo still begins the same way after it is shortened.
    if change == .size, inode.isKnownNotMedia {
      files.catalogUpdates.noteSidecarChange(inode)
    } else {
      try files.mediaUpdates.noteContentChange(inode)
    }
  }

  package func noteFound(_ inode: Inode, by name: FileName) {
    inode.isHidden = name.isNoPhoto
    // Another name of the file may be a sidecar's.
    if name.isSidecar { inode.isSidecar = true } else if inode.record.links <= 1 { inode.isSidecar = false }
  }

  package func noteName(
    _ name: FileName, _ change: NameChange, in directory: InodeNumber, of inode: Inode,
    _ files: borrowing LockedFileSystem
  ) {
    switch change {
    case .made:
      inode.isHidden = name.isNoPhoto
      // A new inode does not have a row in the catalog yet.
      if name.isSidecar { files.catalogUpdates.noteCatalogName(name, in: directory, of: inode) }
    case .added:
      files.mediaUpdates.noteName(name, of: inode)
      files.catalogUpdates.noteCatalogName(name, in: directory, of: inode)
    case .removed:
      files.catalogUpdates.noteCatalogName(name, in: directory, of: inode)
    }
  }

  package func noteMove(_ move: Move, _ files: borrowing LockedFileSystem) {
    if let replaced = move.replaced {
      files.catalogUpdates.noteCatalogName(move.newName, in: move.target.number, of: replaced)
    }
    var moved = [(move.inode, move.newName)]
    if let exchanged = move.exchanged { moved.append((exchanged, move.name)) }
    for (inode, name) in moved {
      if move.name.isNoPhoto != move.newName.isNoPhoto { files.mediaUpdates.noteName(name, of: inode) }
      files.catalogUpdates.noteCatalogName(move.name, in: move.source.number, of: inode)
      files.catalogUpdates.noteCatalogName(move.newName, in: move.target.number, of: inode)
    }
  }

  package func noteAttribute(_ name: [UInt8], of inode: Inode, _ files: borrowing LockedFileSystem) {
    files.catalogUpdates.noteCatalogAttribute(name, of: inode)
  }

  package func noteRights(of inode: Inode, _ files: borrowing LockedFileSystem) {
    files.catalogUpdates.noteCatalogChange(inode)
    files.catalogUpdates.noteSidecarRights(inode)
  }

  package func noteRemoval(of inode: Inode, in index: Index) throws(IndexError) -> [InodeNumber] {
    let media = try index.media.row(inode.number)
    if media != nil {
      try CatalogUpdates.dropItem(inode.number, in: index)
      try index.media.deleteMedia(inode.number)
    }
    if inode.isSidecar != false { try index.catalog.dropSidecar(inode.number) }
    return media?.derivatives ?? []
  }

  package func noteCommit(in index: Index, _ files: borrowing LockedFileSystem) throws(IndexError) {
    guard files.catalog.isHomeZoneNew else { return }
    if let zone = files.catalog.homeZone { try index.setHomeZone(to: zone) }
    files.catalog.isHomeZoneNew = false
  }
}
