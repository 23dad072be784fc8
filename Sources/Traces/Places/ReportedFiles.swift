// Invariants
// 1. These files are only read: they also hold data that is unrelated to the places, in formats of their programs.
// 2. A limited number of bytes of each file is read, in blocks; a rest that is skipped is reported.

internal import SystemPackage

/// Files of one program that may contain paths of the places, and that only the user can clean.
struct ReportedFiles: TraceSource {
  /// Files or folders below a root.
  struct Location {
    var root: Home.Root
    /// `*` stands for a whole name, or a part of it between fixed text.
    var path: String
    /// If it is a folder, how many levels of folders are searched.
    var depth = 4

    init(_ root: Home.Root, _ path: String, depth: Int = 4) {
      self.root = root
      self.path = path
      self.depth = depth
    }
  }

  let program: String
  let kind: Finding.Kind
  /// Whether the files are lines of text.
  var isText = false
  /// Whether the program also keeps small pictures, under names that reveal nothing.
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

  /// The folders that a path with `*` leads to.
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

/// The mentions of the places in a file.
struct FileScan {
  /// Most bytes of a file that are read.
  static let limit = 1 << 30
  /// Most line numbers that are kept.
  static let mostLines = 1000
  /// Bytes in a block.
  static let block = 4 << 20

  /// The number of paths.
  private(set) var count = 0
  /// The lines that contain them, counted from 1, in a text.
  private(set) var lines: [Int] = []
  /// Whether a path continues below a place.
  private(set) var isBelow = false
  /// Whether the whole file was read.
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
      // A path that begins near the end of a block may end in the next one.
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
