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
        let folder = try Folder.begin(at: place)
        guard try folder.status(of: [UInt8(ascii: ".")]).st_uid == geteuid() else { continue }
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
