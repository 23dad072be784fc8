// Finding the newest head by names alone.
//
// Invariants
// 1. Of the old heads those stay whose number is that of a kept head with low bits cleared, and the one before the newest. So the search by prefix
//    ends at the newest while none of them is lost.
// 2. Whatever that search finds, names are tried that can be there only when one of those heads is lost. So no single lost file hides a newer
//    state.
// 3. The number of names that are tried has a bound, some five hundred, and does not grow with the vault.

internal import Storage
internal import SystemPackage

extension Recovery {
  /// How many numbers behind the head that was found are tried one by one.
  private static let followingEpochs: UInt32 = 16
  private static let bits: UInt32 = 31

  /// The number of the newest head by its binary prefix. Nil when there is none. A lost head may hide newer ones from this search.
  func newestByPrefix() throws(VaultError) -> EpochNumber? {
    let newest = try extended(0, below: Self.bits)
    return newest == 0 ? nil : EpochNumber(rawValue: newest)
  }

  /// The number of the newest head that exists, also when one that leads there is lost. Nil when there is none.
  func newestExisting() throws(VaultError) -> EpochNumber? {
    var newest = try extended(0, below: Self.bits)
    while let further = try head(beyond: newest) { newest = further }
    return newest == 0 ? nil : EpochNumber(rawValue: newest)
  }

  /// Whether the file of a head is there.
  func exists(_ epoch: EpochNumber) throws(VaultError) -> Bool {
    do throws(Errno) {
      return try storage.exists(keys.headIdentifier(epoch))
    } catch {
      throw .system(error, "looking for the newest head")
    }
  }

  private func exists(_ number: UInt32) throws(VaultError) -> Bool { try exists(EpochNumber(rawValue: number)) }

  /// Sets those bits of `number` below `limit`, from the highest down, with which a head exists.
  private func extended(_ number: UInt32, below limit: UInt32) throws(VaultError) -> UInt32 {
    var newest = number
    for bit in (0..<limit).reversed() where try exists(newest | 1 << bit) { newest |= 1 << bit }
    return newest
  }

  /// A head with a higher number than `newest`. For each bit of which `newest` says that nothing is there, the head that would say otherwise may
  /// be lost: then one with a further bit exists, or, where the lost one was the newest of all, the one before it.
  private func head(beyond newest: UInt32) throws(VaultError) -> UInt32? {
    for bit in (0..<Self.bits).reversed() where newest >> bit & 1 == 0 {
      let prefix = (newest >> bit | 1) << bit
      if try exists(prefix) { return try extended(prefix, below: bit) }
      for further in (0..<bit).reversed() where try exists(prefix | 1 << further) {
        return try extended(prefix | 1 << further, below: further)
      }
      if prefix - 1 > newest, try exists(prefix - 1) { return prefix - 1 }
    }
    return try head(following: EpochNumber(rawValue: newest))?.rawValue
  }

  /// The highest number among the next few after `newest` of which there is a head.
  func head(following newest: EpochNumber) throws(VaultError) -> EpochNumber? {
    for step in (1...Self.followingEpochs).reversed() {
      let number = newest.rawValue + step
      if number < 1 << Self.bits, try exists(number) { return EpochNumber(rawValue: number) }
    }
    return nil
  }

  /// The number of the newest head by the headers of all files of the vault, whatever the search sees. Nil when there is none.
  func newestListed() throws(VaultError) -> EpochNumber? {
    guard let listed = try allHeads().last else { return try newestExisting() }
    return max(listed, try newestExisting() ?? listed)
  }

  /// The first number from `next` on that the search by prefix finds once a head has it: heads of all its prefixes exist.
  func searchable(from next: EpochNumber) throws(VaultError) -> EpochNumber {
    var number = next.rawValue
    var shift: UInt32 = 1
    while shift < Self.bits {
      let prefix = (number >> shift) << shift
      var isFound = prefix == 0 || prefix == number
      if !isFound { isFound = try exists(prefix) }
      if isFound {
        shift += 1
      } else {
        number = prefix + (1 << shift)
        shift = 1
      }
    }
    return EpochNumber(rawValue: number)
  }
}
