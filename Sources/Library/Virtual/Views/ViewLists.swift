// Lists the directories inside view directories: those in which the owner sees photos.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

extension ViewReader {
  /// A directory lists at most this many directories; the others are found by name.
  private static let listLimit = 50_000

  /// The directories inside a directory, in the order of their numbers.
  func list(of folder: ViewFolder, isNew: Bool) throws(Errno) -> [ViewEntry] {
    if folder == .views { return fixed(folder) { _ in true } }
    return try memory.value(of: folder, in: memory.lists, fileSystem, isNew: isNew, size: \.count) { () throws(Errno) in
      try entries(of: folder).sorted { $0.folder.code.number < $1.folder.code.number }
    }
  }

  private func entries(of folder: ViewFolder) throws(Errno) -> [ViewEntry] {
    switch folder {
    case .dates:
      try titles(of: folder, by: .year) { title in
        guard let title else { return nil }
        return UInt64(title).map { (title, .year($0)) }
      } + undated()
    case .year(let year):
      try titles(of: folder, by: .month) { title in
        if title?.utf8.count == 4 { return ("undated", ViewFolder.undatedIn(year: year, month: nil)) }
        return Self.last(title).map { ($1, .month(year: year, $0)) }
      }
    case .month(let year, let month):
      try titles(of: folder, by: .day) { title in
        if title?.utf8.count == 7 { return ("undated", ViewFolder.undatedIn(year: year, month: month)) }
        return Self.last(title).map { ($1, .day(year: year, month: month, $0)) }
      }
    case .places: try countries()
    case .country(let code): try towns(of: code)
    case .tags: try terms(.tag, of: folder, by: .tag) { .tag($0) }
    case .cameras: try terms(.camera, of: folder, by: .camera) { .camera($0) }
    case .types: try present(folder, by: .type) { $0.name }
    case .ratings: try present(folder, by: .rating) { String(Int($0.folder.code.number) - 2) }
    case .duplicates: try duplicateGroups()
    default: []
    }
  }

  /// The directory of the photos without a known time, if there are any.
  private func undated() throws(Errno) -> [ViewEntry] {
    guard let name = FileName("undated"), try isAnswered(.undated) else { return [] }
    return [ViewEntry(name: name, folder: .undated)]
  }

  private func fixed(_ folder: ViewFolder, _ isListed: ((name: String, folder: ViewFolder)) -> Bool) -> [ViewEntry] {
    folder.fixedEntries.filter(isListed).compactMap { entry in
      FileName(entry.name).map { ViewEntry(name: $0, folder: entry.folder) }
    }
  }

  /// The fixed entries for which there is a group; `title` gives the title of an entry's group.
  private func present(
    _ folder: ViewFolder, by field: GroupField, title: ((name: String, folder: ViewFolder)) -> String
  ) throws(Errno) -> [ViewEntry] {
    let titles = Set(
      try fileSystem.questions.groups(of: CatalogQuestion(.all), by: field, for: owner()).compactMap(\.title))
    return fixed(folder) { titles.contains(title($0)) }
  }

  private func titles(
    of folder: ViewFolder, by field: GroupField, _ entry: (String?) -> (name: String, folder: ViewFolder)?
  ) throws(Errno) -> [ViewEntry] {
    try fileSystem.questions.groups(of: CatalogQuestion(query(of: folder)), by: field, for: owner()).compactMap {
      group in
      entry(group.title).flatMap { entry in FileName(entry.name).map { ViewEntry(name: $0, folder: entry.folder) } }
    }
  }

  /// The number in the last two digits of a date, and the digits.
  private static func last(_ date: String?) -> (number: UInt64, digits: String)? {
    (date?.suffix(2)).flatMap { digits in UInt64(digits).map { ($0, String(digits)) } }
  }

  /// A directory for each group whose title is a term.
  private func terms(
    _ kind: TermKind, of folder: ViewFolder, by field: GroupField, _ node: (UInt64) -> ViewFolder
  ) throws(Errno) -> [ViewEntry] {
    var entries: [ViewEntry] = []
    for group in try fileSystem.questions.groups(of: CatalogQuestion(.all), by: field, for: owner()).prefix(
      Self.listLimit)
    {
      guard let title = group.title, let number = try term(kind, title),
        let name = ViewName.folder(title, number: number)
      else { continue }
      entries.append(ViewEntry(name: name, folder: node(number)))
    }
    return entries
  }

