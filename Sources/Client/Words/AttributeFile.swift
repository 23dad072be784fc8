// Invariants
// 1. After a failure in the middle, the attributes have their previous values, as far as the file system allows.

internal import CPlatform
package import Catalog
internal import Glibc
package import System
package import SystemPackage

/// The user's words about a file or directory, in its extended attributes.
package struct AttributeFile {
  private let name: [CChar]
  private var descriptor: Descriptor?

  /// The words about an open file.
  ///
  /// - Parameter file: the open file; it stays open while this value is used.
  package init(_ file: Descriptor) {
    // The kernel resolves this name to the open file itself, even if it was moved.
    self.init(Array("/proc/self/fd/\(file.number)".utf8))
    descriptor = file
  }

  /// The file at a path; symbolic links are followed.
  package init(_ path: [UInt8]) { name = path.map { CChar(bitPattern: $0) } + [0] }

  /// The user's words about it.
  package func words() throws(Errno) -> [UserWord: [UInt8]] {
    var words: [UserWord: [UInt8]] = [:]
    for word in UserWord.allCases { words[word] = try value(of: word) }
    return words
  }

  private func value(of word: UserWord) throws(Errno) -> [UInt8]? {
    // Most values have few bytes.
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

  /// Sets and removes attributes. If one fails, the earlier ones get their previous values.
  package func apply(_ changes: [UserWord: [UInt8]?]) throws(Errno) {
    // The order is fixed, so that a failure is reproducible.
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

  /// Changes the words about the file. If this fails, nothing is half done, except that a removed tag that the file
  /// itself states may still be there.
  ///
  /// - Parameter found: returns the tags that the catalog has at that time; nil if it does not know the file.
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

  /// Makes the attributes durable, with the file.
  package func flush() throws(Errno) {
    let file = Descriptor(try systemCall { unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) })
    try systemCall { fsync(file.number) }
  }
}
