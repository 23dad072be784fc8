/// A part of a list as the XML of ListObjectsV2 has it, before it is checked.
package struct ListedObjects: Sendable {
  /// An object in it.
  package struct Object: Sendable {
    /// Its whole name in the bucket.
    package var name = ""
    /// Its size in decimal digits.
    package var size = ""
    /// Its entity tag.
    package var tag = ""

    /// An object without facts.
    package init() {}
  }

  /// The objects in the order of the reply.
  package var objects: [Object] = []
  /// Whether further objects follow; nil if the reply does not say it.
  package var isTruncated: Bool?

  /// An empty list.
  package init() {}

  /// Checks the list, and returns the part of it with names below a prefix of the store.
  ///
  /// - Throws: `.brokenReply` unless all names have the prefix and come after `after` in the order of their bytes. A list
  ///   that says that more follows must have names, so that callers come to an end.
  package func page(
    _ address: StoreAddress, prefix: String, after: String?
  ) throws(StoreError) -> ObjectPage {
    guard let isTruncated, objects.count <= ObjectLimits.mostEntries, !isTruncated || !objects.isEmpty else {
      throw .brokenReply("a list without an end")
    }
    let beginning = address.prefix.isEmpty ? "" : address.prefix + "/"
    var last = after.map { Array($0.utf8) }
    var entries: [ObjectEntry] = []
    for object in objects {
      guard object.name.utf8.starts(with: (beginning + prefix).utf8),
        let name = String(validating: object.name.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
      else { throw .brokenReply("a list of other names") }
      if let last, !last.lexicographicallyPrecedes(name.utf8) { throw .brokenReply("a list in another order") }
      last = Array(name.utf8)
      guard let key = ObjectKey(name) else { continue }
      guard object.size.allSatisfy({ $0.isASCII && $0.isNumber }), let size = Int64(object.size) else {
        throw .brokenReply("a list without sizes")
      }
      entries.append(ObjectEntry(key: key, size: size, md5: StoreReply.md5(ofTag: object.tag)))
    }
    return ObjectPage(entries: entries, next: isTruncated ? last.map { String(decoding: $0, as: UTF8.self) } : nil)
  }
}
