// Invariants
// 1. All rows are read and parsed before the first file is changed.
// 2. A row is applied to its file as a whole, or not at all.
// 3. No row changes a file outside the space, whatever path it names.

internal import ArgumentParser
internal import Client
internal import Mount
internal import System
internal import SystemPackage

/// `agonyfs tag --from`: imports facts from another program.
struct FactImport {
  /// The file of JSON or CSV.
  let from: FilePath
  /// `THEIRS=OURS,…`.
  let map: String
  /// The mount point of the space, or a directory in it.
  let place: [UInt8]
  let isTrial: Bool

  /// Most rows without a file that are listed one by one.
  private static let mostNamed = 20

  func run() throws {
    guard let start = try PhotoLibrary.place(of: place) else { throw PhotoLibrary.notMounted(place) }
    let bytes = try CommandFailure.doing("reading \(TerminalText.safe(from.bytes))") { () throws(Errno) in
      from == "-" ? try Descriptor.standardInput.readToEnd() : try WholeFile.read(from)
    }
    var fields: FieldMap?
    let rows = try FactRow.read(bytes, named: from.string) { known in
      let read = try FieldMap(map, known: known)
      fields = read
      return read.columns
    }
    guard let fields else { throw CommandFailure(.failure, "\(TerminalText.safe(from.bytes)) does not have any row.") }
    var finder = FileFinder(place: start, path: place)
    var changes: [(row: Int, path: [UInt8], change: WordsChange)] = []
    var refused = 0
    var lost = 0
    var touched: Set<[UInt8]> = []
    var replacing = 0
    var replaced: Set<String> = []
    func note(_ row: FactRow, _ text: String, _ count: inout Int) {
      count += 1
      if count <= Self.mostNamed { Output.note("Row \(row.number): \(text)") }
    }
    for row in rows {
      do throws(WordsRefused) {
        let change = try fields.change(row)
        switch try finder.file(of: row, fields) {
        case .one(let path): changes.append((row.number, path, change))
        case .none: note(row, "the file does not exist.", &lost)
        case .several(let count): note(row, "\(count.counted("file has", "files have")) this name; map a path.", &lost)
        }
      } catch {
        note(row, error.reason, &refused)
      }
    }
    func sayReplaced() {
      if replacing == 0 { return }
      let verb = isTrial ? "would be replaced" : "were replaced"
      Output.line(
        "Your earlier words for \(replacing.counted("file")) \(verb): \(replaced.sorted().joined(separator: ", ")).")
    }
    for (row, path, change) in changes where !change.isEmpty {
      // Only the first row of a file replaces words of the user.
      let isFirst = touched.insert(path).inserted
      let words = isFirst ? change.replaced(of: (try? AttributeFile(path).words()) ?? [:]) : []
      do {
        if !isTrial { try Tagger(change: change).tag(path) }
        if !words.isEmpty { replacing += 1 }
        replaced.formUnion(words.map { "\($0)" })
      } catch let failure as CommandFailure {
        refused += 1
        Output.note("Row \(row): \(failure.message)")
        // This error would hit every further row as well.
        if failure.status == .noRoom {
          sayReplaced()
          throw ExitCode(failure.status.rawValue)
        }
      }
    }
    let verb = isTrial ? "would be matched" : "matched"
    Output.line("\(rows.count.counted("row")): \(changes.count) \(verb), \(lost) without a file, \(refused) refused.")
    sayReplaced()
    if refused > 0 { throw ExitCode(CommandStatus.failure.rawValue) }
  }
}

/// Finds the files that rows name.
struct FileFinder {
  enum Match: Equatable {
    case one([UInt8])
    case none
    case several(Int)
  }

  /// The directory that relative paths start from.
  let place: SpacePlace
  /// The path of that directory, as the user gave it.
  let path: [UInt8]
  /// Paths in the space by file name; built when first needed.
  private var named: [String: [[UInt8]]]?

  init(place: SpacePlace, path: [UInt8]) {
    self.place = place
    self.path = path
  }

  /// The file of a row, as an absolute path.
  mutating func file(of row: FactRow, _ fields: FieldMap) throws(WordsRefused) -> Match {
    func text(_ target: FieldMap.Target) -> String? {
      fields.theirs[target].flatMap { row.texts[$0]?.first }.flatMap { $0.isEmpty ? nil : $0 }
    }
    if let path = text(.path) {
      let slash = UInt8(ascii: "/")
      let bytes = Array(path.utf8)
      if bytes.contains(0) { return .none }
      let start = place.mountPoint + [slash] + place.path + [slash]
      let whole = bytes.first == slash ? bytes : start + bytes
      // Links and `..` are resolved first, so the check sees the real place.
      if let found = try? SpacePlace.of(whole), found.mountPoint == place.mountPoint {
        return .one(found.mountPoint + [slash] + found.path)
      }
      if fields.theirs[.name] == nil { return .none }
    }
    guard let name = text(.name) else {
      throw WordsRefused(reason: "it does not name its file.")
    }
    let known: [String: [[UInt8]]]
    do {
      known = try named ?? names()
    } catch {
      throw WordsRefused(reason: "the catalog does not answer.")
    }
    named = known
    let last = name.split(separator: "/").last.map(String.init) ?? name
    guard let paths = known[last], let first = paths.first else { return .none }
    return paths.count == 1 ? .one(place.mountPoint + [UInt8(ascii: "/")] + first) : .several(paths.count)
  }

  private func names() throws -> [String: [[UInt8]]] {
    let library = PhotoLibrary(place, as: path, source: MountedSource(mountPoint: place.mountPoint))
    var request = library.request("")
    request.format = .paths
    var reader = try library.source.answer(to: request)
    var names: [String: [[UInt8]]] = [:]
    _ = try reader.paths { path in
      // Swift compares strings by canonical equivalence, so accents match however they are encoded.
      let name = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? path.startIndex)...]
      names[String(decoding: name, as: UTF8.self), default: []].append(Array(path))
    }
    return names
  }
}
