extension Place {
  /// One line with all fields, shared by the photos of this town.
  package var term: String { ["\(id)", town, region, countryCode, country, zone].joined(separator: "\t") }

  /// Reads such a line; nil if it is malformed.
  package init?(term: String) {
    let parts = term.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, let id = UInt32(parts[0]) else { return nil }
    self.init(id: id, town: parts[1], region: parts[2], countryCode: parts[3], country: parts[4], zone: parts[5])
  }
}
