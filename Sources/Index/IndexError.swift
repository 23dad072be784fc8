/// An error of a space's index.
package enum IndexError: Error, Equatable, Sendable {
  /// A page of the database is missing or does not authenticate, or rows contradict each other. The transaction
  /// continues, without the savepoint of the error.
  case damaged
  /// There is too little room. The transaction continues, without the savepoint of the error.
  case full
  /// The index refuses changes, because it belongs to a snapshot, or because a transaction was lost before.
  case readOnly
  /// The snapshot that is being read has ended. A caller that asks again gets another snapshot.
  case ended
  /// The whole open transaction is lost. The index is at the last commit and refuses changes from now on. The caller
  /// must discard later changes that it has in memory.
  case transactionLost
  /// Another failure, as SQLite's extended result code.
  case sqlite(Int32)
}

/// An error that a body of `Index.withSavepoint(_:)` may throw. It can represent an error of the index.
package protocol SavepointFailure: Error {
  /// Wraps an error of the index.
  init(_ error: IndexError)
}

extension IndexError: SavepointFailure {
  /// The error itself.
  package init(_ error: IndexError) { self = error }
}
