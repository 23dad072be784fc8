// Finds the newest head by names alone.
//
// Invariants
// 1. For every kept head, the heads whose numbers are its number with low bits cleared are kept as well, and so is the
//    head before the newest. While none of them is lost, the search by prefix ends at the newest head.
// 2. After that search, more names are tried: those that can exist only if one of these heads is lost. So no single
//    lost file hides a newer state.
// 3. At most some five hundred names are tried, whatever the size of the vault.

internal import Storage
internal import SystemPackage

extension Recovery {
  /// How many numbers after the found head are tried one by one.
  private static let followingEpochs: UInt32 = 16
  private static let bits: UInt32 = 31

  /// The number of the newest head, bit by bit from the highest. Nil when there is none. If a head is lost, this search
  /// may miss newer ones.
  func newestByPrefix() throws(VaultError) -> EpochNumber? {
    let newest = try extended(0, below: Self.bits)
    return newest == 0 ? nil : EpochNumber(rawValue: newest)
  }

  /// The number of the newest head that exists, even if a head that leads to it is lost. Nil when there is none.
  func newestExisting() throws(VaultError) -> EpochNumber? {
    var newest = try extended(0, below: Self.bits)
    while let further = try head(beyond: newest) { newest = further }
    return newest == 0 ? nil : EpochNumber(rawValue: newest)
  }

  /// Whether the file of a head exists.
  func exists(_ epoch: EpochNumber) throws(VaultError) -> Bool {
    try attempt("looking for the newest head") { () throws(Errno) in
      try context.storage.exists(context.keys.headIdentifier(epoch))
    }
  }

  private func exists(_ number: UInt32) throws(VaultError) -> Bool { try exists(EpochNumber(rawValue: number)) }

  /// Sets every bit of `number` below `limit`, from the highest down, for which a head with that bit exists.
  private func extended(_ number: UInt32, below limit: UInt32) throws(VaultError) -> UInt32 {
    var newest = number
    for bit in (0..<limit).reversed() where try exists(newest | 1 << bit) { newest |= 1 << bit }
    return newest
  }

  /// A head with a higher number than `newest`. For each zero bit of `newest`, the head with that bit set may be lost.
  /// Then a head with one more bit exists, or, if the lost head was the newest of all, the head before it.
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

  /// The highest of the next few numbers after `newest` that has a head.
  func head(following newest: EpochNumber) throws(VaultError) -> EpochNumber? {
    for step in (1...Self.followingEpochs).reversed() {
      let number = newest.rawValue + step
      if number < 1 << Self.bits, try exists(number) { return EpochNumber(rawValue: number) }
    }
    return nil
  }

  /// The number of the newest head, from the headers of all files in the vault. Nil when there is none.
  func newestListed() throws(VaultError) -> EpochNumber? {
    guard let listed = try allHeads().last else { return try newestExisting() }
    return max(listed, try newestExisting() ?? listed)
  }

  /// The first number from `next` on at which the search by prefix finds a new head: all its prefixes have heads.
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
