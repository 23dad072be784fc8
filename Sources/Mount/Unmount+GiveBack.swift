internal import System
package import SystemPackage

extension Unmount {
  /// Asks the mount at a path to free the disk room of deleted files when it ends. False if its space keeps its own
  /// number of files, and frees none.
  ///
  /// - Throws: `.notMounted` and `.mountedElsewhere` as `unmount`; `.givesNothingBack`.
  package static func giveBack(_ path: FilePath) throws(MountError) -> Bool {
    guard let resolved = CanonicalPath.resolve(path), let entry = MountTable.current().entry(at: resolved),
      entry.isFuse, let identity = DaemonQuestion.ask(.identity, of: resolved, entry)
    else { throw .notMounted(path: path.string) }
    if identity.isElsewhere { throw .mountedElsewhere(path: path.string) }
    do throws(Errno) {
      try OwnerRequest.giveBack.send(to: resolved)
      return true
    } catch .notSupported {
      return false
    } catch {
      let reason =
        switch error {
        case .staleNFSFileHandle: "an older state of the space is open, and a repair may still bring the newer one back"
        case .invalidArgument: "an older agonyfs serves it; unmount it, mount it again, and repeat this command"
        case .permissionDenied, .notPermitted: "only the user who mounted it may ask for that"
        case .readOnlyFileSystem: "it is mounted read-only"
        default: error.description
        }
      throw .givesNothingBack(path: path.string, reason: reason)
    }
  }

  /// Withdraws the request of `giveBack` if the mount stays. A mount that has ended does not need it.
  package static func keepDeleted(_ path: FilePath) {
    guard let resolved = CanonicalPath.resolve(path) else { return }
    try? OwnerRequest.keepDeleted.send(to: resolved)
  }
}
