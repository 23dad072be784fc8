// What ends the body of an operation that changes something.

package import Index
package import SystemPackage
package import Vault

/// Why an operation that changes something has not done so.
package enum ChangeError: Error {
  /// It failed.
  case failed(Errno)
  /// It found no room before it changed anything, and runs again when it has waited.
  case waits(RoomWait)

  /// Gives what a call gives that never waits for room.
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

/// What the body of `FileSystem.changing(_:)` throws: `ChangeError` if it may wait for room, else `Errno`.
package protocol ChangeFailure: Error {
  /// The same, as what `changing` distinguishes.
  var changeError: ChangeError { get }
}

extension ChangeError: ChangeFailure {
  package var changeError: ChangeError { self }
}

extension Errno: ChangeFailure {
  package var changeError: ChangeError { .failed(self) }
}
