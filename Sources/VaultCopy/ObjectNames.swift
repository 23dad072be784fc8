internal import ObjectStore
internal import Storage

/// The names of the objects of a vault: the paths of its files.
enum ObjectNames {
  /// The parameters.
  static let parameters = key(StorageNames.parameters)
  /// The mark of an incomplete copy.
  static let marker = key(StorageNames.copyMarker)
  /// The token of a sync.
  static let token = key(StorageNames.synced)

  /// The object that a file is.
  static func key(of identifier: SegmentIdentifier) -> ObjectKey {
    key(StorageNames.segments + "/" + identifier.path)
  }

  private static func key(_ path: String) -> ObjectKey {
    guard let key = ObjectKey(path) else { preconditionFailure("a path in a vault is not a key") }
    return key
  }

  /// The file that an object is; nil for objects with other names.
  static func identifier(of key: ObjectKey) -> SegmentIdentifier? {
    guard let name = key.text.split(separator: "/").last, let identifier = SegmentIdentifier(name: name.utf8),
      Self.key(of: identifier) == key
    else { return nil }
    return identifier
  }
}
