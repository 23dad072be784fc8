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
    var item = ItemRecord(inode: InodeNumber(rawValue: 5))
    item.album = .root
    item.name = Array("a.jpg".utf8)
    (item.names, item.taken, item.fraction, item.kind, item.flags, item.rating) = (2, 3, 4, 6, 7, -1)
    (item.size, item.rights, item.place, item.camera, item.lens, item.duration) = (8, 9, 10, 11, 12, 13)
    (item.latitude, item.longitude) = (-14, 15)
    try index.catalog.setItem(item, words: "", tags: [], replacing: [])
    try index.catalog.setItem(ItemRecord(inode: InodeNumber(rawValue: 6)), words: "", tags: [], replacing: [])
    var timeline = try index.catalog.timeline(after: nil, newestFirst: true, within: 0...9, .all)
    #expect(try timeline.next())
    #expect(timeline.album == .root && timeline.name == Array("a.jpg".utf8) && timeline.names == 2)
    #expect(timeline.kind == 6 && timeline.flags == 7 && timeline.rating == -1 && timeline.size == 8)
    #expect(timeline.rights == 9 && timeline.place == 10 && timeline.camera == 11 && timeline.lens == 12)
    #expect(timeline.duration == 13 && timeline.position?.latitude == -14 && timeline.position?.longitude == 15)
    timeline = try index.catalog.undatedItems(after: nil, highestFirst: true, .all)
    #expect(try timeline.next())
    #expect(timeline.album == nil && timeline.rating == nil && timeline.place == nil && timeline.position == nil)
    #expect(timeline.camera == nil && timeline.lens == nil && timeline.duration == nil)
  }
}
