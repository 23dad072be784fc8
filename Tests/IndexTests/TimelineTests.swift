import TestSupport
import Testing
import Vault

@testable import Index

@Suite struct TimelineTests {
  /// Photos with every kind of neighbour: equal seconds, equal times, before 1970, without a time.
  private static let keys: [TimelineKey] = [
    TimelineKey(taken: 9, fraction: 0, inode: InodeNumber(rawValue: 5)),
    TimelineKey(taken: 7, fraction: 3, inode: InodeNumber(rawValue: 8)),
    TimelineKey(taken: 7, fraction: 3, inode: InodeNumber(rawValue: 2)),
    TimelineKey(taken: 7, fraction: 0, inode: InodeNumber(rawValue: 9)),
    TimelineKey(taken: 0, fraction: 0, inode: InodeNumber(rawValue: 3)),
    TimelineKey(taken: -4, fraction: 999_999_999, inode: InodeNumber(rawValue: 6)),
    TimelineKey(taken: nil, fraction: 0, inode: InodeNumber(rawValue: 7)),
    TimelineKey(taken: nil, fraction: 0, inode: InodeNumber(rawValue: 4)),
  ]

  private func rows(_ timeline: consuming Timeline) throws -> [TimelineKey] {
    var timeline = timeline
    var rows: [TimelineKey] = []
    while try timeline.next() { rows.append(timeline.key) }
    return rows
  }

  @Test func bothDirectionsFromEveryPlace() throws {
    let (index, _) = try makeIndex()
    var random = TestLength.generator()
    for key in Self.keys.shuffled(using: &random) {
      var item = ItemRecord(inode: key.inode)
      (item.taken, item.fraction) = (key.taken, key.fraction)
      try index.catalog.setItem(item, words: "", tags: [], replacing: [])
    }
    let always = Int64.min...Int64.max
    let dated = Self.keys.filter { $0.taken != nil }
    for place in 0...dated.count {
      let key = place > 0 ? dated[place - 1] : nil
      #expect(
        try rows(index.catalog.timeline(after: key, newestFirst: true, within: always, .fraction))
          == Array(dated[place...]))
      let older: [TimelineKey] = dated.reversed()
      let back = place > 0 ? older[place - 1] : nil
      #expect(
        try rows(index.catalog.timeline(after: back, newestFirst: false, within: always, .fraction))
          == Array(older[place...]))
    }
    let sevens = dated.filter { $0.taken == 7 }
    #expect(try rows(index.catalog.timeline(after: nil, newestFirst: true, within: 1...8, .fraction)) == sevens)
    #expect(
      try rows(index.catalog.timeline(after: nil, newestFirst: false, within: 1...8, .fraction)) == sevens.reversed())
    #expect(try rows(index.catalog.timeline(after: dated[0], newestFirst: true, within: 1...8, .fraction)) == sevens)
    #expect(
      try rows(index.catalog.timeline(after: sevens[2], newestFirst: false, within: 1...8, .fraction)) == [
        sevens[1], sevens[0],
      ])
    #expect(
      try rows(index.catalog.undatedItems(after: nil, highestFirst: true, .fraction)).map(\.inode.rawValue) == [7, 4])
    #expect(
      try rows(index.catalog.undatedItems(after: nil, highestFirst: false, .fraction)).map(\.inode.rawValue) == [4, 7])
    #expect(
      try rows(index.catalog.undatedItems(after: InodeNumber(rawValue: 7), highestFirst: true, .fraction)).map(
        \.inode.rawValue)
        == [4])
  }

  @Test func rowsHaveWhatQuestionsCompare() throws {
    let (index, _) = try makeIndex()
    try index.catalog.setItem(.full(5), words: "", tags: [], replacing: [])
    try index.catalog.setItem(ItemRecord(inode: InodeNumber(rawValue: 6)), words: "", tags: [], replacing: [])
    var timeline = try index.catalog.timeline(after: nil, newestFirst: true, within: -9...9, .all)
    #expect(try timeline.next())
    #expect(timeline.album == .root && timeline.name == Array("a.jpg".utf8) && timeline.names == 2)
    #expect(timeline.kind == 3 && timeline.flags == 4 && timeline.rating == -1 && timeline.size == 6)
    #expect(timeline.rights == 8 && timeline.place == 9 && timeline.camera == 10 && timeline.lens == 11)
    #expect(timeline.duration == 12 && timeline.position?.latitude == -13 && timeline.position?.longitude == 14)
    timeline = try index.catalog.undatedItems(after: nil, highestFirst: true, .all)
    #expect(try timeline.next())
    #expect(timeline.album == nil && timeline.rating == nil && timeline.place == nil && timeline.position == nil)
    #expect(timeline.camera == nil && timeline.lens == nil && timeline.duration == nil)
  }
}
