import AlbumsSupport
import FaultyStorage
import Index
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// Rows of the index that only somebody with the key writes: every column gets values that nobody expects there.
/// Everything that a mount, a check and a repair do ends with success, damage or an error. A trap ends the test; the case
/// is the last line printed.
@Suite struct HostileIndexTests {
  /// How many changed indexes there are in a run of all tests.
  private static let cases = 30

  private static let columns = [
    "inode": [
      "number", "mode", "links", "owner", "\"group\"", "device", "size", "allocated", "accessed_s", "accessed_ns",
      "modified_s", "modified_ns", "changed_ns", "born_s", "born_ns", "parent", "flags", "target",
    ],
    "dentry": ["parent", "name", "inode", "kind", "cookie"],
    "extent": ["inode", "offset", "length", "position", "record", "skip"],
    "attribute": ["inode", "name", "value"], "segment": ["number", "live"], "orphan": ["inode"], "slot": ["id"],
    "meta": ["key", "value"],
    "media": [
      "inode", "state", "hash", "kind", "width", "height", "orientation", "captured", "\"offset\"", "latitude",
      "longitude", "make", "model", "duration", "codec", "small", "large", "reason",
    ],
  ]

  private static let values = [
    "0", "1", "-1", "2", "5", "4095", "1048577", "2147483648", "4294967295", "4294967296", "67108864",
    "274877906944", "18014398509481984", "4611686018427387904", "9223372036854775807", "-9223372036854775808",
    "9223372036852678655", "1e300", "'text'", "'-1'", "x''", "x'00ff2f'", "zeroblob(70000)", "NULL",
    "x'0200000001000600ffffffff04000500ffffffff20000400ffffffff'",
  ]

  /// A vault with some of everything, and with rows in every table.
  private func made() throws -> TestVault {
    let vault = try TestVault.filled()
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    let files = try FileSystem(space: space, options: vault.options, changeSink: Library(vault.library))
    let file = try files.make("allocated")
    try files.allocate(file, mode: [], offset: .zero, length: 100_000)
    try files.put(pattern(5000, 3), file, at: 20_000)
    for name in ["system.posix_acl_access", "user.x"] {
      let list: [UInt8] = [2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 4, 0, 5, 0, 255, 255, 255, 255, 32, 0, 4, 0]
      let value = list + [255, 255, 255, 255]
      try files.setAttribute(name, of: file, to: value)
    }
    try files.close()
    try vault.changeIndex { (index) throws(IndexError) in
      for (number, state) in [MediaRecord.State.known, .failed, .pending].enumerated() {
        var media = MediaRecord(inode: InodeNumber(rawValue: UInt64(4 + number)), state: state)
        media.width = 1_700_000_000
        (media.small, media.hash, media.reason) = (InodeNumber(rawValue: 9), [1, 2, 3], "none")
        try index.media.setMedia(media)
      }
      try index.addOrphan(InodeNumber(rawValue: 12))
      try index.addSlot([1, 2, 3])
    }
    return vault
  }

  /// One to three columns with other values, in one row or in all.
  private func change(_ generator: inout SeededGenerator) -> [String] {
    (0...Int.random(in: 0...2, using: &generator)).compactMap { _ in
      let tables = Self.columns.keys.sorted()
      guard let table = tables.randomElement(using: &generator),
        let column = Self.columns[table]?.randomElement(using: &generator), let key = Self.columns[table]?[0],
        let value = Self.values.randomElement(using: &generator)
      else { return nil }
      let row = Int.random(in: 0...24, using: &generator)
      let rows =
        Int.random(in: 0...3, using: &generator) == 0
        ? ""
        : " WHERE \(key) = (SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(row) % max(1, "
          + "(SELECT count(*) FROM \(table))))"
      return "UPDATE OR IGNORE \(table) SET \(column) = \(value)\(rows)"
    }
  }

