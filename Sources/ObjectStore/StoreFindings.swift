/// The properties of a store that a probe found.
package struct StoreFindings: Equatable, Sendable {
  /// Whether the store refuses an object that was damaged on the way. If it does not, objects must be read back.
  package var checksContent = true
  /// Whether the store sends a part of an object if one is asked for.
  package var sendsRanges = true
  /// Whether the store says that it keeps old versions of objects.
  package var keepsVersions = false
  /// Whether the store says that objects cannot be deleted for some time.
  package var locksObjects = false
  /// The object of the probe, if the store does not permit deleting it.
  package var left: ObjectKey?

  /// Nothing to object to.
  package init() {}

  /// Notes what the store says of its bucket.
  package mutating func note(_ settings: Set<BucketSetting>) {
    keepsVersions = settings.contains(.versioning)
    locksObjects = settings.contains(.objectLock)
  }

  /// Whether the store permits deleting objects.
  package var permitsDeleting: Bool { left == nil }

  /// The properties that the user should know, in whole sentences.
  ///
  /// - Parameter place: names the store.
  package func sentences(for place: String) -> [String] {
    var sentences: [String] = []
    if !checksContent {
      sentences.append(
        "\(place) stores damaged objects as if they were right, so agonyfs reads back every file that it writes there.")
    }
    if !sendsRanges {
      sentences.append(
        "\(place) does not send parts of objects as they are asked for; it can hold copies, but cannot be mounted.")
    }
    if locksObjects {
      sentences.append(
        "\(place) locks objects: deleted and overwritten ones, with removed passwords, stay until their retention ends."
      )
    } else if keepsVersions {
      sentences.append(
        "\(place) keeps old versions of objects: deleted and overwritten ones, with removed passwords, stay until you "
          + "delete the versions.")
    }
    if left != nil {
      // Without the whole name, which is random, it is the same sentence in each run.
      sentences.append(
        "\(place) does not permit deleting with these credentials, so objects that are not needed any more stay, such as "
          + "one whose name begins with \(StoreProbe.prefix).")
    }
    return sentences
  }
}
