internal import Storage
internal import System
internal import Vault

/// What a power cut leaves.
package enum PowerCut: Sendable {
  /// Everything that was written, as when only the process ends.
  case keepsAll
  /// Nothing but what was flushed: creations are gone, deletions undone.
  case losesAll
  /// For every file, chance decides how much is left of what was not flushed, and how it is damaged.
  case mixed(seed: UInt64)
}

extension FaultyStorage {
  /// What a power cut leaves, in a way that the seed chooses.
  package func powerCut(seed: UInt64) -> FaultyStorage { after(.mixed(seed: seed)) }

  /// What a power cut leaves.
  package func after(_ cut: PowerCut) -> FaultyStorage {
    let after = FaultyStorage()
    lock.lock()
    defer { lock.unlock() }
    after.births = births
    after.lacking = lacking
    after.parameters = parameters
    var generator = SeededGenerator(seed: 0)
    if case .mixed(let seed) = cut { generator = SeededGenerator(seed: seed) }
    for (identifier, file) in sorted(files) {
      var name: SegmentIdentifier? = identifier
      let survivor = File(file)
      switch cut {
      case .keepsAll: break
      case .losesAll:
        if !file.nameIsFlushed { name = nil }
        survivor.content = file.durable
      case .mixed:
        if !file.nameIsFlushed, Bool.random(using: &generator) { name = nil }
        survivor.content = Self.remains(of: file, using: &generator)
      }
      survivor.settle()
      if let name { after.files[name] = survivor }
    }
    for (identifier, file) in sorted(deleted) {
      switch cut {
      case .keepsAll: continue
      case .losesAll: break
      case .mixed: if Bool.random(using: &generator) { continue }
      }
      let revived = File(file)
      revived.content = file.durable
      revived.settle()
      if after.files[identifier] == nil { after.files[identifier] = revived }
    }
    return after
  }

  /// What is left of a file of which only the first bytes were flushed.
  private static func remains(of file: File, using generator: inout SeededGenerator) -> [UInt8] {
    let flushed = file.flushedCount
    let written = file.content.count
    if flushed == written { return file.content }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return file.durable
    case 1: return file.content
    case 2:
      // The file has its length, but some of its blocks did not reach the disk.
      var content = file.content
      var start = flushed
      while start < written {
        let end = min(written, (start / 4096 + 1) * 4096)
        if Bool.random(using: &generator) {
          content.replaceSubrange(start..<end, with: [UInt8](repeating: 0, count: end - start))
        }
        start = end
      }
      return content
    default:
      // A prefix, and sometimes something else behind it.
      var content = Array(file.content[..<Int.random(in: flushed...written, using: &generator)])
      if Bool.random(using: &generator) {
        let isZero = Bool.random(using: &generator)
        let count = Int.random(in: 0...min(8192, written - content.count), using: &generator)
        content += isZero ? [UInt8](repeating: 0, count: count) : generator.bytes(count)
      }
      return content
    }
  }
}
