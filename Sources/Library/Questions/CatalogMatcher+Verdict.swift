internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

extension CatalogMatcher {
  /// Whether a photo answers; nil if its row is not enough to decide.
  mutating func verdict(
    _ row: borrowing Timeline, in folder: CatalogFolder?, _ files: CatalogFiles
  ) throws(Errno) -> Bool? {
    if case .always = root { return true }
    return try verdict(root, row, folder, files)
  }

  private mutating func verdict(
    _ node: Node, _ row: borrowing Timeline, _ folder: CatalogFolder?, _ files: CatalogFiles
  ) throws(Errno) -> Bool? {
    switch node {
    case .always: return true
    case .ask: return nil
    case .not(let part): return try verdict(part, row, folder, files).map { !$0 }
    case .and(let parts):
      var result: Bool? = true
      for part in parts {
        switch try verdict(part, row, folder, files) {
        case true?: break
        case false?: return false
        case nil: result = nil
        }
      }
      return result
    case .or(let parts):
      var result: Bool? = false
      for part in parts {
        switch try verdict(part, row, folder, files) {
        case true?: return true
        case false?: break
        case nil: result = nil
        }
      }
      return result
    case .test(let test): return try verdict(test, row, folder, files)
    }
  }

  private mutating func verdict(
    _ test: Test, _ row: borrowing Timeline, _ folder: CatalogFolder?, _ files: CatalogFiles
  ) throws(Errno) -> Bool? {
    switch test {
    case .kinds(let kinds): return (0..<64).contains(row.kind) && kinds & 1 << UInt64(row.kind) != 0
    case .flags(let flags): return row.flags & flags != 0
    case .exactFlag(let flag): return Self.exactFlags(of: row).map { $0.contains(flag) }
    case .trashed: return folder?.isTrash
    case .rejected: return row.rating == -1
    case .isKnown(let column): return isKnown(column, row)
    case .hasTime:
      if row.taken == nil { return false }
      return Self.exactFlags(of: row).map { !$0.contains(.fileTime) }
    case .rating(let range): return range.contains(Double(row.rating ?? 0))
    case .size(let range): return range.contains(Double(max(0, row.size)))
    case .duration(let range): return row.duration.map { range.contains(Double($0) / 1000) } ?? false
    case .time(let start, let end):
      guard let seconds = row.taken, seconds >= start else { return false }
      guard let end else { return true }
      guard Self.precision(of: row).isPartial, let wall = wall(of: row) else { return seconds < end }
      return wall.end <= end
    case .anniversary(let month, let day): return wall(of: row)?.isKnown(inMonth: month, day: day) ?? false
    case .near(let centre, let metres):
      guard let (latitude, longitude) = row.position else { return false }
      // A degree of latitude is 111 km everywhere. This test avoids the exact distance for photos that are far away.
      if abs(Double(latitude) / 1e7 - centre.latitude) * 110_000 > metres { return false }
      let position = Position(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
      return position.map { centre.distance(to: $0) <= metres } ?? false
    case .term(let column, let matches, let memo): return try term(column, matches, memo, row, files)
    case .album(let matches, let memo): return folder.map { album($0, row.album, matches, memo) }
    case .name(let test, let set): return folder == nil ? nil : name(test, set, row)
    case .words(let matches, let memo, let set):
      guard let folder else { return nil }
      if album(folder, row.album, matches, memo) { return true }
      return sets[set].contains(row.inode)
    case .set(let set): return sets[set].contains(row.inode)
    case .text(let flag, let set):
      if row.flags & flag == 0 { return false }
      if let set, !sets[set].contains(row.inode) { return false }
      return nil
    case .own(let set):
      // The full-text index is written by the same program as the row.
      guard let flags = Self.exactFlags(of: row) else { return nil }
      if !flags.contains(.fields) { return false }
      if let set, !sets[set].contains(row.inode) { return false }
      return nil
    }
  }

  /// The precision of a time, as far as dates are concerned.
  private static func precision(of row: borrowing Timeline) -> WallTime.Precision {
    ItemFlags(rawValue: row.flags).precision(recorded: .second)
  }

  private func wall(of row: borrowing Timeline) -> WallTime? {
    guard let seconds = row.taken else { return nil }
    return WallTime(seconds: seconds, precision: Self.precision(of: row))
  }

  /// The flags of a row; nil if the row does not state those that only some rows state.
  private static func exactFlags(of row: borrowing Timeline) -> ItemFlags? {
    let flags = ItemFlags(rawValue: row.flags)
    return flags.contains(.isExact) ? flags : nil
  }

  private func isKnown(_ column: Column, _ row: borrowing Timeline) -> Bool {
    switch column {
    // Devices that do not know their position write 0, 0.
    case .position: row.position.map { $0.latitude != 0 || $0.longitude != 0 } ?? false
    case .place: row.place != nil
    case .rating: row.rating != nil
    case .camera: row.camera != nil
    case .lens: row.lens != nil
    }
  }

  private mutating func term(
    _ column: Column, _ matches: (String) -> Bool, _ memo: Int, _ row: borrowing Timeline,
    _ files: CatalogFiles
  ) throws(Errno) -> Bool {
    let number: Int64? =
      switch column {
      case .place: row.place
      case .camera: row.camera
      case .lens: row.lens
      case .position, .rating: nil
      }
    guard let number else { return false }
    if let known = memos[memo][number] { return known }
    let text = try files.result(of: files.index.catalog.text(ofTerm: number))
    let result = text.map(matches) ?? false
    memos[memo][number] = result
    return result
  }

  private mutating func album(
    _ folder: CatalogFolder, _ album: InodeNumber?, _ matches: (String) -> Bool, _ memo: Int
  ) -> Bool {
    let number = Int64(bitPattern: album?.rawValue ?? 0)
    if let known = memos[memo][number] { return known }
    let result = matches(String(decoding: folder.path, as: UTF8.self))
    memos[memo][number] = result
    return result
  }

  private mutating func name(_ test: Query.TextTest, _ set: Int?, _ row: borrowing Timeline) -> Bool {
    if let set, !sets[set].contains(row.inode) { return false }
    let name = String(decoding: row.name, as: UTF8.self)
    return switch test {
    case .words(let pattern): pattern.matches(name)
    case .whole(let glob): glob.matches(name)
    }
  }
}
