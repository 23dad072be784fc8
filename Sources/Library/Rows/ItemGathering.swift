// Gathers the facts of a photo or video. The catalog's rows and an import by day share this, so that a photo is
// stored under the day that the catalog shows.

package import Catalog

extension MediaItem {
  /// Takes all facts about a file; returns the statements about its time, for `settle`, and the user's decisions
  /// about its stack and duplicates.
  ///
  /// - Parameters:
  ///   - lists: the facts of the file itself, and of the sidecars that belong to it.
  ///   - modified: the time of the file's last modification, in UTC.
  ///   - attributes: the text of each attribute.
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
