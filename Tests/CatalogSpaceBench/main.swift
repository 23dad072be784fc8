// How long a space's catalog takes to answer: fills the index of a real space in a folder with records, opens the space
// again, and asks. `swift run -c release catalog-space-bench FOLDER RECORDS`. Figures are the best of five rounds in
// milliseconds, and the most memory of the process meanwhile in MiB; what is read through the door is read as the kernel
// reads it, in pieces of 512 KiB. The vault stays, and can be mounted with the password "bench".

internal import Albums
internal import CPlatform
internal import Catalog
internal import Crypto
internal import Glibc
internal import Index
internal import Library
internal import Logging
internal import Media
internal import Storage
internal import System
internal import SystemPackage
internal import TestSupport
internal import Vault

/// Random numbers that are the same in every run.
struct Numbers: RandomNumberGenerator {
  private var numbers = SplitMix64(state: 1)
  /// The look of the picture before; some look nearly like it.
  var lastLook: UInt64 = 0
  mutating func next() -> UInt64 { numbers.next() }
}

let places = [
  ("Paris", "Île-de-France", "France", "FR"), ("Tokyo", "", "Japan", "JP"),
  ("Sydney", "New South Wales", "Australia", "AU"),
  ("Lyon", "Auvergne-Rhône-Alpes", "France", "FR"), ("Berlin", "", "Germany", "DE"), ("Rome", "Lazio", "Italy", "IT"),
].enumerated().map { index, place in
  Place(id: UInt32(index), town: place.0, region: place.1, countryCode: place.3, country: place.2, zone: "Europe/Paris")
}

/// A record like those of a library of years: most have a time and a camera, half a place, a fifth tags.
func record(_ number: Int, inode: InodeNumber, of count: Int, _ numbers: inout Numbers) -> MediaItem {
  var item = MediaItem(inode: inode.rawValue, kind: number % 12 == 0 ? .mp4 : number % 40 == 1 ? .raw : .jpeg)
  let second = 1_262_304_000 + Int64(number) * 473_000_000 / Int64(count) + Int64.random(in: 0..<4000, using: &numbers)
  item.taken = WallTime(seconds: second).map {
    CapturedTime(wall: $0, source: .exif, offset: 3600, zoneSource: .gazetteer)
  }
  item.size = .random(in: 1_000_000..<20_000_000, using: &numbers)
  item.modified = second
  (item.width, item.height) = (4032, 3024)
  item.perceptualHash = number % 20 == 1 ? numbers.lastLook ^ 0x8000_0400_0000_0001 : numbers.next()
  numbers.lastLook = item.perceptualHash ?? 0
  item.camera.make = "Maker"
  item.camera.model = "Camera \(number / 20_000 % 8)"
  item.camera.lens = "Lens \(number % 3)"
  item.camera.iso = 100 << (number % 5)
  item.camera.exposure = 1 / Double(50 << (number % 4))
  item.camera.aperture = 2.8
  item.camera.focalLength = 50
  if number % 2 == 0 {
    item.place = places[number / 300 % places.count]
    item.position = Position(
      latitude: 48.85 + Double.random(in: -0.2...0.2, using: &numbers),
      longitude: 2.35 + Double.random(in: -0.2...0.2, using: &numbers))
  }
  if item.kind == .mp4 {
    item.video.duration = Double(number % 300)
    item.video.codec = "h264"
    item.video.frameRate = 30
  }
  if number % 7 == 0 { item.words.rating = number % 5 + 1 }
  if number % 5 == 0 { item.words.tags = TagList.normal(["Family", "Trips/\(number / 500 % 200)"]) }
  if number % 9 == 0 { item.words.people = ["Person \(number % 50)"] }
  if number % 25 == 0 { item.words.title = "A title with some words \(number % 1000)" }
  for field in [MediaField.time, .zone, .make, .model, .lens, .iso, .exposure, .aperture, .focalLength] {
    item.sources[field] = FactSources(.exif)
  }
  return item
}

/// Fills the index; gives the pages before and after the catalog's rows.
func fill(_ space: Space, _ count: Int) throws -> (before: Int, after: Int) {
  let index = try Index(space: space)
  var numbers = Numbers()
  var files: [(inode: InodeNumber, folder: InodeNumber, name: FileName)] = []
  let mode: UInt32 = 0o100644
  let perFolder = 350
  var folder = InodeNumber.root
  let step = 20_000
  for start in stride(from: 0, to: count, by: step) {
    try index.withSavepoint { () throws(IndexError) in
      for number in start..<min(start + step, count) {
        if number % perFolder == 0 {
          let record = InodeRecord(
            number: index.nextInodeNumber(), mode: 0o40755, links: 2, owner: 1000, group: 1000, time: .now(),
            parent: .root)
          try index.insert(record)
          folder = record.number
          guard let name = FileName("\(2010 + number * 15 / count) Album \(number / perFolder)") else { continue }
          try index.insertDentry(
            parent: .root, DentryRecord(name: name, inode: folder, kind: 4, cookie: index.nextCookie()))
        }
        var record = InodeRecord(
          number: index.nextInodeNumber(), mode: mode, links: 1, owner: 1000, group: 1000, time: .now())
        record.size = 5_000_000
        try index.insert(record)
        guard let name = FileName("IMG_\(number).jpg") else { continue }
        try index.insertDentry(
          parent: folder, DentryRecord(name: name, inode: record.number, kind: 8, cookie: index.nextCookie()))
        var media = MediaRecord(inode: record.number, state: .known)
        media.hash = (0..<32).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        media.kind = 1
        try index.media.setMedia(media)
        files.append((record.number, folder, name))
      }
    }
    try index.commit(to: space)
  }
  let before = space.databasePageCount
  let rights = ItemRights(mode: mode, owner: 1000, group: 1000, mayHaveList: false)
  for start in stride(from: 0, to: files.count, by: step) {
    try index.withSavepoint { () throws(IndexError) in
      for number in start..<min(start + step, files.count) {
        let file = files[number]
        let item = record(number, inode: file.inode, of: count, &numbers)
        let place = ItemPlace(names: [(file.folder, file.name.bytes)], rights: rights)
        try index.catalog.setMediaItem(item, at: place, found: found, version: Int64(MediaItem.factsVersion))
      }
    }
    try index.commit(to: space)
  }
  return (Int(before), Int(space.databasePageCount))
}

