// Reads rows from single pages of a SQLite database, without the pages that lead to them.
//
// The layout is that of https://www.sqlite.org/fileformat2.html, with pages of 4096 bytes, no reserved bytes, and a
// pointer map (auto-vacuum).
//
// Invariants
// 1. Whatever a page contains, nothing outside it is read.
// 2. Pages that the pointer map or the list of free pages calls free are skipped: they contain deleted rows.

internal import Vault

struct SalvagedRow {
  /// The key of a table's row; nil in an index and in a table without one.
  var key: Int64?
  var values: [StoredValue]
}

/// The pages of a database, some of which may be missing.
struct DatabasePages {
  private static let size = Space.databasePageSize
  /// Entries of a page of the pointer map, 5 bytes each.
  private static let mapped = size / 5
  private static let freeKind: UInt8 = 2
  private static let bTreeKinds: Set<UInt8> = [1, 5]
  private static let tableLeaf: UInt8 = 0x0D
  private static let indexLeaf: UInt8 = 0x0A
  private static let indexInterior: UInt8 = 0x02

  private let store: any PageStore
  private let count: UInt32
  /// Pages that cannot be read.
  private(set) var unreadable: Set<UInt32> = []
  private var free: Set<UInt32> = []

  init(_ store: any PageStore) {
    self.store = store
    count = store.databasePageCount
    for number in 0..<count where page(number + 1) == nil { unreadable.insert(number + 1) }
    free = freePages()
  }

  /// Calls `body` for every row of every page that is in use.
  func forEachRow(_ body: (SalvagedRow) -> Void) {
    for offset in 0..<count {
      let number = offset + 1
      guard !free.contains(number), !Self.isMap(number), !unreadable.contains(number),
        mapEntry(of: number).map({ Self.bTreeKinds.contains($0) }) ?? true, let page = page(number)
      else { continue }
      rows(of: page, headerAt: number == 1 ? 100 : 0, body)
    }
  }

  private func page(_ number: UInt32) -> [UInt8]? {
    guard number > 0, number <= count else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.size)
    return unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(VaultError) {
        try unsafe store.readPage(PageNumber(rawValue: number), into: buffer)
        return true
      } catch {
        return false
      }
    } ? bytes : nil
  }

  private static func isMap(_ number: UInt32) -> Bool { number >= 2 && (number - 2) % UInt32(mapped + 1) == 0 }

  /// The kind of a page in the pointer map; nil when that cannot be read.
  private func mapEntry(of number: UInt32) -> UInt8? {
    guard number > 2 else { return 1 }
    let group = (number - 2) / UInt32(Self.mapped + 1)
    guard let map = page(2 + group * UInt32(Self.mapped + 1)) else { return nil }
    return map[5 * Int((number - 2) % UInt32(Self.mapped + 1) - 1)]
  }

  /// The free pages, from the list that begins in page 1 and from the pointer map.
  private func freePages() -> Set<UInt32> {
    var free: Set<UInt32> = []
    var trunk = page(1).map { Self.integer($0, 32) } ?? 0
    while trunk != 0, free.insert(trunk).inserted, let page = page(trunk) {
      for index in 0..<min(Int(Self.integer(page, 4)), Self.size / 4 - 2) {
        free.insert(Self.integer(page, 8 + 4 * index))
      }
      trunk = Self.integer(page, 0)
    }
    for offset in 0..<count where !Self.isMap(offset + 1) && mapEntry(of: offset + 1) == Self.freeKind {
      free.insert(offset + 1)
    }
    return free
  }

  private static func integer(_ page: [UInt8], _ offset: Int) -> UInt32 {
    guard offset >= 0, offset + 4 <= page.count else { return 0 }
    return page[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func rows(of page: [UInt8], headerAt header: Int, _ body: (SalvagedRow) -> Void) {
    let kind = page[header]
    guard kind == Self.tableLeaf || kind == Self.indexLeaf || kind == Self.indexInterior else { return }
    let cells = Int(page[header + 3]) << 8 | Int(page[header + 4])
    let pointers = header + (kind == Self.indexInterior ? 12 : 8)
    guard pointers + 2 * cells <= page.count else { return }
    for cell in 0..<cells {
      var reader = SalvageReader(page)
      reader.offset = Int(page[pointers + 2 * cell]) << 8 | Int(page[pointers + 2 * cell + 1])
      if kind == Self.indexInterior { reader.offset += 4 }
      guard let length = reader.variableInteger(), length >= 0, length < 1 << 24 else { continue }
      let key = kind == Self.tableLeaf ? reader.variableInteger() : nil
      guard let payload = payload(Int(length), at: reader, inTable: kind == Self.tableLeaf),
        let values = SalvageReader.record(payload)
      else { continue }
      body(SalvagedRow(key: key, values: values))
    }
  }

  /// The payload of a cell, including overflow pages; nil when a part of it is missing.
  private func payload(_ length: Int, at start: SalvageReader, inTable: Bool) -> [UInt8]? {
    var reader = start
    let most = inTable ? Self.size - 35 : (Self.size - 12) * 64 / 255 - 23
    if length <= most { return reader.bytes(length) }
    let least = (Self.size - 12) * 32 / 255 - 23
    let wanted = least + (length - least) % (Self.size - 4)
    guard var payload = reader.bytes(wanted <= most ? wanted : least), let pointer = reader.bytes(4) else { return nil }
    var next = Self.integer(pointer, 0)
    while payload.count < length {
      guard let page = page(next) else { return nil }
      payload += page[4..<min(page.count, 4 + length - payload.count)]
      next = Self.integer(page, 0)
    }
    return payload
  }
}

/// Reads SQLite's encodings within bounds.
struct SalvageReader {
  private let content: [UInt8]
  var offset = 0

  init(_ content: [UInt8]) { self.content = content }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, offset >= 0, offset + count <= content.count else { return nil }
    defer { offset += count }
    return Array(content[offset..<offset + count])
  }

  mutating func variableInteger() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard offset >= 0, offset < content.count else { return nil }
      let byte = content[offset]
      offset += 1
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// The values of a record; nil when it is malformed.
  static func record(_ payload: [UInt8]) -> [StoredValue]? {
    var header = SalvageReader(payload)
    guard let headerSize = header.variableInteger(), headerSize >= 1, headerSize <= payload.count else { return nil }
    var body = SalvageReader(payload)
    body.offset = Int(headerSize)
    var values: [StoredValue] = []
    while header.offset < Int(headerSize) {
      guard let type = header.variableInteger(), let value = body.value(ofType: type) else { return nil }
      values.append(value)
    }
    return header.offset == Int(headerSize) ? values : nil
  }

  private mutating func value(ofType type: Int64) -> StoredValue? {
    switch type {
    case 0: return .null
    case 8, 9: return .integer(type - 8)
    case 1...6:
      let size = [1, 2, 3, 4, 6, 8][Int(type) - 1]
      guard let bytes = bytes(size), let first = bytes.first else { return nil }
      let sign: Int64 = first >= 0x80 ? -1 : 0
      return .integer(bytes.reduce(sign) { $0 << 8 | Int64($1) })
    case 12...(1 << 25):
      guard let bytes = bytes(Int((type - 12) / 2)) else { return nil }
      return type.isMultiple(of: 2) ? .bytes(bytes) : .text(String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }
}
