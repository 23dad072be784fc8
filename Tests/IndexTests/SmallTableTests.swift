import Index
import Testing
import Vault

/// Extended attributes, orphans, slots and single values.
@Suite struct SmallTableTests {
  @Test func attributes() throws {
    let (index, store) = try makeIndex()
    let file = InodeNumber(rawValue: 7)
    let names: [[UInt8]] = [[UInt8]("user.a".utf8), [UInt8]("user.é/".utf8), [0xFF], [UInt8](repeating: 9, count: 255)]
    let values: [[UInt8]] = [[], [0, 1, 2], [UInt8](repeating: 0xFF, count: 65_536), [1]]
    for (name, value) in zip(names, values) { try index.attributes.set(named: name, of: file, to: value) }
    try index.attributes.set(named: names[0], of: .root, to: [5])
    try index.commit(to: store)
    let again = try Index(space: store)
    for (name, value) in zip(names, values) { #expect(try again.attributes.value(named: name, of: file) == value) }
    #expect(try again.attributes.names(of: file) == [names[3], names[0], names[1], names[2]])
    #expect(try again.inodesWithAttributes(after: nil, limit: 9) == [.root, file])
    try again.attributes.set(named: names[2], of: file, to: [3])
    #expect(try again.attributes.value(named: names[2], of: file) == [3])
    #expect(try again.attributes.remove(named: names[2], of: file))
    #expect(try !again.attributes.remove(named: names[2], of: file))
    #expect(try again.attributes.value(named: names[2], of: file) == nil)
    try again.attributes.removeAll(of: file)
    #expect(try again.attributes.names(of: file) == [])
    #expect(try again.attributes.value(named: names[0], of: .root) == [5])
    try expectClean(again)
  }

  @Test func orphansAndSlots() throws {
    let (index, store) = try makeIndex()
    for number in [5, 3, 5, 9] as [UInt64] { try index.addOrphan(InodeNumber(rawValue: number)) }
    try index.addSlot([1, 2])
    try index.addSlot([0])
    try index.addSlot([1, 2])
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try again.orphans(limit: 2).map(\.rawValue) == [3, 5])
    try again.removeOrphan(InodeNumber(rawValue: 3))
    #expect(try again.orphans(limit: 9).map(\.rawValue) == [5, 9])
    #expect(try again.slots() == [[0], [1, 2]])
    try again.removeSlot([0])
    try again.removeSlot([0])
    #expect(try again.slots() == [[1, 2]])
  }

  @Test func values() throws {
    let (index, store) = try makeIndex()
    #expect(try index.metaInteger("x") == nil)
    try index.setMeta("x", to: .min)
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(try again.metaInteger("x") == .min)
    try again.setMeta("x", to: 4)
    #expect(try again.metaInteger("x") == 4)
    #expect(try again.metaText("y") == nil)
    try again.setMeta("y", to: "Europe/Berlin")
    try again.setMeta("y", to: "America/New_York")
    try again.commit(to: store)
    #expect(try Index(space: store).metaText("y") == "America/New_York")
  }

  @Test func timestampsOrder() {
    let early = Timestamp(seconds: -1, nanoseconds: 999_999_999)
    #expect(early < Timestamp(seconds: 0, nanoseconds: 0))
    #expect(early > Timestamp(seconds: -1, nanoseconds: 5))
    #expect(Timestamp.now() > Timestamp(seconds: 1_600_000_000, nanoseconds: 0))
  }
}
