internal import System

/// Files of a vault that a copy had to leave out.
struct LeftOutFiles {
  /// The vault, as the user names it.
  var place: String
  /// Files that the vault deleted during the copy.
  var gone: Int
  /// Files that became shorter during the copy, or are larger than a file of a vault can be.
  var unusable: Int

  /// The end of a command that left files out; nil if there are none.
  ///
  /// - Parameter others: what the command did nevertheless, as a clause.
  func failure(others: String) -> CommandFailure? {
    if gone > 0 {
      return CommandFailure(
        .failure,
        "\(place) deleted \(gone.counted("file")) during the copy, as a mount or agonyfs refresh does; \(others). Run the "
          + "same command again.")
    }
    guard unusable > 0 else { return nil }
    let rest = "\(unusable == 1 ? "is no file" : "are no files") of a vault; \(others)"
    return CommandFailure(
      .failure,
      "\(unusable.counted("file")) in \(place) became shorter during the copy, or \(rest). Look for "
        + "damage with agonyfs check, and copy again.")
  }
}
