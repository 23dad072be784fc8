/// A bucket, or a part of one, that holds objects: bytes under a key, written and read as a whole or in ranges.
///
/// 1. An object is written whole or not at all, and `put` returns only if the store confirmed that it holds exactly
///    these bytes.
/// 2. Of several writers that `put` different bytes under one key with `ifAbsent`, at most one returns normally, even
///    if replies are lost. The others throw `.alreadyThere`. A writer whose bytes are already there returns normally,
///    so bytes that must tell writers apart hold a random number.
/// 3. `.unknownOutcome` means that a change may have happened, may happen later, or not at all.
/// 4. Nothing is trusted that a store returns: callers authenticate the bytes, and sizes and lists are hints.
///
/// Methods may be called by several threads at once, and may wait for the network.
package protocol ObjectStore: Sendable {
  /// Objects whose keys begin with `prefix`, which may be empty, in the order of their keys.
  ///
  /// - Parameter after: the `next` of the previous part; nil for the first part.
  func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage

  /// The facts about an object.
  ///
  /// - Throws: `.notFound`.
  func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry

  /// The bytes of an object that are in the range, or all of them without a range. Fewer bytes than the range has are
  /// returned only if the object ends before.
  ///
  /// - Throws: `.notFound`.
  func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8]

  /// Stores an object.
  ///
  /// - Parameter ifAbsent: whether an object under that key with other bytes stays, and is `.alreadyThere`. Otherwise
  ///   it is replaced.
  func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError)

  /// Deletes an object. An object that does not exist is not an error.
  func delete(_ key: ObjectKey) throws(StoreError)
}

extension ObjectStore {
  /// Stores an object whose hashes nobody knows yet.
  package func put(_ key: ObjectKey, _ bytes: [UInt8], ifAbsent: Bool) throws(StoreError) {
    try put(key, HashedContent(bytes), ifAbsent: ifAbsent)
  }
}

/// Limits of every store.
package enum ObjectLimits {
  /// Most bytes of an object.
  package static let mostBytes = 64 << 20
  /// Most objects in a part of a list.
  package static let mostEntries = 1000
}
