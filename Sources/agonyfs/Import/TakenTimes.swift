internal import Catalog
internal import Glibc
internal import Import
internal import Media
internal import System
internal import SystemPackage

/// Albums by the day that photos were taken, as the decoder and the catalog's rules find it.
final class TakenTimes: AlbumSorter {
  private let pattern: DatePattern
  private let movesCompanions: Bool
  private let decoder = DecoderProgram.silent()

  init(_ pattern: DatePattern, movesCompanions: Bool) {
    self.pattern = pattern
    self.movesCompanions = movesCompanions
  }

  func stop() { decoder.stop() }

  /// The albums of files that belong together: of each its own, or of all that of the photo.
  func albums(of days: [TakenDay]) -> [[[UInt8]]] {
    guard movesCompanions, let lead = days.min(by: { $0.rank < $1.rank }) else { return days.map(album) }
    return days.map { _ in album(lead) }
  }

  /// When something was taken. What is no photo or video, and so says little, has a high rank.
  func day(of file: Descriptor?, name: [UInt8], _ status: FileStatus, described: Int64?) -> TakenDay {
    var item = MediaItem(inode: status.inode, kind: .jpeg)
    var times: [TimeCandidate] = []
    var rank = 9
    if status.kind == .file, status.size > 0, let file,
      let facts = try? decoder.facts(of: OpenSource(file: file, size: status.size), small: nil),
      let list = try? FactList(decoding: facts)
    {
      times = item.offer(list)
      rank = 3
    }
    let isFound = !times.isEmpty
    if let described, let wall = WallTime(seconds: described, nanoseconds: 0) {
      times.append(TimeCandidate(.universal(wall), from: .takeout))
    }
    if let time = NameTime.candidate(name: name) { times.append(time) }
    let modified = status.modified
    if let wall = WallTime(seconds: modified.seconds, nanoseconds: UInt32(clamping: modified.nanoseconds)) {
      times.append(TimeCandidate(.universal(wall), from: .fileTime))
    }
    // A picture leads its video, and what knows its time what does not.
    if rank < 9 { rank = (isFound ? 0 : 4) + (item.video.duration == nil ? 0 : 1) }
    let date = CapturedTime.resolve(times)?.wall.date
    return TakenDay(date: date.map { .init(year: $0.year, month: $0.month, day: $0.day) }, rank: rank)
  }

  private func album(_ taken: TakenDay) -> [[UInt8]] {
    guard let date = taken.date else { return [Array("undated".utf8)] }
    return pattern.album(year: date.year, month: date.month, day: date.day)
  }
}

private struct OpenSource: MediaSource {
  let file: Descriptor
  let size: Int64

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try systemCall { unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)) }
  }
}
