internal import System

/// A store that can be asked what it does with requests that are wrong, and how its bucket is set up.
package protocol ProbedStore: ObjectStore {
  /// Sends an object with a wrong hash, as if it had been damaged on the way.
  ///
  /// - Returns: whether the store confirmed it all the same.
  func accepts(_ key: ObjectKey, _ bytes: [UInt8], stating stated: StatedHashes) throws(StoreError) -> Bool

  /// The bytes of an object that are in the range; nil if the store sends another range, or the whole object.
  ///
  /// - Throws: `.notFound`.
  func exactRange(_ key: ObjectKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8]?

  /// Whether the store says that the bucket has a setting. Many stores do not know it, or permit few to ask.
  func hasSetting(_ setting: BucketSetting) -> Bool
}

extension ProbedStore {
  /// The settings that the store says the bucket has.
  ///
  /// - Parameter atOnce: whether it is asked for all of them at once.
  package func settings(atOnce: Bool) -> Set<BucketSetting> {
    let (keepsVersions, locksObjects) = concurrently(atOnce) { () -> Bool in
      self.hasSetting(.versioning)
    } and: { () -> Bool in
      self.hasSetting(.objectLock)
    }
    var found: Set<BucketSetting> = []
    if keepsVersions { found.insert(.versioning) }
    if locksObjects { found.insert(.objectLock) }
    return found
  }
}

/// A setting of a bucket that keeps what is deleted or replaced.
package enum BucketSetting: UInt8, CaseIterable, Sendable {
  /// Old versions of objects stay.
  case versioning = 1
  /// Objects cannot be deleted for some time after they were stored.
  case objectLock = 2

  /// Its name in requests.
  var name: String {
    switch self {
    case .versioning: "versioning"
    case .objectLock: "object-lock"
    }
  }
}
