internal import ObjectStore
internal import Synchronization

/// A store that makes one attempt for each call.
///
/// An entity tag that is not the MD5 of the bytes means either that the engine stores encrypted objects under other tags,
/// or that it stored other bytes. The first such object is read back: if it has its bytes, later tags are not compared.
final class SingleAttempts: ObjectStore {
  private let pool: HelperPool
  private let hasOtherTags = Atomic<Bool>(false)

  init(_ pool: HelperPool) { self.pool = pool }

  func list(prefix: String, after: String?) throws(StoreError) -> ObjectPage {
    guard case .page(let page) = try pool.run(.list(prefix: prefix, after: after)) else { throw Self.wrongAnswer }
    return page
  }

  func head(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    do throws(StoreError) {
      return try entry(key)
    } catch .denied {
      // The reply to `head` gives no reason. The credentials may be wrong or have expired.
      _ = try pool.run(.get(key, range: 0..<1))
      return try entry(key)
    }
  }

  private func entry(_ key: ObjectKey) throws(StoreError) -> ObjectEntry {
    guard case .entry(let entry) = try pool.run(.head(key)) else { throw Self.wrongAnswer }
    return entry
  }

  func get(_ key: ObjectKey, range: Range<Int64>?) throws(StoreError) -> [UInt8] {
    if let range, range.isEmpty { return [] }
    if let range {
      precondition(range.lowerBound >= 0 && range.count <= ObjectLimits.mostBytes, "the range is too large")
    }
    guard case .bytes(let bytes, _) = try pool.run(.get(key, range: range)) else { throw Self.wrongAnswer }
    return bytes
  }

  func put(_ key: ObjectKey, _ content: HashedContent, ifAbsent: Bool) throws(StoreError) {
    precondition(content.bytes.count <= ObjectLimits.mostBytes, "the object is too large")
    let job = StoreJob.put(key, StoreHash(of: content), ifAbsent: ifAbsent)
    guard case .stored(let hasOtherTag) = try pool.run(job, sending: content.bytes) else { throw Self.wrongAnswer }
    guard hasOtherTag, !hasOtherTags.load(ordering: .relaxed) else { return }
    let comparison: ObjectComparison
    do throws(StoreError) {
      comparison = try ObjectComparison.of(key, content, in: self)
    } catch {
      throw .unknownOutcome
    }
    switch comparison {
    case .same: hasOtherTags.store(true, ordering: .relaxed)
    case .other: throw .keptOtherBytes
    case .absent: throw .unknownOutcome
    }
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    guard case .deleted = try pool.run(.delete(key)) else { throw Self.wrongAnswer }
  }

  // MARK: Probes

  /// Whether the store confirms an object with a wrong hash.
  func accepts(_ key: ObjectKey, _ content: HashedContent, stating stated: StatedHashes) throws(StoreError) -> Bool {
    let job = StoreJob.put(key, StoreHash(of: content, stating: stated), ifAbsent: false)
    do throws(StoreError) {
      guard case .stored = try pool.run(job, sending: content.bytes) else { throw Self.wrongAnswer }
      return true
    } catch {
      switch error {
      // Engines refuse it with different codes; a hash in the signature makes that a wrong one.
      case .damagedOnTheWay, .wrongCredentials, .denied, .refused, .brokenReply: return false
      default: throw error
      }
    }
  }

  /// The bytes of a range; nil if the store sends something else.
  func exactRange(_ key: ObjectKey, _ range: Range<Int64>) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      guard case .bytes(let bytes, let isFromWhole) = try pool.run(.get(key, range: range)) else {
        throw Self.wrongAnswer
      }
      return isFromWhole ? nil : bytes
    } catch {
      switch error {
      case .refused, .brokenReply(StoreReply.wrongRange): return nil
      default: throw error
      }
    }
  }

  /// Whether the store says that the bucket has a setting.
  ///
  /// - Throws: errors that may pass.
  func hasSetting(_ setting: BucketSetting) throws(StoreError) -> Bool {
    do throws(StoreError) {
      guard case .setting(let isOn) = try pool.run(.setting(setting)) else { throw Self.wrongAnswer }
      return isOn
    } catch {
      // A store that does not know the question may answer with a page.
      if case .brokenReply = error { return false }
      throw error
    }
  }

  private static var wrongAnswer: StoreError { .unavailable("it broke the protocol") }
}
