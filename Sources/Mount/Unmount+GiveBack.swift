internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

extension Unmount {
  /// Asks the mount at a path to give the disk back what was deleted, when it ends. False if its space has a number of files
  /// of its own, and gives nothing back.
  ///
  /// - Throws: `.notMounted`, `.mountedElsewhere`, as `unmount`; `.givesNothingBack`.
  package static func giveBack(_ path: String) throws(MountError) -> Bool {
    guard let resolved = CanonicalPath.resolve(path), let entry = MountTable.current().entry(at: Array(resolved.utf8)),
      entry.isFuse, let identity = DaemonQuestion.ask(.identity, of: resolved, entry)
    else { throw .notMounted(path: path) }
    if identity.isElsewhere { throw .mountedElsewhere(path: path) }
    let request = "give-back"
    do throws(Errno) {
      try systemCall {
        unsafe setxattr(resolved + "/.agonyfs", "user.agonyfs.request", request, request.utf8.count, 0)
      }
      return true
    } catch .notSupported {
      return false
    } catch {
      let reason =
        switch error {
        case .staleNFSFileHandle: "an older state of the space was opened, and a repair may still bring the newer one"
        case .invalidArgument: "an older agonyfs serves it; unmount it, mount it again, and unmount it so"
        case .permissionDenied, .notPermitted: "only who mounted it may ask for that"
        case .readOnlyFileSystem: "it is mounted read-only"
        default: error.description
        }
      throw .givesNothingBack(path: path, reason: reason)
    }
  }
}
