// What counts for a photo or video: the same for the catalog's rows and for an import by day, so that a photo lies under
// the day that the catalog shows.

package import Catalog

extension MediaItem {
  /// Offers all that is said of a file; gives what that says about the time, for `settle`, and what the user said about the
  /// stack and about duplicates.
  ///
  /// - Parameters:
  ///   - lists: of the file itself, and of the sidecars that belong to it.
  ///   - modified: when the file was modified, in UTC.
  ///   - attributes: what each says.
  package mutating func offer(
    _ lists: [FactList], name: [UInt8]?, modified: WallTime?, attributes: [UserWord: String]
  ) -> (times: [TimeCandidate], stackWord: String?, isDistinct: Bool) {
    var times: [TimeCandidate] = []
    for list in lists { times += offer(list) }
    if let name, let time = NameTime.candidate(name: name) { times.append(time) }
    if let modified { times.append(TimeCandidate(.universal(modified), from: .fileTime)) }
    let (stackWord, isDistinct) = offer(attributes: attributes, times: &times)
    return (times, stackWord, isDistinct)
  }
}
