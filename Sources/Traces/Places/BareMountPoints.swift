internal import Glibc
internal import System
internal import SystemPackage

extension TraceSearch {
  private static let advice =
    "Saved while nothing was mounted: mount the space there at a terminal, and it asks whether to import them."

  /// Finds what lies in this user's directories at which a space may be mounted, and none is.
  package mutating func look(inBare places: [[UInt8]]) {
    for place in places {
      do throws(Errno) {
        // What belongs to somebody else may not even be opened.
        var status = stat()
        try unsafe FilePath(bytes: place).call { unsafe stat($0, &status) }
        guard status.st_uid == geteuid() else { continue }
        let folder = try Folder.begin(at: place)
        for name in try folder.names() {
          found(
            Finding(
              program: "mount point", kind: .plain, file: folder.path(of: name), reveals: .picture,
              remedy: .byHand(Self.advice)))
        }
      } catch {
        couldNotSearch(place, error)
      }
    }
  }
}
