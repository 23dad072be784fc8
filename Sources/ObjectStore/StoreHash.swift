internal import Crypto
internal import System

/// Which of the hashes that a request states are those of its object. Only a probe states a wrong one.
package enum StatedHashes: Sendable {
  case right
  case wrongMD5
  case wrongSHA256
}

/// The size and the hashes that a request states of its object. The helper believes them: with a wrong one the store
/// refuses the object.
package struct StoreHash: Equatable, Sendable {
  /// Those of no bytes.
  package static let empty = StoreHash(size: 0, md5: nil, sha256: SHAHasher.sha256(of: []))

  /// Bytes of the object.
  package let size: Int
  /// The MD5; nil if the library refuses it.
  package let md5: [UInt8]?
  /// The SHA-256.
  package let sha256: [UInt8]

  private init(size: Int, md5: [UInt8]?, sha256: [UInt8]) {
    (self.size, self.md5, self.sha256) = (size, md5, sha256)
  }

  /// Those of a content, of which one may be stated wrongly.
  package init(of content: HashedContent, stating stated: StatedHashes = .right) {
    let md5 = stated == .wrongMD5 ? content.md5.map { Self.wrong($0) } : content.md5
    let sha256 = stated == .wrongSHA256 ? Self.wrong(content.sha256) : content.sha256
    self.init(size: content.bytes.count, md5: md5, sha256: sha256)
  }

  private static func wrong(_ hash: [UInt8]) -> [UInt8] { hash.map { ~$0 } }

  /// The SHA-256 in hexadecimal digits, which the signature covers.
  package var signed: String { Hexadecimal.text(of: sha256) }
  /// The MD5 in base 64, for Content-MD5.
  package var md5Text: String? { md5.map { Base64.text(of: $0) } }
}

extension StoreHash {
  func encode(to writer: inout ByteWriter) {
    writer.append(UInt32(size))
    writer.append(sha256)
    writer.optional(md5) { $0.append($1) }
  }

  init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    let size = Int(try reader.read(UInt32.self))
    guard size <= ObjectLimits.mostBytes else { throw ByteReader.Malformed() }
    let sha256 = try reader.readBytes(ObjectEntry.sha256Count)
    let md5 = try reader.optional { (reader) throws(ByteReader.Malformed) in
      try reader.readBytes(ObjectEntry.md5Count)
    }
    self.init(size: size, md5: md5, sha256: sha256)
  }
}
