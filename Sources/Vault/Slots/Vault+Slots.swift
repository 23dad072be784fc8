// Invariants
// 1. No slot file that is read or written here stays in the host's memory, because it is read only once.

package import Crypto
package import Storage
internal import SystemPackage

/// A slot that a password opened.
package struct OpenedSlot: Sendable {
  /// The names and the key of its files.
  package let key: SlotKey
  /// The content of its files.
  package let body: SlotBody
  /// The files of the slot that do not exist.
  package let missing: [SegmentIdentifier]
  /// The files of the slot that exist but do not hold the body.
  package let damaged: [SegmentIdentifier]
  /// The damaged files that are short: a crash interrupted their writing, or a copy is not finished.
  package let short: [SegmentIdentifier]

  /// The slot with another body, which both files hold.
  package func holding(_ body: SlotBody) -> OpenedSlot {
    body.equals(self.body) ? self : OpenedSlot(key: key, body: body, missing: [], damaged: [], short: [])
  }
}

/// Reads, writes and deletes the slots of passwords.
extension Vault {
  /// The slots of a password, one for each key derivation and each of its forms. The amount of work depends only on the
  /// password.
  ///
  /// - Throws: `.system` when there is not enough memory for the derivation; `.derivationsTooWeak`.
  package func slotKeys(for password: Password) throws(VaultError) -> [SlotKey] {
    var slots: [SlotKey] = []
    if derivations.isEmpty { throw .derivationsTooWeak }
    for form in password.forms {
      for derivation in derivations {
        guard let derived = derivation.derive(form) else {
          throw .system(.noMemory, "allocating \(derivation.memory >> 20) MiB to derive the key")
        }
        slots.append(
          SlotKey(derived: derived, by: derivation, associatedData: parameters.slotAssociatedData(derivation)))
      }
    }
    return slots
  }

  /// Opens the first of `slots` with a file that authenticates. Looks for all files of all slots, no matter which
  /// exist.
  ///
  /// - Throws: `.noSpaceOpens` when there is none; `.damaged` when something other than a file is in its place.
  package func openSlot(_ slots: [SlotKey]) throws(VaultError) -> OpenedSlot {
    var opened: OpenedSlot?
    var isReplaced = false
    for slot in slots {
      let found = try slotFiles(of: slot)
      isReplaced = isReplaced || found.contains(where: \.isReplaced)
      guard opened == nil, let body = found.compactMap(\.body).first else { continue }
      var missing: [SegmentIdentifier] = []
      var damaged: [SegmentIdentifier] = []
      for file in found {
        if !file.exists {
          missing.append(file.identifier)
        } else if file.body?.encoded.equals(body.encoded) != true {
          damaged.append(file.identifier)
        }
      }
      let short = found.filter { $0.isShort && damaged.contains($0.identifier) }.map(\.identifier)
      opened = OpenedSlot(key: slot, body: body, missing: missing, damaged: damaged, short: short)
    }
    if let opened { return opened }
    throw isReplaced ? .damaged("the slot file of this password is not a regular file") : .noSpaceOpens
  }

  private struct SlotFile {
    let identifier: SegmentIdentifier
    let exists: Bool
    var isReplaced = false
    var isShort = false
    var body: SlotBody?
  }

  private func slotFiles(of slot: SlotKey) throws(VaultError) -> [SlotFile] {
    var found: [SlotFile] = []
    for identifier in slot.identifiers {
      let file: any SegmentReader
      do throws(Errno) {
        file = try storage.open(identifier)
      } catch {
        found.append(
          SlotFile(
            identifier: identifier, exists: error != .noSuchFileOrDirectory, isReplaced: error == .notRegularFile))
        continue
      }
      // Only the index knows the slots of an older space, and the space is closed when its files are taken out of
      // memory.
      defer { storage.evict([identifier]) }
      let body = try slot.open(file, segmentSize: parameters.segmentSize)
      let isShort = ((try? file.size()) ?? 0) < parameters.segmentSize
      found.append(SlotFile(identifier: identifier, exists: true, isShort: isShort, body: body))
    }
    return found
  }

  /// Writes the two files of a slot that opens the space of `body`. Durable on return. A failure leaves neither; a
  /// crash may leave the first.
  ///
  /// - Parameter space: the space, which takes the files from its own ones if it owns cover; nil for its first slot.
  /// - Throws: `.passwordInUse` when one of them exists; `.noSpace`; `.system`.
  package func putSlot(_ slot: SlotKey, _ body: SlotBody, of space: Space? = nil) throws(VaultError) {
    var written: [SegmentIdentifier] = []
    do throws(VaultError) {
      for identifier in slot.identifiers {
        try putSlotFile(identifier, of: slot, body, in: space)
        written.append(identifier)
      }
    } catch {
      try? deleteSlotFiles(written)
      throw error
    }
  }

  /// Writes the missing and short files of a slot again, and the damaged ones if `replacingDamaged` is set. Durable on
  /// return.
  ///
  /// - Parameter space: the space, which takes missing files from its own ones if it owns cover.
  /// - Throws: `.noSpace`; `.system`.
  package func restoreSlot(
    _ slot: OpenedSlot, replacingDamaged: Bool, of space: Space? = nil
  ) throws(VaultError) {
    for identifier in slot.missing { try putSlotFile(identifier, of: slot.key, slot.body, in: space) }
    for identifier in replacingDamaged ? slot.damaged : slot.short {
      try rewriteSlotFile(identifier, of: slot.key, slot.body)
    }
  }

