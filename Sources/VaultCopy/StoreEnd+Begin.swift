internal import ObjectStore
internal import Storage
internal import Synchronization
internal import System

extension StoreEnd {
  /// The error of a store that does not know `If-None-Match`, with the status 501.
  private static let unknownCondition = "NotImplemented"

  package func begin(_ parameters: [UInt8], accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    switch try look(accepts) {
    case .vault(let there): return there
    case .unfinished: return nil
    case .nothing: break
    }
    let marker = ObjectNames.marker
    do throws(StoreError) {
      try store.put(marker, parameters, ifAbsent: true)
      hasMarked.store(true, ordering: .relaxed)
    } catch .alreadyThere {
      guard let there = try reader.read(marker, nil), accepts(there.bytes) else { throw .otherVault(place) }
    } catch .refused(let code) where code == Self.unknownCondition {
      // The list was empty. What another first copy stored since is noticed if it came last. So whose mark it is stays
      // unknown, and it is not withdrawn.
      try attempt { () throws(StoreError) in try store.put(marker, parameters, ifAbsent: false) }
      guard let there = try reader.read(marker, nil), accepts(there.bytes) else { throw .otherVault(place) }
    } catch {
      throw .store(error, address)
    }
    return nil
  }

  package func check(accepts: ([UInt8]) -> Bool) throws(CopyError) -> [UInt8]? {
    if case .vault(let there) = try look(accepts) { return there }
    return nil
  }

  /// Deletes the mark if this run stored it, and no run has sent a file since: a mark that was there, or under which
  /// another run went on, is that of the other one.
  package func withdraw() {
    guard hasMarked.load(ordering: .relaxed) else { return }
    let page = try? store.list(prefix: StorageNames.segments + "/", after: nil)
    if let page, page.entries.isEmpty { deleteMark() }
  }

  /// What a prefix has.
  private enum Content {
    /// A vault with these parameters.
    case vault([UInt8])
    /// A copy that was never completed.
    case unfinished
    case nothing
  }

  /// Looks at the place, and asks once for the settings of the bucket: afterwards, so that what is wrong is said first,
  /// or meanwhile in one connection more, which later requests find open.
  private func look(_ accepts: ([UInt8]) -> Bool) throws(CopyError) -> Content {
    guard let probed = store as? any ProbedStore, settings.withLock({ $0 }) == nil else { return try content(accepts) }
    guard atOnce else {
      let there = try content(accepts)
      let found = probed.settings(atOnce: false)
      settings.withLock { $0 = found }
      return there
    }
    let (found, there) = try concurrently(true) { () throws(CopyError) -> Set<BucketSetting> in
      probed.settings(atOnce: false)
    } and: { () throws(CopyError) -> Content in
      try content(accepts)
    }
    settings.withLock { $0 = found }
    return there
  }

  private func content(_ accepts: ([UInt8]) -> Bool) throws(CopyError) -> Content {
    if let there = try readParameters() {
      guard accepts(there) else { throw .otherVault(place) }
      hadVault.store(true, ordering: .relaxed)
      return .vault(there)
    }
    let (marker, page) = try concurrently(atOnce) { () throws(CopyError) -> HashedContent? in
      try self.reader.read(ObjectNames.marker, nil)
    } and: { () throws(CopyError) -> ObjectPage in
      try attempt { () throws(StoreError) in try store.list(prefix: "", after: nil) }
    }
    if let marker {
      guard accepts(marker.bytes) else { throw .otherVault(place) }
      return .unfinished
    }
    // A request whose reply was lost may have stored the mark since.
    let own = [ObjectNames.marker, ObjectNames.token]
    guard page.entries.allSatisfy({ own.contains($0.key) || StoreProbe.isOwn($0.key) }) else { throw .notEmpty(place) }
    return .nothing
  }
}
