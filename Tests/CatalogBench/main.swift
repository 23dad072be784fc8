// How long the catalog's own work takes, without a database and without a mount: `swift run -c release catalog-bench`.
// Each figure is the best of three rounds, in milliseconds.

internal import Catalog
internal import Import
internal import Media
internal import TestSupport

func file(_ path: String) -> [UInt8] { (try? HostFile.read(path)) ?? [] }

/// The best of three rounds.
@discardableResult
func measure<Value>(_ name: String, _ body: () throws -> Value) rethrows -> Value {
  var best = Duration.seconds(1_000_000)
  var value = try body()
  for _ in 0..<3 {
    let clock = ContinuousClock()
    let start = clock.now
    value = try body()
    best = min(best, clock.now - start)
  }
  let parts = best.components
  let tenths = parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000
  print("\(tenths / 10).\(tenths % 10)\t\(name)")
  return value
}

var numbers = SplitMix64(state: 1)
let folder = "/usr/share/libtimezonemap/ui/"
let (towns, regions, countries) = (
  file(folder + "cities15000.txt"), file(folder + "admin1Codes.txt"), file(folder + "countryInfo.txt")
)
var gazetteer: Gazetteer?
if !towns.isEmpty {
  let table = try measure("read Debian's table of towns") {
    try Gazetteer(towns: towns, regions: regions, countries: countries)
  }
  gazetteer = table
  // Columns 5 and 6 of the table.
  let townCentres = towns.split(separator: 0x0A).compactMap { line -> (Double, Double)? in
    let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
    guard fields.count > 5, let latitude = Double(String(decoding: fields[4], as: UTF8.self)),
      let longitude = Double(String(decoding: fields[5], as: UTF8.self))
    else { return nil }
    return (latitude, longitude)
  }
  for (name, nearTowns) in [("near towns", true), ("anywhere on the globe", false)] {
    let positions: [Position] = (0..<100_000).compactMap { _ in
      let anywhere = (Double.random(in: -90...90, using: &numbers), Double.random(in: -180...180, using: &numbers))
      let near = nearTowns ? townCentres.randomElement(using: &numbers) : nil
      let (north, east) = (
        Double.random(in: -0.2...0.2, using: &numbers), Double.random(in: -0.2...0.2, using: &numbers)
      )
      let (latitude, longitude) = near.map { ($0.0 + north, $0.1 + east) } ?? anywhere
      return Position(point: latitude, longitude)
    }
    measure("100,000 positions \(name), with the town's names") {
      positions.reduce(into: 0) { count, position in count += table.place(at: position) == nil ? 0 : 1 }
    }
  }
}

let zone = file("/usr/share/zoneinfo/Europe/Paris")
measure("read a zone 1,000 times") {
  (0..<1000).reduce(into: 0) { count, _ in count += ZoneRules(tzif: zone) == nil ? 0 : 1 }
}
if let rules = ZoneRules(tzif: zone) {
  measure("100,000 offsets of wall times") {
    (0..<100_000).reduce(into: 0) { $0 += Int(rules.offset(wall: Int64($1) * 20_000)) }
  }
}
measure("100,000 times from names") {
  (0..<100_000).reduce(into: 0) { count, number in
    count += NameTime.candidate(name: "IMG_20230101_1234\(10 + number % 49).jpg".utf8) == nil ? 0 : 1
  }
}

