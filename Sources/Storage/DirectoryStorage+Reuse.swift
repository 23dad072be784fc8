// Invariants
// 1. A file that has a second name is never overwritten: who linked it, as `cp -al` and rsync's `--link-dest` do, wants
//    its content.
// 2. A file that is overwritten is short until its last byte is written, so no crash and no copy makes it pass as whole.
// 3. Nothing is overwritten where other machines may write: another one may be about to overwrite or rename the same
//    file.

internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// Writing new segments in the place of files that nobody needs.
extension DirectoryStorage {
  /// What a file keeps where overwritten bytes go elsewhere: so much that nobody takes it for one that holds nothing,
  /// and no more than the first write brings. So it is soon as long as a new file would be.
  private static let leastKept = 112

  /// Opens a file to be overwritten, cuts it, and gives it another name.
  package func reuse(
    _ old: SegmentIdentifier, as new: SegmentIdentifier?, size: Int
  ) throws(Errno) -> any SegmentWriter {
    let file: Descriptor
    do throws(Errno) {
      file = try VaultFile.open(old.path, in: root, O_RDWR)
    } catch .permissionDenied, .notPermitted, .textFileBusy {
      throw .notSupported
    }
    var information = stat()
    try systemCall { unsafe fstat(file.number, &information) }
    guard information.st_nlink == 1, agonyfs_is_on_local_file_system(file.number), canRename(old) else {
      throw .notSupported
    }
    if let new, try exists(new) { throw .fileExists }
    let most = max(0, min(Int(information.st_size), size) - 1)
    let keptSize = agonyfs_overwrites_in_place(file.number) ? most : min(most, Self.leastKept)
    try systemCall { ftruncate(file.number, off_t(keptSize)) }
    let place = try SegmentPlace(of: file, in: self, path: old.path)
    if let new { try place.rename(to: new) }
    return SegmentFile(file, at: place, keeping: keptSize)
  }

  /// Whether files can be renamed without replacing others. Renaming one to its own name changes nothing.
  private func canRename(_ name: SegmentIdentifier) -> Bool {
    unsafe agonyfs_rename_if_absent(root.number, name.path, name.path) == 0 || errno == EEXIST
  }

  /// Renames a file that was just written, if nothing has the new name, on every host. Some file systems in user space
  /// (ntfs-3g, exfat-fuse, sshfs) know no rename that replaces nothing. There the file gets a second name and loses the
  /// first one; where there are no second names either, an empty file takes the name, which nobody else can take then,
  /// and is replaced. A crash between the two leaves the empty file: it opens nothing, and is put right as other short
  /// files are.
  ///
  /// - Throws: `.fileExists`.
  func giveName(_ new: String, to path: String) throws(Errno) {
    do throws(Errno) {
      try systemCall { unsafe agonyfs_rename_if_absent(root.number, path, new) }
      return
    } catch .invalidArgument, .noFunction, .notSupported {
    }
    do throws(Errno) {
      try systemCall { unsafe linkat(root.number, path, root.number, new, 0) }
      unsafe unlinkat(root.number, path, 0)
    } catch .fileExists {
      throw .fileExists
    } catch {
      _ = try owner.create(new, in: root)
      do throws(Errno) {
        try systemCall { unsafe renameat(root.number, path, root.number, new) }
      } catch {
        unsafe unlinkat(root.number, new, 0)
        throw error
      }
    }
  }

  /// Renames a segment file, if nothing has the new name; and deletes what a killed refresh left of it.
  ///
  /// - Throws: `.fileExists`; `.notSupported` where a rename may replace something.
  func rename(_ path: String, to new: SegmentIdentifier) throws(Errno) {
    do throws(Errno) {
      _ = try changeNames(in: new.folder) { () throws(Errno) in
        try systemCall { unsafe agonyfs_rename_if_absent(root.number, path, new.path) }
      }
    } catch .invalidArgument, .noFunction {
      throw .notSupported
    }
    unsafe unlinkat(directory.number, DirectoryRefresh.place + "/" + path, 0)
    if let folder = path.split(separator: "/").first.map(String.init) {
      try? VaultFile.setTimes(of: folder, in: root)
    }
  }
}
