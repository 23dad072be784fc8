import FaultyStorage
import Storage

/// What can happen to a file of a vault.
enum Damage: CaseIterable {
  case flipped, zeroed, shortened, missing, exchanged, replayed

  /// Damages something of `storage`, to which `older` is an older copy, or one of some files; says what.
  func apply(
    to storage: FaultyStorage, _ older: FaultyStorage, among chosen: [SegmentIdentifier]? = nil,
    _ generator: inout SeededGenerator
  ) -> String? {
    let names = storage.names
    guard let name = (chosen ?? names).randomElement(using: &generator) else { return nil }
    let size = storage.content(name).count
    let place = Int.random(in: 0..<max(size, 1), using: &generator)
    // Beginnings are where headers and heads are.
    let offset = Bool.random(using: &generator) ? place : place % 2048
    switch self {
    case .flipped:
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      change(storage, name) { if offset < $0.count { $0[offset] ^= bit } }
    case .zeroed:
      change(storage, name) { bytes in
        for index in offset / 4096 * 4096..<min(bytes.count, offset / 4096 * 4096 + 4096) { bytes[index] = 0 }
      }
    case .shortened: change(storage, name) { $0.removeLast($0.count - place) }
    case .missing: storage.tamper(name) { _ in nil }
    case .exchanged:
      guard let other = names.randomElement(using: &generator), other != name else { return nil }
      let (one, two) = (storage.content(name), storage.content(other))
      storage.tamper(name) { _ in two }
      storage.tamper(other) { _ in one }
    case .replayed:
      let old = older.content(name)
      guard !old.isEmpty, old != storage.content(name) else {
        // Gone since, or never changed: what went comes back.
        guard let gone = older.names.first(where: { !names.contains($0) }) else { return nil }
        storage.place(older.content(gone), as: gone)
        return "\(gone) came back"
      }
      storage.tamper(name) { _ in old }
    }
    return "\(self) \(name) at \(offset)"
  }

  private func change(_ storage: FaultyStorage, _ name: SegmentIdentifier, _ body: (inout [UInt8]) -> Void) {
    storage.tamper(name) { content in
      var content = content
      body(&content)
      return content
    }
  }
}
