internal import Glibc
internal import System
internal import SystemPackage

extension TraceSearch {
  private static let advice =
    "Saved while nothing was mounted. Mount the space there at a terminal; agonyfs then asks whether to import them."

  /// Finds files in this user's mount points of spaces while nothing is mounted there.
  package mutating func look(inBare places: [[UInt8]]) {
    for place in places { look(in: place, Self.advice) }
  }

  /// Finds files that an import from bare mount points left in directories next to them. Such a directory is named
  /// after the mount point, with `suffix` and perhaps a number. `advice` says what to do with one of them.
  package mutating func look(
    beside places: [[UInt8]], suffix: [UInt8], advice: (_ left: [UInt8], _ place: [UInt8]) -> String
  ) {
    for place in places {
      guard let slash = place.lastIndex(of: PathBytes.slash) else { continue }
      let parent = Array(place[...slash])
      let wanted = Array(place[(slash + 1)...]) + suffix
      for name in (try? Directory.names(in: FilePath(bytes: parent))) ?? []
      where name == wanted || name.starts(with: wanted + [UInt8(ascii: " ")]) {
        look(in: parent + name, advice(parent + name, place))
      }
    }
  }

  private mutating func look(in place: [UInt8], _ advice: String) {
    do throws(Errno) {
      // Another user's directory must not even be opened.
      var status = stat()
      try unsafe FilePath(bytes: place).call { unsafe stat($0, &status) }
      guard status.st_uid == geteuid() else { return }
      let folder = try Folder.begin(at: place)
      for name in try folder.names() {
        found(
          Finding(
            program: "mount point", kind: .plain, file: folder.path(of: name), reveals: .picture,
            remedy: .byHand(advice)))
      }
    } catch {
      couldNotSearch(place, error)
    }
  }
}