  // MARK: Duplicates

  /// Groups of photos with the same content, in the order of inodes. A group is named for its first photo, without
  /// the extension and with that photo's inode number.
  private func duplicateGroups() throws(Errno) -> [ViewEntry] {
    let owner = try owner()
    var firsts: [InodeNumber] = []
    for group in try fileSystem.duplicates.groups(.exact) where firsts.count < Self.listLimit {
      let seen = try fileSystem.duplicates.seen(among: group, for: owner)
      if let first = seen.map(\.inode).min() { firsts.append(InodeNumber(rawValue: first)) }
    }
    return try files(firsts).compactMap { file in
      guard let name = file.name else { return nil }
      let end = name.bytes.lastIndex(of: 0x2E) ?? 0
      let stem = FileName(end == 0 ? name.bytes : Array(name.bytes[..<end]))
      return stem.flatMap { ViewName.marked($0, with: file.inode) }.map { marked in
        ViewEntry(name: marked, folder: .group(file.inode))
      }
    }
  }

  /// The photos of a group of duplicates.
  func duplicates(of inode: InodeNumber) throws(Errno) -> [ViewedFile] {
    let same = try fileSystem.reading { files throws(Errno) in
      guard let hash = try files.result(of: files.index.media.row(inode))?.hash else { throw .noSuchFileOrDirectory }
      return try files.result(of: files.index.catalog.inodes(withHash: hash, limit: ViewTable.limit))
    }
    return try files(fileSystem.duplicates.seen(among: same, for: owner()).map { InodeNumber(rawValue: $0.inode) })
  }

  // MARK: Places

  private struct Town {
    var place: Place
    var term: UInt64
    var country: UInt64
  }

  /// The towns with photos, each once, by the first of its terms.
  private func towns() throws(Errno) -> [Town] {
    let groups = try fileSystem.questions.groups(of: CatalogQuestion(.all), by: .place, for: owner())
    var titles = Set(groups.compactMap(\.title).map(Folding.folded))
    let terms = try fileSystem.reading { files throws(Errno) in try files.result(of: files.index.catalog.terms(.place))
    }
    var towns: [Town] = []
    for term in terms {
      guard let place = Place(term: term.text), let country = Self.number(ofCountry: place.countryCode),
        titles.remove(Folding.folded(place.fullName)) != nil
      else { continue }
      towns.append(Town(place: place, term: UInt64(clamping: term.number), country: country))
    }
    return towns
  }

  private func countries() throws(Errno) -> [ViewEntry] {
    Set(try towns().map(\.country)).compactMap { code in
      FileName(Self.country(code)).map { ViewEntry(name: $0, folder: .country(code)) }
    }
  }

  /// If several towns have the same name, their region follows it; if that is not enough, their number.
  private func towns(of country: UInt64) throws(Errno) -> [ViewEntry] {
    let towns = try towns().filter { $0.country == country }
    let byTown = [String: [Town]](grouping: towns) { Folding.folded($0.place.town) }
    return byTown.values.flatMap { same -> [ViewEntry] in
      same.compactMap { town in
        let place = town.place
        let long = place.region.isEmpty ? place.town : place.town + ", " + place.region
        let text = same.count == 1 ? place.town : long
        let twins = same.filter { Folding.folded($0.place.region) == Folding.folded(place.region) }
        let name = ViewName.folder(twins.count == 1 ? text : text + "~\(town.term)", number: town.term)
        return name.map { ViewEntry(name: $0, folder: .town(town.term)) }
      }
    }
  }

  /// A country's number by its two capital letters; nil if the text is not such a code.
  static func number(ofCountry code: some StringProtocol) -> UInt64? {
    let bytes = Array(code.utf8)
    guard bytes.count == 2, bytes.allSatisfy({ (0x41...0x5A).contains($0) }) else { return nil }
    return UInt64(bytes[0]) << 8 | UInt64(bytes[1])
  }
}
