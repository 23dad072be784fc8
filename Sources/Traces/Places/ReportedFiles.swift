// Invariants
// 1. These files are only read: they hold what is not of the places, too, in forms of their programs.
// 2. Of each file a limited number of bytes is looked at, in blocks; what is left out is told.

internal import SystemPackage

/// Files of one program in which paths of the places may stand, and which only the user can clean.
struct ReportedFiles: TraceSource {
  /// Files or folders below a root.
  struct Location {
    var root: Home.Root
    /// `*` stands for one name that begins and ends with what is around it.
    var path: String
    /// How many levels of folders are searched if it is a folder.
    var depth = 4

    init(_ root: Home.Root, _ path: String, depth: Int = 4) {
      self.root = root
      self.path = path
      self.depth = depth
    }
  }

  let program: String
  let kind: Finding.Kind
  /// Whether its files are lines of text.
  var isText = false
  /// Whether it keeps small pictures, too, under names that tell nothing.
  var hasPictures = false
  /// What the user can do.
  let advice: String
  let locations: [Location]

  var isRemovable: Bool { false }

  func search(_ search: inout TraceSearch) {
    for location in locations {
      var parts = location.path.split(separator: "/").map { Array($0.utf8) }
      guard let name = parts.popLast(), let root = search.folder(location.root) else { continue }
      for folder in folders(parts[...], in: root, &search) {
        for found in matching(name, in: folder, &search) { look(at: found, in: folder, location.depth, &search) }
      }
    }
  }

  /// The folders that a path leads to.
  private func folders(_ parts: ArraySlice<[UInt8]>, in folder: Folder, _ search: inout TraceSearch) -> [Folder] {
    guard let first = parts.first else { return [folder] }
    var folders: [Folder] = []
    for name in matching(first, in: folder, &search) {
      if let inner = search.folder(name, in: folder) { folders += self.folders(parts.dropFirst(), in: inner, &search) }
    }
    return folders
  }

  private func matching(_ pattern: [UInt8], in folder: Folder, _ search: inout TraceSearch) -> [[UInt8]] {
    guard let star = pattern.firstIndex(of: UInt8(ascii: "*")) else {
      return (try? folder.status(of: pattern)) == nil ? [] : [pattern]
    }
    let (start, end) = (pattern[..<star], pattern[(star + 1)...])
    return search.names(in: folder).filter { name in
      name.count >= start.count + end.count && name.starts(with: start) && name.suffix(end.count).elementsEqual(end)
    }
  }

  private func look(at name: [UInt8], in folder: Folder, _ depth: Int, _ search: inout TraceSearch) {
    if let inner = try? folder.folder(name) {
      guard depth > 0, !search.places.contains(inner.path) else { return }
      for name in search.names(in: inner) { look(at: name, in: inner, depth - 1, &search) }
      return
    }
    guard let file = search.file(name, in: folder) else { return }
    let path = folder.path(of: name)
    do throws(Errno) {
      let scan = try FileScan(file, search.matcher, isText: isText)
      var scans = [scan]
      if kind == .history, let vaults = search.vaultMatcher {
        scans.append(try FileScan(file, vaults, isText: isText))
      }
      if !scans.allSatisfy(\.isComplete) { search.couldNotSearch(path, .fileTooLarge) }
      let count = scans.reduce(0) { $0 + $1.count }
      guard count > 0 else { return }
      let reveals: Finding.Reveals =
        hasPictures ? .picture : scan.isBelow ? .names : scan.count > 0 ? .place : .vault
      search.found(
        Finding(
          program: program, kind: kind, file: path, count: count, lines: Set(scans.flatMap(\.lines)).sorted(),
          reveals: reveals, remedy: .byHand(advice)))
    } catch {
      search.couldNotSearch(path, error)
    }
  }
}

/// What a file has of the places.
struct FileScan {
  /// Most bytes of a file that are looked at.
  static let limit = 1 << 30
  /// Most numbers of lines that are kept.
  static let mostLines = 1000
  /// How many bytes are read at once.
  static let block = 4 << 20

  /// How many paths there are.
  private(set) var count = 0
  /// The lines with them, from 1, in a text.
  private(set) var lines: [Int] = []
  /// Whether one goes on below a place.
  private(set) var isBelow = false
  /// Whether all of the file was looked at.
  private(set) var isComplete = true

  init(
    _ file: OwnFile, _ matcher: PathMatcher, isText: Bool, limit: Int = Self.limit, block: Int = Self.block
  ) throws(Errno) {
    var offset = 0
    var line = 1
    var bytes: [UInt8] = []
    while true {
      let more = try file.read(at: offset + bytes.count, most: block)
      bytes += more
      let isLast = more.count < block
      // What begins near the end of a block may end in the next one.
      let decided = isLast ? bytes.count : max(0, bytes.count - matcher.longest)
      var place = 0
      for hit in matcher.hits(in: bytes, isText: isText) where hit.offset < decided {
        count += 1
        isBelow = isBelow || hit.isBelow
        guard isText else { continue }
        line += hit.offset > place ? bytes[place..<hit.offset].count { $0 == 0x0A } : 0
        place = max(place, hit.offset)
        if lines.last != line, lines.count < Self.mostLines { lines.append(line) }
      }
      if isLast { return }
      if isText { line += bytes[place..<decided].count { $0 == 0x0A } }
      offset += decided
      bytes.removeFirst(decided)
      if offset >= limit {
        isComplete = false
        return
      }
    }
  }
}
