package import System

/// The result of a job.
package enum StoreAnswer: Equatable, Sendable {
  /// Of `list`.
  case page(ObjectPage)
  /// Of `head`.
  case entry(ObjectEntry)
  /// Of `get`, and whether the store sent the whole object although a range was asked for.
  case bytes([UInt8], isFromWhole: Bool = false)
  /// Of `put`: whether the entity tag has the form of an MD5, and not that of the bytes.
  case stored(hasOtherTag: Bool)
  /// Of `delete`.
  case deleted
  /// Of `setting`: whether the store says that the bucket has it.
  case setting(isOn: Bool)

  /// Most bytes of a place in a list.
  private static let mostNameBytes = 1024

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .page(let page):
      writer.append(StoreAction.list.rawValue)
      writer.optional(page.next) { $0.blob($1.utf8) }
      writer.append(UInt32(page.entries.count))
      for entry in page.entries { entry.encode(to: &writer) }
    case .entry(let entry):
      writer.append(StoreAction.head.rawValue)
      entry.encode(to: &writer)
    case .bytes(let bytes, let isFromWhole):
      writer.append(StoreAction.get.rawValue)
      writer.flag(isFromWhole)
      writer.append(bytes)
    case .stored(let hasOtherTag):
      writer.append(StoreAction.put.rawValue)
      writer.flag(hasOtherTag)
    case .deleted: writer.append(StoreAction.delete.rawValue)
    case .setting(let isOn):
      writer.append(StoreAction.settings.rawValue)
      writer.flag(isOn)
    }
    return writer.bytes
  }
}

extension StoreAnswer {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard let action = StoreAction(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    switch action {
    case .list:
      let next = try reader.optional { (reader) throws(ByteReader.Malformed) in
        try reader.text(most: Self.mostNameBytes)
      }
      let count = try reader.read(UInt32.self)
      guard count <= ObjectLimits.mostEntries else { throw ByteReader.Malformed() }
      var entries: [ObjectEntry] = []
      for _ in 0..<count { entries.append(try ObjectEntry(from: &reader)) }
      self = .page(ObjectPage(entries: entries, next: next))
    case .head: self = .entry(try ObjectEntry(from: &reader))
    case .get:
      let isFromWhole = try reader.flag()
      self = .bytes(try reader.rest(), isFromWhole: isFromWhole)
    case .put: self = .stored(hasOtherTag: try reader.flag())
    case .delete: self = .deleted
    case .settings: self = .setting(isOn: try reader.flag())
    }
    try reader.finish()
  }
}

extension ObjectEntry {
  fileprivate func encode(to writer: inout ByteWriter) {
    writer.blob(key.text.utf8)
    writer.append(size)
    writer.optional(md5) { $0.blob($1) }
    writer.optional(sha256) { $0.blob($1) }
  }

  fileprivate init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    let key = try reader.key()
    let size = try reader.read(Int64.self)
    guard size >= 0 else { throw ByteReader.Malformed() }
    let md5 = try reader.hash(Self.md5Count)
    self.init(key: key, size: size, md5: md5, sha256: try reader.hash(Self.sha256Count))
  }
}

extension ByteReader {
  /// Reads whether there is a hash of `count` bytes, and the hash.
  fileprivate mutating func hash(_ count: Int) throws(Malformed) -> [UInt8]? {
    let hash = try optional { (reader) throws(Malformed) in try reader.blob(most: count) }
    guard hash.map({ $0.count == count }) ?? true else { throw Malformed() }
    return hash
  }
}
