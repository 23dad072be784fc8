import FaultyStorage
import Index
import Testing
import Vault

/// What the tests look at: names and their inodes. A dictionary would give another random element in each run.
struct NameModel: Equatable {
  var entries: [(key: FileName, value: InodeNumber)] = []
  var table: [FileName: InodeNumber] { Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) }) }

  static func == (left: Self, right: Self) -> Bool { left.table == right.table }
}

/// What the index has, with its figures compared.
func contents(_ index: Index) throws -> NameModel {
  let found = try index.dentries(after: nil, limit: .max)
  #expect(try index.inodes(after: .root, limit: .max).map(\.number) == found.map(\.entry.inode).sorted())
  #expect(index.inodeCount == Int64(found.count + 1))
  return NameModel(entries: found.map { ($0.entry.name, $0.entry.inode) })
}

/// Adds a file, or removes one.
func change(_ index: Index, _ model: inout NameModel, _ random: inout SeededGenerator) throws(Cancelled) {
  do throws(IndexError) {
    if let place = model.entries.indices.randomElement(using: &random), random.oneIn(3) {
      let entry = model.entries[place]
      try index.deleteDentry(parent: .root, name: entry.key)
      try index.deleteInode(entry.value)
      model.entries.swapAt(place, model.entries.count - 1)
      model.entries.removeLast()
    } else {
      let inode = index.nextInodeNumber()
      let bytes = [UInt8]("\(inode.rawValue)".utf8) + [UInt8](repeating: 0x78, count: Int(inode.rawValue % 200))
      guard let name = FileName(bytes) else { throw .damaged }
      try index.insert(.file(inode))
      try index.insertDentry(parent: .root, DentryRecord(name: name, inode: inode, kind: 8, cookie: index.nextCookie()))
      model.entries.append((name, inode))
    }
  } catch {
    throw Cancelled(error)
  }
}

/// Makes random changes in savepoints, up to three deep, some of which are rolled back.
func nest(
  _ index: Index, _ model: inout NameModel, _ random: inout SeededGenerator, depth: Int = 0
) throws(Cancelled) {
  let before = model
  do throws(Cancelled) {
    try index.withSavepoint { () throws(Cancelled) in
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if depth < 3, random.oneIn(4) {
          try nest(index, &model, &random, depth: depth + 1)
        } else {
          try change(index, &model, &random)
        }
      }
      if random.oneIn(4) { throw .onPurpose }
    }
  } catch {
    model = before
    guard error == .onPurpose else { throw error }
  }
}
