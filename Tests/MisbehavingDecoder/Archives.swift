internal import Glibc
internal import Media

/// How archives are misread: what it does, the first bytes of the archive say.
enum Archives {
  private static let entry = ArchiveEntry(kind: .file, name: [0x61], size: 3).encoded

  static func work(on content: [UInt8]) {
    let text = String(decoding: content, as: UTF8.self)
    switch text {
    case "piece first": answer(.piece, [1, 0])
    case "end first": answer(.entryEnd, ArchiveVerdict.whole.encoded)
    case "no entry": answer(.entry, Array(entry.dropLast()))
    case "unknown kind": answer(.entry, [5] + entry.dropFirst())
    case "long name": answer(.entry, [0, 2, 16, 0, 0] + [UInt8](repeating: 0x61, count: 4098) + [0, 0, 0, 0, 0, 0])
    case "negative size": answer(.entry, ArchiveEntry(kind: .file, name: [0x61], size: -1).encoded)
    case "nanoseconds":
      let time = ArchiveEntry.Time(seconds: 0, nanoseconds: 1_000_000_000)
      answer(.entry, ArchiveEntry(kind: .file, name: [0x61], modified: time).encoded)
    case "archive skipped": answer(.archiveEnd, ArchiveVerdict.skipped.encoded)
    case "no archive": answer(.failed, [1])
    case "good": Program.send(.archiveEnd, ArchiveVerdict.whole.encoded)
    case "endless entries":
      while true { answer(.entry, ArchiveEntry(kind: .directory, name: [0x61]).encoded) }
    default:
      answer(.entry, entry)
      inEntry(text)
    }
  }

  private static func inEntry(_ text: String) {
    switch text {
    case "hang": while true { pause() }
    case "crash": abort()
    case "huge piece": answer(.piece, [UInt8](repeating: 0, count: WireMessage.mostPieceBytes + 2))
    case "empty piece": answer(.piece, [0])
    case "flag": answer(.piece, [1, 2])
    case "skips": answer(.skipped, [1, 0, 0, 0])
    case "says skipped": answer(.entryEnd, ArchiveVerdict.skipped.encoded)
    case "says too large": answer(.entryEnd, [5, 0, 0, 0, 0])
    case "entry in entry": answer(.entry, entry)
    case "archive ends in entry": answer(.archiveEnd, ArchiveVerdict.whole.encoded)
    case "piece behind the last":
      Program.send(.piece, [1, 1])
      answer(.piece, [1, 1])
    case "short":
      Program.send(.piece, [1, 2, 1])
      answer(.entryEnd, ArchiveVerdict.whole.encoded)
      Program.send(.archiveEnd, ArchiveVerdict.whole.encoded)
    case "endless data":
      repeat { Program.send(.piece, [1, 2, 3, 0]) } while Program.receive().1 == [0]
      while true { answer(.skipped, [0, 0, 0, 4]) }
    case "skips nothing":
      Program.send(.piece, [1, 2, 3, 4, 0])
      _ = Program.receive()
      while true { answer(.skipped, [0, 0, 0, 0]) }
    default: exit(2)
    }
  }

  /// Sends, and waits for the next question.
  private static func answer(_ message: WireMessage, _ body: [UInt8]) {
    Program.send(message, body)
    _ = Program.receive()
  }
}
