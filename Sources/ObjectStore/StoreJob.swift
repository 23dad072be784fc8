package import System

/// An operation that the helper carries out with one request, or two if the clock of this machine is wrong. The bytes
/// of an object that is stored are not in it: the helper asks for them (`StoreMessage.wanted`).
package enum StoreJob: Equatable, Sendable {
  case list(prefix: String, after: String?)
  case head(ObjectKey)
  case get(ObjectKey, range: Range<Int64>?)
  case put(ObjectKey, StoreHash, ifAbsent: Bool)
  case delete(ObjectKey)
  case setting(BucketSetting)

  /// Most bytes of a prefix or a place in a list.
  private static let mostNameBytes = 1024

  /// The kind of operation.
  package var action: StoreAction {
    switch self {
    case .list: .list
    case .head: .head
    case .get: .get
    case .put: .put
    case .delete: .delete
    case .setting: .settings
    }
  }

  /// What the request states of its body; without one, of no bytes.
  package var body: StoreHash {
    if case .put(_, let hash, _) = self { return hash }
    return .empty
  }

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(action.rawValue)
    switch self {
    case .list(let prefix, let after):
      writer.blob(prefix.utf8)
      writer.optional(after) { $0.blob($1.utf8) }
    case .head(let key), .delete(let key): writer.blob(key.text.utf8)
    case .get(let key, let range):
      writer.blob(key.text.utf8)
      writer.optional(range) {
        $0.append($1.lowerBound)
        $0.append($1.upperBound)
      }
    case .put(let key, let hash, let ifAbsent):
      writer.blob(key.text.utf8)
      writer.flag(ifAbsent)
      hash.encode(to: &writer)
    case .setting(let setting): writer.append(setting.rawValue)
    }
    return writer.bytes
  }
}

extension StoreJob {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard let action = StoreAction(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    switch action {
    case .list:
      let prefix = try reader.text(most: Self.mostNameBytes)
      self = .list(
        prefix: prefix,
        after: try reader.optional { (reader) throws(ByteReader.Malformed) in
          try reader.text(most: Self.mostNameBytes)
        })
    case .head: self = .head(try reader.key())
    case .get:
      let key = try reader.key()
      let range = try reader.optional { (reader) throws(ByteReader.Malformed) in
        let (start, end) = (try reader.read(Int64.self), try reader.read(Int64.self))
        guard start >= 0, end > start, end - start <= ObjectLimits.mostBytes else { throw ByteReader.Malformed() }
        return start..<end
      }
      self = .get(key, range: range)
    case .put:
      let key = try reader.key()
      let ifAbsent = try reader.flag()
      self = .put(key, try StoreHash(from: &reader), ifAbsent: ifAbsent)
    case .delete: self = .delete(try reader.key())
    case .settings:
      guard let setting = BucketSetting(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
      self = .setting(setting)
    }
    try reader.finish()
  }
}
