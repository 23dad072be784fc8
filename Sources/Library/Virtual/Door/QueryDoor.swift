// `.agonyfs/query`: a program writes a question to this file and reads the answer from it.
//
// Invariants
// 1. Every open has separate state: the question being written, or the answer being read.
// 2. The rights are those of the process that opened the file, even if another process uses the descriptor
//    afterwards.

package import Albums
package import Catalog
internal import System

/// One open file of the door.
package final class DoorSession: @unchecked Sendable {
  private let fileSystem: FileSystem
  let opener: Opener
  private let today: @Sendable () -> CivilDate?
  private let lock = Lock()
  /// The bytes written; nil once they exceed the limit of a request.
  private var request: [UInt8]? = []
  /// The answer; nil while a question is written.
  private var answer: DoorAnswer?

  /// A door to a file system for one user. `today` returns the day that words such as "today" mean.
  package init(
    _ fileSystem: FileSystem, for opener: Opener,
    today: @escaping @Sendable () -> CivilDate? = { CivilDate.today() }
  ) {
    self.fileSystem = fileSystem
    self.opener = opener
    self.today = today
  }

  /// Takes bytes of a question; after a read they begin the next question.
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

  /// Takes a whole question, and drops what was written before.
  package func ask(_ request: [UInt8]) {
    lock.withLock {
      answer = nil
      self.request = request.count > DoorRequest.mostBytes ? nil : request
    }
  }

  /// The next bytes of the answer, at most `count`; empty at its end. The first read ends the question.
  package func read(_ count: Int) -> ArraySlice<UInt8> {
    lock.withLock {
      endQuestion()
      // Moved out, so that its state is not copied while it is read.
      guard var answer else { return [] }
      self.answer = nil
      defer { self.answer = answer }
      return answer.read(count)
    }
  }

  /// Whether the next read looks at many photos before it returns. A call ends the question, like a read, and does not
  /// wait: while another thread uses the door, the next read is assumed to take long.
  package var takesLong: Bool {
    lock.withLockIfFree {
      endQuestion()
      return answer?.takesLong ?? false
    } ?? true
  }

  /// Parses the question, unless an answer is being read. Called with the lock.
  private func endQuestion() {
    if answer != nil { return }
    answer = DoorAnswer(request, from: fileSystem, for: opener, today: today())
    request = []
  }
}