/// As long as what the decoder finds in a photo of a phone.
let found = [UInt8](repeating: 7, count: 160)

/// The best of five rounds.
@discardableResult
func measure<Value>(_ name: String, rounds: Int = 5, _ body: () throws -> Value) rethrows -> Value {
  var best = Duration.seconds(1_000_000)
  forgetPeak()
  var value = try body()
  for _ in 1..<rounds {
    let clock = ContinuousClock()
    let start = clock.now
    value = try body()
    best = min(best, clock.now - start)
  }
  let hundredths = best.components.seconds * 100_000 + best.components.attoseconds / 10_000_000_000_000
  let decimals = hundredths % 100
  print("\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals)\t\(peak())\t\(name)\t\(value)")
  return value
}

/// A number of kibibytes in /proc/self/status, in MiB.
func status(_ name: String) -> Int {
  let text = (try? WholeFile.read("/proc/self/status")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
  return (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) >> 10
}

/// The most memory of the process since `forgetPeak()`, in MiB.
func peak() -> Int { status("VmHWM") }

/// Begins to look for the most memory again.
func forgetPeak() { try? Descriptor.open("/proc/self/clear_refs", O_WRONLY).writeAll(Array("5".utf8)) }

let arguments = CommandLine.arguments
guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
  print("usage: catalog-space-bench FOLDER RECORDS")
  exit(2)
}
let creation = try DirectoryCreation(at: FilePath(arguments[1]))
var options = VaultCreationOptions()
options.cover = 0
options.derivation = .init(cost: .interactive)
let password = unsafe Array("bench".utf8).withUnsafeBytes { unsafe Password(copying: $0) }
let vault = try SpaceManager.createVault(in: creation.storage, options: options, password: password)
try creation.complete()
let body = try vault.openSlot(try vault.slotKeys(for: password)).body
var space = try vault.openSpace(body)
let pages = try fill(space, count)
print("\((pages.after - pages.before) * 4096 / count) bytes of the store for each row of the catalog")
try space.close()
space = try vault.openSpace(body)
agonyfs_trim_heap()
print("before the space is opened: \(status("VmRSS")) MiB")

var logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
let files = try FileSystem(space: space, options: FileSystemOptions(logger: logger), changeSink: Library())
let opener = Opener(user: 1000, group: 1000)

func door(_ request: String) -> Int {
  let session = DoorSession(files, for: opener)
  session.write(Array(request.utf8))
  var bytes = 0
  while case let part = session.read(512 << 10), !part.isEmpty { bytes += part.count }
  return bytes
}

func measureFirst(_ name: String, _ text: String) throws {
  let question = CatalogQuestion(try QueryParser.parse(text), limit: 100)
  try measure("\(name): \(text)") {
    var found = 0
    try files.questions.answers(to: question, for: opener) { _ in
      found += 1
      return true
    }
    return found
  }
}

measure("list -0 of all paths (bytes)") { door("format paths0\n\n") }
measure("JSON of all facts (bytes)", rounds: 3) { door("format json\n\n") }
measure("all paths by size (bytes)", rounds: 3) { door("format paths0\nsort size\n\n") }
for field in GroupField.allCases {
  try measure("groups by \(field.rawValue)") {
    try files.questions.groups(of: CatalogQuestion(.all), by: field, for: opener).count
  }
}
for text in [
  "", "date:2019", "date:2019 rating:>=3", "date:2019 rating:>=3 place:paris", "type:video duration:>200s size:>10M",
  "tag:family", "tag:trips/77", "camera:\"camera 3\" lens:\"lens 1\"", "near:48.85,2.35,1km", "person:\"person 7\"",
  "iso:400", "rating:5 type:raw date:2011", "size:>100M", "camera:none", "name:*7777*", "country:de has:people",
  "is:favourite",
] {
  try measureFirst("first 100", text)
}
for text in ["img_77777", "img_777*", "paris", "\"some words\"", "\"album 77\"", "title paris", "nothing"] {
  try measureFirst("words, first 100", text)
}
for text in ["", "date:2019", "rating:>=3", "tag:family", "paris"] {
  let query = try QueryParser.parse(text)
  try measure("count: \(text)") { try files.questions.count(of: CatalogQuestion(query), for: opener) }
}
try measure("pictures that look alike (groups)", rounds: 3) { try files.duplicates.groups(.similar).count }
try measure("files with the same content (groups)", rounds: 3) { try files.duplicates.groups(.exact).count }
print("afterwards: \(status("VmRSS")) MiB")
try files.close()
