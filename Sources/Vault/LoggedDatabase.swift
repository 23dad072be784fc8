/// The database as the commits of the log have it.
struct LoggedDatabase {
  /// Where each page is.
  var map: PageMap
  /// Writes that the log states and the database does not have, encoded.
  var intents: [UInt8]

  init(_ state: RecoveredState) {
    map = PageMap(positions: state.pages)
    intents = state.intents
  }
}
