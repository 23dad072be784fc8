import AlbumsSupport

@testable import Albums

/// What is done again and again, each made of several calls.
extension Workload {
  /// Goes on for so many habits.
  func run(_ count: Int) throws { for _ in 0..<count { try habit() } }

  /// One of all habits.
  func habit() throws {
    switch number(0...99) {
    case 0..<18: try importAlbum()
    case 18..<34: try saveDocument()
    case 34..<52: try changeCatalog()
    case 52..<64: try deleteSomething()
    case 64..<74: try moveSomething()
    case 74..<80: try cutSomething()
    case 80..<83: try commit()
    case 83..<86: try lookAtPhotos()
    case 86..<90: try synchronize()
    case 90..<94: try clean()
    case 94..<97: try remount()
    case 97..<98: try changePassword()
    case 98..<99: try useOtherSpace()
    default: try writeLongFile()
    }
  }

  func importAlbum() throws {
    let album = "/album \(number(0...5))"
    if !model.hasFolder(at: album) { try makeFolder(album) }
    for _ in 0..<number(1...3) {
      let photo = album + "/photo \(number(0...30))"
      if model.node(at: photo) != nil { continue }
      try makeFile(photo, mode: 0o600)
      // Some come twice.
      let isTwin = lastPhoto != nil && number(0...4) == 0
      let content = isTwin ? lastPhoto : photoMark + bytes([500, 20_000, 90_000][number(0...2)])
      lastPhoto = content
      try write(content ?? [], to: photo)
      if number(0...1) == 0 { try setLabel(photo) }
    }
    if number(0...1) == 0 { try lookAtPhotos() }
    if number(0...1) == 0 { try synchronize() }
  }

  func saveDocument() throws {
    let document = "/notes \(number(0...2))"
    try makeFile("/.new")
    try write(bytes(30_000), to: "/.new")
    if number(0...3) > 0 { try synchronize() }
    try rename("/.new", to: document)
    if number(0...1) == 0 { try synchronize() }
  }

  /// Changes pages of a database in the way of SQLite with a journal.
  func changeCatalog() throws {
    let (catalog, journal) = ("/catalog.db", "/catalog.db-journal")
    if model.node(at: catalog) == nil {
      try makeFile(catalog)
      try allocate(catalog, 4096 * 20)
      try write(bytes(65_536), to: catalog)
    }
    try makeFile(journal)
    try write(bytes(4096 * 2), to: journal)
    try synchronize()
    for _ in 0..<number(1...3) { try write(bytes(4096, exactly: true), to: catalog, at: 4096 * number(0...19)) }
    try synchronize()
    try remove(journal)
    if number(0...1) == 0 { try synchronize() }
  }

  func deleteSomething() throws {
    for _ in 0..<number(1...4) {
      guard let path = model.paths.randomElement(using: &generator) else { return }
      try remove(path)
    }
    let empty = model.folders.first { model.node(at: $0)?.children.isEmpty == true }
    if let empty { try remove(empty) }
  }

  func moveSomething() throws {
    guard let path = model.paths.randomElement(using: &generator) else { return }
    switch number(0...2) {
    case 0:
      let new = path + " again"
      if model.node(at: new) == nil, new.utf8.count < 200 { try link(path, as: new) }
    case 1:
      let new = "/moved \(number(0...3))"
      if model.node(at: new) !== model.node(at: path) { try rename(path, to: new) }
    default:
      guard let folder = model.folders.randomElement(using: &generator) else { return }
      let new = "/folder \(number(0...9))"
      if !model.hasFolder(at: new) { try rename(folder, to: new) }
    }
  }

  func cutSomething() throws {
    guard let path = model.paths.randomElement(using: &generator) else { return }
    try truncate(path, to: number(0...60_000))
  }

  /// A file that fills segments.
  func writeLongFile() throws {
    let path = "/video \(number(0...1))"
    if model.node(at: path) == nil { try makeFile(path) }
    try write(bytes(1_200_000, exactly: true), to: path, at: number(0...1) * 300_000)
  }

  /// At most so many bytes.
  private func bytes(_ most: Int, exactly: Bool = false) -> [UInt8] {
    pattern(exactly ? most : number(1...most))
  }
}
