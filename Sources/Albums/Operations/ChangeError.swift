// The errors that end the body of a changing operation.

package import Index
package import SystemPackage
package import Vault

/// The reason why a changing operation has changed nothing.
package enum ChangeError: Error {
  /// It failed.
  case failed(Errno)
  /// It found no room before it changed anything. It waits, and runs again.
  case waits(RoomWait)

  /// Returns the result of a call that never waits for room.
  @inline(__always)
  package static func result<Result>(of call: @autoclosure () throws(Errno) -> Result) throws(ChangeError) -> Result {
    do throws(Errno) {
      return try call()
    } catch {
      throw .failed(error)
    }
  }
}

extension ChangeError: SavepointFailure {
  /// The error that an operation reports for a failure of the index.
  package init(_ error: IndexError) { self = .failed(Errno(error)) }
}

/// The error of the body of `FileSystem.changing(_:)`: `ChangeError` if it may wait for room, otherwise `Errno`.
package protocol ChangeFailure: Error {
  /// The error in the cases that `changing` distinguishes.
  var changeError: ChangeError { get }
}

extension ChangeError: ChangeFailure {
  package var changeError: ChangeError { self }
}

extension Errno: ChangeFailure {
  package var changeError: ChangeError { .failed(self) }
}
