internal import System

/// Finds out whether a store can be trusted with files: what it does with damaged objects and ranges, whether it shows
/// changes at once, and whether it keeps what is deleted. It takes about ten requests, in six steps.
///
/// 1. It changes only objects with its own names. It deletes its object after success and failure; without permission
///    to delete, later probes use the same few names.
/// 2. Two probes with one object disturb each other. If the other one may be the reason of what is seen, the probe
///    begins again with another object.
/// 3. What is asked at once does not change what is found. The damaged object is sent while the right one is read; a
///    store that takes it may send it already. A store may hide or cut the right one meanwhile; so it is asked again if
///    what it sent is not good.
package struct StoreProbe: Sendable {
  /// How often it begins, and how often it reads bytes that may have been damaged on the way.
  private static let rounds = 3
  private static let readings = 3
  private static let counts = 64...127
  private static let range: Range<Int64> = 16..<40
  /// What the names of its objects begin with.
  static let prefix = "agonyfs-probe-"
  private static let keys = (0..<16).compactMap { ObjectKey(prefix + String($0, radix: 16)) }

  private let store: any ProbedStore
  private let atOnce: Bool

  /// A probe of a store that takes objects.
  ///
  /// - Parameter atOnce: whether requests that do not depend on each other are made at once.
  package init(_ store: any ProbedStore, atOnce: Bool = true) { (self.store, self.atOnce) = (store, atOnce) }

  /// Whether an object is that of a probe.
  package static func isOwn(_ key: ObjectKey) -> Bool { keys.contains(key) }

  /// Probes the store.
  ///
  /// - Parameter known: the settings of the bucket; nil to ask for them.
  /// - Throws: `.lags`; errors of the operations.
  package func run(knowing known: Set<BucketSetting>? = nil) throws(StoreError) -> StoreFindings {
    let (settings, found) = try concurrently(atOnce && known == nil) { () throws(StoreError) -> Set<BucketSetting> in
      known ?? store.settings(atOnce: atOnce)
    } and: { () throws(StoreError) -> StoreFindings in
      try probe()
    }
    var findings = found
    findings.note(settings)
    return findings
  }

  /// Probes with one object, and with others if that was not possible.
  private func probe() throws(StoreError) -> StoreFindings {
    var findings = StoreFindings()
    var last = StoreError.lags
    for key in Self.keys.shuffled().prefix(Self.rounds) {
      do throws(StoreError) {
        guard let reason = try probe(key, &findings) else { return findings }
        last = reason
      } catch {
        // A store that did not answer for minutes is not waited for again.
        if !error.isTemporary { try? store.delete(key) }
        throw error
      }
      try? store.delete(key)
    }
    throw last
  }

  /// Probes with an object.
  ///
  /// - Returns: nil if that was possible; otherwise the reason to begin again, and to fail if it stays.
  private func probe(_ key: ObjectKey, _ findings: inout StoreFindings) throws(StoreError) -> StoreError? {
    let (first, second, third) = (Self.randomBytes(), Self.randomBytes(), Self.randomBytes())
    let own = [first, second, third]
    do throws(StoreError) {
      try store.put(key, first, ifAbsent: false)
    } catch {
      // An earlier probe may have left the object, and it may not be replaced.
      guard Self.isRefusal(error), try listed(key) != nil else { throw error }
      return error
    }
    guard try listed(key)?.size == Int64(first.count) else {
      let seen = try bytes(of: key, own)
      if seen == first { throw .lags }
      return Self.reason(seen)
    }
    let isReplaced = try replaces(key, second)
    let current = isReplaced ? second : first
    let damaged = isReplaced ? key : nil
    let (meanwhile, (sentRange, takesDamage)) = try concurrently(atOnce) { () throws(StoreError) -> [UInt8]? in
      try bytes(of: key, own)
    } and: { () throws(StoreError) -> (Bool, Bool) in
      try concurrently(atOnce) { () throws(StoreError) -> Bool in
        try sendsRanges(of: key, [current, third])
      } and: { () throws(StoreError) -> Bool in
        try accepts(third, stating: .wrongMD5, in: damaged)
      }
    }
    let right: [[UInt8]?] = isReplaced && takesDamage ? [current, third] : [current]
    var (seen, sendsRange) = (meanwhile, sentRange)
    if atOnce {
      // The bytes before the last change are a lag all the same.
      if !right.contains(seen), seen != first { seen = try bytes(of: key, own) }
      if !sendsRange { sendsRange = try sendsRanges(of: key, [current, third]) }
    }
    if isReplaced, seen == first { throw .lags }
    guard right.contains(seen) else { return Self.reason(seen) }
    if !sendsRange {
      let seen = try bytes(of: key, own)
      guard right.contains(seen) else { return Self.reason(seen) }
    }
    findings.sendsRanges = sendsRange
    findings.checksContent = true
    if takesDamage { findings.checksContent = try !accepts(third, stating: .wrongSHA256, in: damaged) }
    return try delete(key, own, &findings)
  }

  /// Replaces the object; false if the bucket permits new objects only.
  private func replaces(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try store.put(key, bytes, ifAbsent: false)
      return true
    } catch {
      guard Self.isRefusal(error) else { throw error }
      return false
    }
  }

  /// Whether the store confirms bytes with a wrong hash, in an object or, without one, in a new one. True if there is
  /// no name for a new one.
  private func accepts(
    _ bytes: [UInt8], stating stated: StatedHashes, in key: ObjectKey?
  ) throws(StoreError) -> Bool {
    if let key { return try store.accepts(key, bytes, stating: stated) }
    for new in Self.keys.shuffled() where try listed(new) == nil {
      let isAccepted = try store.accepts(new, bytes, stating: stated)
      try? store.delete(new)
      return isAccepted
    }
    return true
  }

  /// Whether the store does not permit a request.
  private static func isRefusal(_ error: StoreError) -> Bool {
    switch error {
    case .denied, .refused: true
    default: false
    }
  }

  /// Deletes the object.
  ///
  /// - Returns: nil if it is gone or has to stay; otherwise the reason to begin again.
  private func delete(
    _ key: ObjectKey, _ own: [[UInt8]], _ findings: inout StoreFindings
  ) throws(StoreError) -> StoreError? {
    do throws(StoreError) {
      try store.delete(key)
    } catch {
      guard Self.isRefusal(error) else { throw error }
      findings.left = key
      return nil
    }
    if try listed(key) == nil { return nil }
    // Another probe may have stored it since, and may have deleted it again.
    let seen = try bytes(of: key, own)
    if let seen, own.contains(seen) { throw .lags }
    return Self.reason(seen)
  }

  /// The reason that bytes other than those of this probe are, or none.
  private static func reason(_ seen: [UInt8]?) -> StoreError {
    seen == nil ? .lags : .brokenReply("an object that changes")
  }

  private func listed(_ key: ObjectKey) throws(StoreError) -> ObjectEntry? {
    try store.list(prefix: key.text, after: nil).entries.first { $0.key == key }
  }

  /// The bytes of the object, read until they are of this probe; nil if there is none.
  private func bytes(of key: ObjectKey, _ own: [[UInt8]]) throws(StoreError) -> [UInt8]? {
    var seen: [UInt8] = []
    do throws(StoreError) {
      for _ in 0..<Self.readings {
        seen = try store.get(key, range: nil)
        if own.contains(seen) { break }
      }
    } catch .notFound {
      return nil
    }
    return seen
  }

  /// Whether the store sends the range of the object, which is one of these.
  private func sendsRanges(of key: ObjectKey, _ objects: [[UInt8]]) throws(StoreError) -> Bool {
    let wanted = objects.map { Array($0[Int(Self.range.lowerBound)..<Int(Self.range.upperBound)]) }
    do throws(StoreError) {
      for _ in 0..<Self.readings {
        if let part = try store.exactRange(key, Self.range), wanted.contains(part) { return true }
      }
    } catch .notFound {
      return false
    }
    return false
  }

  private static func randomBytes() -> [UInt8] {
    (0..<Int.random(in: counts)).map { _ in UInt8.random(in: 0...(.max)) }
  }
}
