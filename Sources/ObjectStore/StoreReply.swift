internal import System

/// A reply of a store, as the transport received it whole. Its fields are an attacker's until they are checked.
package struct StoreReply: Sendable {
  /// The HTTP status.
  package var status: Int
  /// The time that the store states.
  package var date: RequestTime?
  /// The value of Content-Length; nil without one.
  package var contentLength: Int64?
  /// Values of headers; empty without one.
  package var entityTag = ""
  package var contentRange = ""
  package var region = ""
  package var checksum = ""
  /// The error that the body describes: its code, and the region that it names.
  package var errorCode: String?
  package var errorRegion: String?
  /// The body.
  package var body: [UInt8] = []

  /// A reply without headers and body.
  package init(status: Int) { self.status = status }
}

extension StoreReply {
  /// The MD5 that the entity tag states, if it has that form. Tags of objects that were written in parts have not.
  package var md5: [UInt8]? { Self.md5(ofTag: entityTag) }

  /// The MD5 that an entity tag states, with or without its quotes.
  package static func md5(ofTag tag: String) -> [UInt8]? {
    var digits = tag[...]
    if digits.count > 1, digits.hasPrefix("\""), digits.hasSuffix("\"") { digits = digits.dropFirst().dropLast() }
    guard let bytes = Hexadecimal.bytes(of: digits.lowercased().utf8), bytes.count == ObjectEntry.md5Count else {
      return nil
    }
    return bytes
  }

  /// Checks a reply to `head`, and returns the facts in it.
  package func entry(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    guard status == 200 else { throw failure(of: .head) }
    guard let contentLength, contentLength >= 0 else { throw .brokenReply("no length") }
    // Every engine sends one, and the page of a proxy has none.
    guard !entityTag.isEmpty else { throw .brokenReply("no entity tag") }
    return ObjectEntry(
      key: key, size: contentLength, md5: md5, sha256: Base64.bytes(of: checksum, count: ObjectEntry.sha256Count))
  }

  /// The text of `.brokenReply` for another range than was asked for.
  package static let wrongRange = "wrong range"

  /// Checks a reply to `get`, and returns the bytes of the range.
  package func bytes(_ range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    // The object ends before the range.
    if status == 416, range != nil { return [] }
    guard status == 200 || status == 206 else { throw failure(of: .get) }
    guard !entityTag.isEmpty else { throw .brokenReply("no entity tag") }
    guard let contentLength, contentLength == Int64(body.count) else { throw .brokenReply("wrong length") }
    guard status == 206 else {
      // An engine may ignore the range.
      guard let range else { return body }
      let part = range.clamped(to: 0..<contentLength)
      return Array(body[Int(part.lowerBound)..<Int(part.upperBound)])
    }
    guard let range, let (sent, total) = Self.parts(ofRange: contentRange), sent.lowerBound == range.lowerBound,
      sent.count == body.count, sent.upperBound == min(range.upperBound, total)
    else { throw .brokenReply(Self.wrongRange) }
    return body
  }

  /// Checks a reply to `put` of bytes with this MD5.
  ///
  /// - Returns: whether the entity tag states another MD5.
  package func isStoredWithOtherTag(than own: [UInt8]?) throws(StoreError) -> Bool {
    guard status == 200 else { throw failure(of: .put) }
    // Proxies and engines report failures with this status, too.
    guard errorCode == nil, !entityTag.isEmpty, body.allSatisfy({ [0x0a, 0x0d, 0x20].contains($0) }) else {
      throw .unknownOutcome
    }
    guard let md5, let own else { return false }
    return md5 != own
  }

  /// Checks a reply to `delete`.
  package func deleted() throws(StoreError) {
    if status == 404, errorCode == "NoSuchKey" { return }
    guard status == 204 || status == 200 else { throw failure(of: .delete) }
    guard errorCode == nil else { throw .unknownOutcome }
  }

  /// Checks a reply to `setting`.
  ///
  /// - Parameter isOn: what its body says; nil if it is not XML.
  package func setting(_ isOn: Bool?) throws(StoreError) -> Bool {
    guard status == 200, errorCode == nil else { throw failure(of: .settings) }
    guard let isOn else { throw .brokenReply("no settings") }
    return isOn
  }

  /// Reads the value of Content-Range: `bytes 0-9/100`.
  private static func parts(ofRange text: String) -> (sent: Range<Int64>, total: Int64)? {
    guard text.hasPrefix("bytes ") else { return nil }
    let words = text.dropFirst(6).split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
    let numbers = words.compactMap { word in word.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(word) : nil }
    guard words.count == 3, numbers.count == 3, numbers[0] <= numbers[1], numbers[1] < numbers[2] else { return nil }
    return (numbers[0]..<(numbers[1] + 1), numbers[2])
  }
}