let cities = [(48.85, 2.35), (35.68, 139.7), (-33.87, 151.2), (40.71, -74.0)]
let places = cities.compactMap { city in
  Position(latitude: city.0, longitude: city.1).flatMap { gazetteer?.place(at: $0) }
}
let items: [MediaItem] = (1...100_000).map { number in
  var item = MediaItem(
    inode: UInt64(number), names: [ItemName("20\(10 + number % 15)/Album \(number % 300)/IMG_\(number).jpg")],
    kind: number % 9 == 0 ? .mp4 : .jpeg)
  item.taken = WallTime(seconds: 1_262_304_000 + Int64.random(in: 0..<473_000_000, using: &numbers)).map {
    CapturedTime(wall: $0, source: .exif)
  }
  item.size = .random(in: 0..<20_000_000, using: &numbers)
  (item.width, item.height) = (4000, 3000)
  item.place = places.isEmpty || number % 3 == 0 ? nil : places[number % places.count]
  item.words.rating = number % 7 == 0 ? number % 5 + 1 : nil
  item.words.tags = number % 4 == 0 ? ["Family", "Trips/\(number % 50)"] : []
  item.camera.model = "Camera \(number % 8)"
  return item
}
for text in [
  "", "date:2019 rating:>=3", "tag:trips type:photo size:>10M", "paris", "\"album 12\"", "nothing", "name:*77*.jpg",
] {
  let query = try QueryParser.parse(text)
  measure("scan 100,000 records: \(text.isEmpty ? "(all)" : text)") {
    items.reduce(into: 0) { $0 += query.answers($1) ? 1 : 0 }
  }
}
for field in [GroupField.month, .tag, .place] {
  measure("groups of 100,000 by \(field)") { Grouping.of(items, to: .all, by: field).count }
}
measure("parse 10,000 queries") {
  (0..<10_000).reduce(into: 0) { count, _ in
    count +=
      (try? QueryParser.parse("place:paris date:2019..2021 rating:>=3 -type:video (tag:a|b | \"eiffel tower\")")) == nil
      ? 0 : 1
  }
}

func similar(_ list: [(UInt64, UInt64)]) -> Int {
  var candidates = SimilarCandidates()
  for (inode, hash) in list { candidates.append(inode, hash: hash) }
  return SimilarPictures.groups(of: candidates).count
}

let random = (1...100_000).map { (UInt64($0), numbers.next()) }
measure("similar pictures among 100,000, hardly any") { similar(random) }
let centres = (0..<20_000).map { _ in numbers.next() }
let close = (1...100_000).map { inode in
  let flips = (0..<3).reduce(into: UInt64(0)) { bits, _ in bits |= 1 << UInt64.random(in: 0..<64, using: &numbers) }
  return (UInt64(inode), centres[inode % centres.count] ^ flips)
}
measure("similar pictures among 100,000, five of each") { similar(close) }
// Smooth pictures have few different hashes in a band.
let smooth = (1...100_000).map { inode in
  (UInt64(inode), numbers.next() & 0x3F3F_0F0F_3F0F_0F3F | 0x8080_0000_8000_0000)
}
measure("similar pictures among 100,000, smooth ones") { similar(smooth) }

let candidates = (1...100_000).map { inode in
  var file = StackCandidate(
    inode: UInt64(inode), directory: UInt64(inode / 500),
    name: Array("IMG_\(inode / 2).\(inode % 2 == 0 ? "CR2" : "JPG")".utf8), kind: inode % 2 == 0 ? .raw : .jpeg)
  file.taken = items[(inode - 1) / 2 * 2].taken
  file.camera = "Camera"
  return file
}
measure("stacks of 100,000 files") { StackRules.stacks(of: candidates).list.count }
let media = (1...50_000).map {
  StackCandidate(inode: UInt64($0), directory: UInt64($0 / 5000), name: Array("IMG_\($0).jpg".utf8), kind: .jpeg)
}
let sidecars = (1...50_000).map {
  SidecarFile(
    inode: UInt64($0 + 50_000), directory: UInt64($0 / 5000),
    name: Array("IMG_\($0).jpg.supplemental-metadata.json".utf8))
}
measure("50,000 sidecars matched with 50,000 files") { Sidecars.match(sidecars, to: media).ofMedia.count }

// Half of them JSONs: of each sixteen one has a cut name, one is a copy with a number, one lies in another part.
let takeout = (0..<25_000).map { number in
  let name = number % 16 == 0 ? "a_name_that_is_longer_than_takeout_writes_\(number).jpg" : "IMG_\(number).jpg"
  let directory = "Takeout/Google Photos/Photos from \(2000 + number % 20)/"
  let copy = number % 16 == 1 ? "(1)" : ""
  let suffix = (name + ".supplemental-metadata").utf8.prefix(46)
  return (
    photo: Array((directory + name.dropLast(4) + copy + ".jpg").utf8),
    json: Array(directory.utf8) + Array(suffix) + Array((copy + ".json").utf8),
    title: Array(name.utf8), part: number % 16 == 2 ? 1 : 0
  )
}
let counts = measure("match 50,000 files of a Google Takeout") {
  var tree = TakeoutTree()
  for file in takeout {
    tree.add(path: file.photo)
    tree.add(path: file.json, part: file.part, title: file.title)
  }
  return tree.matched().counts
}
print("of 25,000 photos \(counts.matched) have their JSON")