  @Test func nothingTraps() throws {
    let vault = try made()
    var changed = CaseCount("hostile indexes")
    var refused = 0
    for seed in TestLength.seeds(Self.cases, few: 20) {
      var generator = SeededGenerator(seed: seed)
      let changes = change(&generator)
      print("hostile index, seed \(seed): \(changes.joined(separator: "; "))")
      let other = TestVault(sameAs: vault, over: vault.storage.after(.keepsAll))
      do {
        try other.changeIndex { (index) throws(IndexError) in
          try index.withSavepoint { () throws(IndexError) in
            for change in changes { try index.connection.execute(change) }
          }
        }
      } catch {
        // A key column takes no text.
        refused += 1
        continue
      }
      let storage = other.storage.after(.keepsAll)
      use(TestVault(sameAs: vault, over: storage))
      if let repair = try? TestVault(sameAs: vault, over: other.storage.after(.keepsAll)).plannedRepair() {
        _ = try? repair.carryOut()
      }
      changed.add()
    }
    let least = TestLength.isWhole && !TestLength.isLong ? Self.cases / 2 : 0
    #expect(changed.count > least, "\(refused) refused")
  }

  /// All that a mount does. Errors are as good as success.
  private func use(_ vault: TestVault) {
    guard let space = try? vault.vault.openSpace(vault.body, copyWindow: 0) else { return }
    guard let files = try? FileSystem(space: space, options: vault.options, changeSink: Library(vault.library)) else {
      try? space.close()
      return
    }
    var inodes: [InodeNumber] = (0..<30).map { InodeNumber(rawValue: $0) }
    for folder in inodes {
      try? files.listWithAttributes(folder, after: 0) { _, attributes, _ in
        _ = attributes.blocks512
        inodes.append(attributes.inode)
        return inodes.count < 200
      }
      _ = try? files.names(of: folder)
    }
    for name in ["d", "again", "s", "allocated"] { _ = try? files.find(name) }
    for inode in Set(inodes).sorted() { useInode(inode, files) }
    _ = (try? files.statistics(), try? files.thumbnailer.mediaCounts(), try? files.thumbnailer.failedThumbnails())
    _ = try? files.unlink(.of("again"), in: .root)
    try? files.rename(.of("allocated"), in: .root, to: .of("renamed"), in: .root, flags: [])
    _ = try? files.removeDirectory(.of("d"), in: .root)
    if let new = try? files.make("new") { try? files.put(pattern(9000, 1), new) }
    try? files.synchronize(intoIndex: true)
    for isAsked in [false, true] { _ = try? files.cleaner.clean(isAsked: isAsked, isTight: isAsked) }
    try? files.cleaner.beginEpochs(2)
    try? files.close()
    try? space.close()
  }

  private func useInode(_ inode: InodeNumber, _ files: FileSystem) {
    guard let attributes = try? files.attributes(of: inode) else { return }
    _ = attributes.blocks512
    for offset in [0, 4096, Int(attributes.size) - 10, .max - 10_000] where offset >= 0 {
      _ = try? files.get(inode, at: offset, count: 5000)
    }
    for target in [SeekTarget.data, .hole] { _ = try? files.seek(inode, from: .zero, to: target) }
    _ = try? files.seek(inode, from: FileOffset(rawValue: max(0, attributes.size - 1)), to: .data)
    let other = InodeNumber(rawValue: 6)
    for offset in [0, attributes.size, FileSystem.maximumFileSize - 100_000] {
      let place = FileOffset(rawValue: max(0, offset))
      _ = try? files.copyRange(from: inode, at: place, to: other, at: .zero, length: 70_000)
      _ = try? files.copyRange(from: other, at: .zero, to: inode, at: place, length: 70_000)
    }
    _ = try? files.listExtendedAttributes(of: inode)
    for name in ["user.a", "user.x", "system.posix_acl_access"] {
      _ = try? files.extendedAttribute(Array(name.utf8), of: inode)
    }
    _ = try? files.change(inode) { $0.mode = 0o640 }
    if inode.rawValue % 3 == 0 {
      try? files.put([1, 2, 3], inode, at: 30_000)
      try? files.allocate(inode, mode: [.keepSize], offset: FileOffset(50_000), length: 50_000)
      try? files.resize(inode, 10_000)
    }
  }
}
