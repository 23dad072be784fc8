// A tape keeps every operation of a run, so that one run is enough to see what a power cut leaves after each of
// them.

package import Storage
internal import System
package import SystemPackage
internal import Vault

/// Every change of a storage, in order.
package struct Tape: Sendable {
  enum Step: Sendable {
    case parameters([UInt8])
    case create(SegmentIdentifier)
    case write(SegmentIdentifier, offset: Int, [UInt8])
    case wipe(SegmentIdentifier, [UInt8])
    case flush(SegmentIdentifier)
    case rename(SegmentIdentifier, to: SegmentIdentifier)
    case delete(SegmentIdentifier)
    case flushNames([SegmentIdentifier])
  }

  /// Each with the number of the operation that it was part of.
  var steps: [(operation: Int, step: Step)] = []
  /// The number of the storage.
  let storage: Int
  /// What its host cannot do.
  let lacking: Set<HostAbility>
}

extension Tape {
  /// The operations that wipe a file which the next one deletes.
  package var wipesOfDeleted: [Int] {
    zip(steps, steps.dropFirst()).compactMap { one, next in
      if case .wipe(let wiped, _) = one.step, case .delete(wiped) = next.step { one.operation } else { nil }
    }
  }

  /// What files held when they were deleted.
  package var givenUp: [(operation: Int, name: SegmentIdentifier, content: [UInt8])] {
    let storage = FaultyStorage()
    return steps.compactMap { operation, step in
      defer { storage.play(step) }
      switch step {
      case .delete(let name): return (operation, name, storage.content(name))
      default: return nil
      }
    }
  }
}

extension FaultyStorage {
  /// Keeps all operations from now on; the storage must be empty.
  package func record() { lock.withLock { tape = Tape(storage: number, lacking: lacking) } }

  /// What was recorded.
  package var recording: Tape { lock.withLock { tape ?? Tape(storage: number, lacking: lacking) } }

  func note(_ step: Tape.Step) { tape?.steps.append((operations, step)) }

  /// Replays what was recorded. A write is torn at byte `tear` when that is given.
  func play(_ step: Tape.Step, tear: Int? = nil) {
    switch step {
    case .parameters(let content): parameters = content
    case .create(let identifier): files[identifier] = newFile()
    case .write(let identifier, let offset, let bytes):
      guard let file = files[identifier] else { return }
      let end = min(tear ?? bytes.count, bytes.count)
      file.write(bytes[..<end], at: offset)
    case .wipe(let identifier, let bytes):
      let end = min(tear ?? bytes.count, bytes.count)
      files[identifier]?.content.replaceSubrange(..<end, with: bytes[..<end])
    case .flush(let identifier):
      if let file = files[identifier] { file.flushedCount = file.content.count }
    case .rename(let old, let new):
      guard let file = files.removeValue(forKey: old) else { return }
      files[new] = file
    case .delete(let identifier):
      if let file = files.removeValue(forKey: identifier), file.nameIsFlushed { deleted[identifier] = file }
    case .flushNames(let identifiers):
      for identifier in identifiers {
        files[identifier]?.nameIsFlushed = true
        deleted[identifier] = nil
      }
    }
  }
}

/// Plays a tape, and gives what a power cut leaves at each operation.
package final class TapePlayer {
  private let tape: Tape
  private let storage = FaultyStorage()
  private var position = 0

  /// At the beginning of a tape.
  package init(_ tape: Tape) {
    self.tape = tape
    storage.number = tape.storage
    storage.lacking = tape.lacking
  }

  /// Goes on to where operation `operation` begins; only forward.
  package func wind(to operation: Int) {
    while position < tape.steps.count, tape.steps[position].operation < operation {
      storage.play(tape.steps[position].step)
      position += 1
    }
  }

  /// What is there when power fails in the middle of the operation that is next.
  package func cut(_ way: PowerCut, seed: UInt64) -> FaultyStorage {
    var generator = SeededGenerator(seed: seed)
    let torn = FaultyStorage()
    torn.births = storage.births
    torn.lacking = storage.lacking
    torn.parameters = storage.parameters
    torn.files = storage.files.mapValues { FaultyStorage.File($0) }
    torn.deleted = storage.deleted.mapValues { FaultyStorage.File($0) }
    var next = position
    while next < tape.steps.count, tape.steps[next].operation == tape.steps[position].operation {
      switch tape.steps[next].step {
      case .write(_, _, let bytes), .wipe(_, let bytes):
        torn.play(tape.steps[next].step, tear: Int.random(in: 0...bytes.count, using: &generator))
      // What is flushed only in part cannot be told from what is not.
      case .flush, .flushNames: return torn.after(way)
      case .parameters, .create, .rename, .delete:
        if Bool.random(using: &generator) { return torn.after(way) }
        torn.play(tape.steps[next].step)
      }
      next += 1
    }
    return torn.after(way)
  }
}

extension TapePlayer {
  /// What is there now.
  package var names: [SegmentIdentifier] { storage.names }

  /// Opens a file, which is read as it becomes later.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader { try storage.open(identifier) }

  /// The bytes of a file now; nil when it is gone.
  package func content(_ identifier: SegmentIdentifier) -> [UInt8]? { storage.files[identifier]?.content }
}
