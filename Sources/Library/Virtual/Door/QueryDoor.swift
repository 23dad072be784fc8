// `.agonyfs/query`: a file to which a question is written, and from which the answer is read.
//
// Invariants
// 1. Every open has a state of its own: the question that is being written, or the answer that is being read.
// 2. The rights are those of the process that opened the file, also if another one uses it afterwards.

package import Albums
package import Catalog
internal import System

/// One open of the door.
package final class DoorSession: @unchecked Sendable {
  private let fileSystem: FileSystem
  let opener: Opener
  private let today: @Sendable () -> CivilDate?
  private let lock = Lock()
  /// What was written; nil once it is more than a request may have.
  private var request: [UInt8]? = []
  /// Nil while a question is written.
  private var answer: DoorAnswer?

  /// A door to a file system for one asker. `today` gives the day for words such as "today".
  package init(
    _ fileSystem: FileSystem, for opener: Opener,
    today: @escaping @Sendable () -> CivilDate? = { CivilDate.today() }
  ) {
    self.fileSystem = fileSystem
    self.opener = opener
    self.today = today
  }

  /// Takes bytes of a question; after something was read they begin the next one.
  package func write(_ bytes: UnsafeRawBufferPointer) {
    lock.withLock {
      if answer != nil {
        answer = nil
        request = []
      }
      guard let known = request?.count else { return }
      if known + bytes.count > DoorRequest.mostBytes {
        request = nil
      } else {
        unsafe request?.append(contentsOf: bytes)
      }
    }
  }

  /// As above.
  package func write(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

  /// Takes a whole question, whatever was written before.
  package func ask(_ request: [UInt8]) {
    lock.withLock {
      answer = nil
      self.request = request.count > DoorRequest.mostBytes ? nil : request
    }
  }

  /// The next bytes of the answer, at most `count`; none at its end. The first read ends the question.
  package func read(_ count: Int) -> ArraySlice<UInt8> {
    lock.withLock {
      var answer = answer ?? DoorAnswer(request, from: fileSystem, for: opener, today: today())
      self.answer = nil
      request = []
      defer { self.answer = answer }
      return answer.read(count)
    }
  }
}
