// Invariants
// 1. After a failure in the middle the attributes are those from before, as far as the file system allows.

internal import CPlatform
package import Catalog
internal import Glibc
package import System
package import SystemPackage

/// The extended attributes of a file or directory.
package struct AttributeFile {
  private let name: [CChar]
  private var descriptor: Descriptor?

  /// A file that is open, which stays so as long as this is used.
  package init(_ file: Descriptor) {
    // The kernel leads this name to the open file itself, wherever it is by now.
    self.init(Array("/proc/self/fd/\(file.number)".utf8))
    descriptor = file
  }

  /// The file at a path; symbolic links are followed.
  package init(_ path: [UInt8]) { name = path.map { CChar(bitPattern: $0) } + [0] }

  /// What the user said about it.
  package func words() throws(Errno) -> [UserWord: [UInt8]] {
    var words: [UserWord: [UInt8]] = [:]
    for word in UserWord.allCases { words[word] = try value(of: word) }
    return words
  }

  private func value(of word: UserWord) throws(Errno) -> [UInt8]? {
    // Most have a few bytes, if any.
    for most in [256, UserWord.mostBytes] {
      var bytes = [UInt8](repeating: 0, count: most)
      do throws(Errno) {
        let count = try systemCall { unsafe getxattr(name, word.rawValue, &bytes, bytes.count) }
        return Array(bytes[..<count])
      } catch .noData {
        return nil
      } catch .outOfRange {
        continue
      }
    }
    throw .outOfRange
  }

  /// Sets and removes attributes. If one fails, those before it become what they were.
  package func apply(_ changes: [UserWord: [UInt8]?]) throws(Errno) {
    // In one order, so that a failure is the same each time.
    let sorted = changes.sorted { $0.key.rawValue < $1.key.rawValue }
    var done: [(UserWord, [UInt8]?)] = []
    do throws(Errno) {
      for (word, value) in sorted {
        let before = try self.value(of: word)
        try set(word, value)
        done.append((word, before))
      }
    } catch {
      for (word, value) in done.reversed() { try? set(word, value) }
      throw error
    }
  }

  private func set(_ word: UserWord, _ value: [UInt8]?) throws(Errno) {
    guard let value else {
      do throws(Errno) {
        try systemCall { unsafe removexattr(name, word.rawValue) }
      } catch .noData {}
      return
    }
    try systemCall { unsafe setxattr(name, word.rawValue, value, value.count, 0) }
  }

  /// Changes what is said about the file. Whatever fails, nothing of it is half done, but that a tag of the file itself
  /// may still be there.
  ///
  /// - Parameter found: the tags that the catalog finds by then; nil if it does not know the file.
  /// - Throws: `WordsRefused`, `Errno`.
  package func say(_ change: WordsChange, found: () -> [String]?) throws {
    var current = try words()
    let wasNone = current[.tags]?.isEmpty == true
    let changes = try change.changes(of: current)
    try apply(changes)
    guard change.concernsOwnTags || change.concernsTags && wasNone else { return }
    current.merge(changes.filter { $0.value != nil }.mapValues { $0 ?? [] }) { $1 }
    for (word, value) in changes where value == nil { current[word] = nil }
    try apply(try change.furtherChanges(of: current, found: found(), wasNone: wasNone))
  }

  /// Makes them durable, with the file.
  package func flush() throws(Errno) {
    let file = Descriptor(try systemCall { unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
    try systemCall { fsync(file.number) }
  }
}
