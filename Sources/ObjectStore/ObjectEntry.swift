/// The facts that a store gives about an object.
package struct ObjectEntry: Equatable, Sendable {
  /// Bytes of an MD5.
  package static let md5Count = 16
  /// Bytes of a SHA-256.
  package static let sha256Count = 32

  /// The object's name.
  package var key: ObjectKey
  /// Bytes of its content.
  package var size: Int64
  /// The entity tag, if it has the form of an MD5. It is the MD5 of the content unless the engine encrypts with keys of
  /// a key service, so a different tag does not prove a different content.
  package var md5: [UInt8]?
  /// The SHA-256 that the engine stored for the content; nil for the many that store none.
  package var sha256: [UInt8]?

  /// The facts about an object.
  package init(key: ObjectKey, size: Int64, md5: [UInt8]? = nil, sha256: [UInt8]? = nil) {
    self.key = key
    self.size = size
    self.md5 = md5
    self.sha256 = sha256
  }
}

/// A part of a list of objects.
package struct ObjectPage: Equatable, Sendable {
  /// Objects in the order of their keys. Objects whose names are not an `ObjectKey` are left out: agonyfs did not make
  /// them.
  package var entries: [ObjectEntry]
  /// Pass it to `list` for the next part; nil after the last part.
  package var next: String?

  /// A part of a list.
  package init(entries: [ObjectEntry], next: String?) {
    self.entries = entries
    self.next = next
  }
}