  /// Writes both files of a slot again, with another body. At every moment at least one of them opens. Durable on
  /// return.
  ///
  /// - Parameter space: the space, which takes missing files from its own ones if it owns cover.
  /// - Throws: `.noSpace`; `.system`.
  package func rewriteSlot(_ slot: OpenedSlot, with body: SlotBody, of space: Space? = nil) throws(VaultError) {
    for identifier in slot.missing { try putSlotFile(identifier, of: slot.key, body, in: space) }
    let others = slot.key.identifiers.filter { !slot.missing.contains($0) && !slot.damaged.contains($0) }
    for identifier in slot.damaged + others { try rewriteSlotFile(identifier, of: slot.key, body) }
  }

  private func putSlotFile(
    _ identifier: SegmentIdentifier, of slot: SlotKey, _ body: SlotBody, in space: Space?
  ) throws(VaultError) {
    let file = slot.seal(body, segmentSize: parameters.segmentSize)
    defer { storage.evict([identifier]) }
    do throws(Errno) {
      if let space, space.ownsCover { return try space.cover.putFile(identifier, content: file) }
      try unsafe file.span.bytes.withUnsafeBytes { (content) throws(Errno) in
        try unsafe storage.putIfAbsent(identifier, content: content)
      }
    } catch {
      dropSlotFile(identifier, after: error, file)
      throw error == .fileExists ? .passwordInUse : VaultError(error, "writing the slot")
    }
  }

  /// Deletes a slot file that could not be written, if it is there: the host may carry out a call and report it as
  /// failed. The start of a slot file is unique. An empty file is not ours if the name was refused as taken.
  private func dropSlotFile(_ identifier: SegmentIdentifier, after failure: Errno, _ file: [UInt8]) {
    guard let found = try? storage.open(identifier).bytes(at: 0, count: SlotBody.size), file.starts(with: found),
      found.count == SlotBody.size || found.isEmpty && failure != .fileExists
    else { return }
    try? deleteSlotFiles([identifier])
  }

  /// Overwrites a slot file twice: first so that its old content cannot be read, then with `body`.
  private func rewriteSlotFile(
    _ identifier: SegmentIdentifier, of slot: SlotKey, _ body: SlotBody
  ) throws(VaultError) {
    defer { storage.evict([identifier]) }
    try attempt("writing the slot") { () throws(Errno) in
      try storage.wipe(identifier)
      try storage.replace(identifier, by: nil, content: slot.seal(body, segmentSize: parameters.segmentSize))
    }
  }

  /// Overwrites slot files that no longer open the space, durably, and deletes them. A space that owns cover creates
  /// cover in their place.
  package func dropSlotFiles(_ identifiers: Set<SegmentIdentifier>, of space: Space) throws(VaultError) {
    if space.ownsCover {
      try attempt("deleting the slot") { () throws(Errno) in
        for identifier in identifiers { try storage.wipe(identifier) }
      }
      try space.cover.restoreFileCount(replacing: identifiers)
    }
    try deleteSlotFiles(identifiers)
  }

  /// Overwrites and deletes slot files, durably. Files that do not exist count as deleted.
  ///
  /// - Parameter keepingNumber: replaces them by random files, so that the number of files stays. The old name is
  ///   always removed, because an attacker who knows the password could look for it. If another program takes the room
  ///   at once, there is one file less.
  package func deleteSlotFiles(
    _ identifiers: some Collection<SegmentIdentifier>, keepingNumber: Bool = false
  ) throws(VaultError) {
    if identifiers.isEmpty { return }
    try attempt("deleting the slot") { () throws(Errno) in
      for identifier in identifiers where try storage.exists(identifier) {
        try storage.wipe(identifier)
        if keepingNumber {
          do throws(Errno) {
            try replaceByRandomFile(identifier)
          } catch .noSpace, .diskQuotaExceeded {
            continue
          }
        } else {
          try storage.delete(identifier)
        }
      }
      try storage.flushNames(of: Array(identifiers))
    }
  }

  /// Replaces a file by one that no key opens.
  private func replaceByRandomFile(_ old: SegmentIdentifier) throws(Errno) {
    var file = [UInt8](repeating: 0, count: parameters.segmentSize)
    unsafe file.withUnsafeMutableBytes { unsafe Sodium.fillPadding($0) }
    let identifier = SegmentIdentifier(bytes: Sodium.randomBytes(SegmentIdentifier.size))
    try storage.replace(old, by: identifier, content: file)
  }

  /// Whether any of the files is whole. An empty one, or the beginning of one, opens nothing: a crash or a copy left it.
  package func hasWholeFile(among identifiers: some Collection<SegmentIdentifier>) throws(VaultError) -> Bool {
    try attempt("looking for slots") { () throws(Errno) in
      for identifier in identifiers {
        do throws(Errno) {
          if try storage.open(identifier).size() >= parameters.segmentSize { return true }
        } catch .noSuchFileOrDirectory {
          continue
        }
      }
      return false
    }
  }
}
