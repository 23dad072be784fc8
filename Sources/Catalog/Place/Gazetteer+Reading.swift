/// Why a table of towns is rejected.
package enum GazetteerError: Error, Hashable, Sendable {
  /// None of its lines is a town.
  case noTowns
  /// More towns than `Gazetteer.mostTowns`, or more bytes than `Gazetteer.mostBytes`.
  case tooLarge
}

extension Gazetteer {
  /// Most towns of a table. GeoNames' table of places with 500 people and more has 200,000.
  package static let mostTowns = 1_000_000
  /// Most bytes of a table.
  package static let mostBytes = 1 << 30

  /// Reads tables in GeoNames' formats: towns as in `cities15000.txt`, regions as in `admin1Codes.txt` or
  /// `admin1CodesASCII.txt`, countries as in `countryInfo.txt`. Without the tables of regions and countries only
  /// their names are missing. Debian's package `libtimezonemap-data` has all three; the data is from GeoNames, under
  /// CC BY 4.0.
  package init(towns: [UInt8], regions: [UInt8] = [], countries: [UInt8] = []) throws(GazetteerError) {
    guard max(towns.count, regions.count, countries.count) <= Self.mostBytes else { throw .tooLarge }
    var reader = Reader()
    reader.read(regions: regions)
    reader.read(countries: countries)
    try reader.read(towns: towns)
    if reader.table.ids.isEmpty { throw .noTowns }
    self.init(reader.table, skippedLines: reader.skippedLines)
  }

  /// A list of texts, each once, with its number.
  private struct Names {
    var list: [String] = []
    var numbers: [[UInt8]: Int] = [:]

    mutating func number(of bytes: [UInt8], most: Int, text: (String) -> String = { $0 }) -> Int? {
      if let number = numbers[bytes] { return number }
      guard list.count < most else { return nil }
      numbers[bytes] = list.count
      list.append(text(String(decoding: bytes, as: UTF8.self)))
      return list.count - 1
    }
  }

  private struct Reader {
    var table = TownTable()
    var skippedLines = 0
    private var regionTexts: [[UInt8]: String] = [:]
    private var countryTexts: [[UInt8]: String] = [:]

    /// "FR.A8", its name, its name in ASCII, its number.
    mutating func read(regions: [UInt8]) {
      Self.lines(of: regions, columns: 2) { bytes, fields in
        if let code = fields.first, !code.isEmpty, code.count <= 64, fields.count >= 2, fields[1].count <= 512 {
          regionTexts[Array(bytes[code])] = String(decoding: bytes[fields[1]], as: UTF8.self)
        }
      }
    }

    /// Two letters, then other codes, then the name in the fifth column.
    mutating func read(countries: [UInt8]) {
      Self.lines(of: countries, columns: 5) { bytes, fields in
        if fields.count >= 5, fields[0].count == 2, fields[4].count <= 512 {
          countryTexts[Array(bytes[fields[0]])] = String(decoding: bytes[fields[4]], as: UTF8.self)
        }
      }
    }

    mutating func read(towns: [UInt8]) throws(GazetteerError) {
      var regions = Names()
      var countries = Names()
      var zones = Names()
      var isTooLarge = false
      Self.lines(of: towns, columns: 19) { bytes, fields in
        guard table.ids.count < Gazetteer.mostTowns else {
          isTooLarge = true
          return
        }
        guard let town = Town(bytes, fields) else {
          skippedLines += 1
          return
        }
        // A region's code is unique only within its country: "FR" and "A8".
        let code = town.country + [UInt8(ascii: ".")] + town.region
        guard
          let region = regions.number(of: code, most: 1 << 20, text: { _ in regionTexts[code] ?? "" }),
          let country = countries.number(
            of: town.country, most: Int(UInt16.max), text: { countryTexts[town.country] ?? $0 }),
          let zone = zones.number(of: town.zone, most: Int(UInt16.max)),
          table.names.count + town.name.count <= Int(UInt32.max)
        else {
          skippedLines += 1
          return
        }
        table.ids.append(town.id)
        table.latitudes.append(town.position.latitude)
        table.longitudes.append(town.position.longitude)
        table.radii.append(town.radius)
        table.nameStarts.append(UInt32(table.names.count))
        table.nameLengths.append(UInt16(town.name.count))
        table.names.append(contentsOf: town.name)
        table.regions.append(UInt32(region))
        table.countries.append(UInt16(country))
        table.zones.append(UInt16(zone))
      }
      if isTooLarge { throw .tooLarge }
      table.regionNames = regions.list
      table.countryNames = countries.list
      table.countryCodes = .init(repeating: "", count: countries.list.count)
      for (code, number) in countries.numbers { table.countryCodes[number] = String(decoding: code, as: UTF8.self) }
      table.zoneNames = zones.list
    }

    /// Calls `body` with the ranges of the first columns of each line. Empty lines and lines that begin with "#" are
    /// left out.
    private static func lines(of bytes: [UInt8], columns: Int, _ body: ([UInt8], [Range<Int>]) -> Void) {
      var fields: [Range<Int>] = []
      var start = 0
      var place = 0
      func endField() { if fields.count < columns { fields.append(start..<place) } }
      func endLine() {
        endField()
        if let first = fields.first, fields.count > 1 || !first.isEmpty, bytes[first].first != UInt8(ascii: "#") {
          body(bytes, fields)
        }
        fields.removeAll(keepingCapacity: true)
      }
      while place < bytes.count {
        let byte = bytes[place]
        if byte == 0x09 {
          endField()
          start = place + 1
        } else if byte == 0x0A {
          endLine()
          start = place + 1
        }
        place += 1
      }
      if start < place { endLine() }
    }
  }

  /// A line of the table of towns.
  private struct Town {
    var id: UInt32
    var name: [UInt8]
    var position: Position
    var country: [UInt8]
    var region: [UInt8]
    var radius: Float
    var zone: [UInt8]

    init?(_ bytes: [UInt8], _ fields: [Range<Int>]) {
      guard fields.count >= 18, let number = Digits.value(bytes[fields[0]]), let id = UInt32(exactly: number),
        (1...512).contains(fields[1].count), fields[4].count <= 32, fields[5].count <= 32,
        let latitude = Double(String(decoding: bytes[fields[4]], as: UTF8.self)),
        let longitude = Double(String(decoding: bytes[fields[5]], as: UTF8.self)),
        let position = Position(point: latitude, longitude), fields[8].count == 2, fields[10].count <= 32,
        fields[17].count <= 64
      else { return nil }
      // "P" is a town. Parts of towns and abandoned, destroyed or historical towns have other codes.
      let code = String(decoding: bytes[fields[7]].prefix(8), as: UTF8.self)
      guard bytes[fields[6]].elementsEqual([UInt8(ascii: "P")]),
        !["PPLX", "PPLH", "PPLQ", "PPLW", "PPLCH"].contains(code)
      else { return nil }
      self.id = id
      name = Array(bytes[fields[1]])
      self.position = position
      country = Array(bytes[fields[8]])
      region = Array(bytes[fields[10]])
      radius = Self.radius(people: Digits.value(bytes[fields[14]]) ?? 0)
      let zone = bytes[fields[17]]
      self.zone = ZoneName.isValid(String(decoding: zone, as: UTF8.self)) ? Array(zone) : []
    }

    /// The radius of a town in radii of the Earth: four metres times the square root of its population, at most 20
    /// km. Paris has 2.1 million people on 105 square kilometres.
    static func radius(people: Int) -> Float {
      Float(min(20_000, 4 * Double(people).squareRoot()) / Position.radius)
    }
  }
}
