/// The database as of the last commit.
struct LoggedDatabase {
  /// The position of each page.
  var map: PageMap
  /// Encoded writes that the log states and the database does not contain.
  var intents: [UInt8]

  init(_ state: RecoveredState) {
    map = PageMap(positions: state.pages)
    intents = state.intents
  }
}
