/// What can go wrong in a space's index.
package enum IndexError: Error, Equatable, Sendable {
  /// A page of the database is missing or does not authenticate, or rows contradict each other. The transaction goes on, without
  /// the savepoint in which it happened.
  case damaged
  /// No room; the transaction goes on, without the savepoint in which it happened.
  case full
  /// The index refuses changes, since a transaction was lost before.
  case readOnly
  /// The whole open transaction is gone: the index is back at the last commit and refuses changes from now on. Whatever the caller
  /// keeps in memory of later changes is wrong.
  case transactionLost
  /// Another failure, as SQLite's extended result code.
  case sqlite(Int32)
}

/// An error that a body of `Index.withSavepoint(_:)` may throw: one that can also say what went wrong in the index.
package protocol SavepointFailure: Error {
  /// Wraps a failure of the index.
  init(_ error: IndexError)
}

extension IndexError: SavepointFailure {
  /// The error itself.
  package init(_ error: IndexError) { self = error }
}
