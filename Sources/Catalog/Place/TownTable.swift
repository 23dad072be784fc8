// Invariants
// 1. All columns have the same length; indices of names are within their lists.
// 2. `byID` has all indices in the order of `ids`.

internal import System

/// Columns of facts about towns. Their names are in one array, because a String for each would take more memory.
struct TownTable: Sendable {
  var ids: [UInt32] = []
  var latitudes: [Double] = []
  var longitudes: [Double] = []
  /// Radii of the towns, in radii of the Earth.
  var radii: [Float] = []
  var names: [UInt8] = []
  /// The start of each town's name in `names`.
  var nameStarts: [UInt32] = []
  var nameLengths: [UInt16] = []
  var regions: [UInt32] = []
  var countries: [UInt16] = []
  var zones: [UInt16] = []
  var regionNames: [String] = []
  var countryCodes: [String] = []
  var countryNames: [String] = []
  var zoneNames: [String] = []
  private(set) var byID: [UInt32] = []

  func place(_ index: Int) -> Place {
    let start = Int(nameStarts[index])
    let country = Int(countries[index])
    return Place(
      id: ids[index], town: String(decoding: names[start..<start + Int(nameLengths[index])], as: UTF8.self),
      region: regionNames[Int(regions[index])], countryCode: countryCodes[country], country: countryNames[country],
      zone: zoneNames[Int(zones[index])])
  }

  func index(of id: UInt32) -> Int? {
    let place = byID.prefixCount { ids[Int($0)] < id }
    return place < byID.count && ids[Int(byID[place])] == id ? Int(byID[place]) : nil
  }

  /// The same towns in another order.
  func reordered(_ order: [Int]) -> TownTable {
    var table = self
    table.ids = order.map { ids[$0] }
    table.latitudes = order.map { latitudes[$0] }
    table.longitudes = order.map { longitudes[$0] }
    table.radii = order.map { radii[$0] }
    table.nameStarts = order.map { nameStarts[$0] }
    table.nameLengths = order.map { nameLengths[$0] }
    table.regions = order.map { regions[$0] }
    table.countries = order.map { countries[$0] }
    table.zones = order.map { zones[$0] }
    table.byID = order.indices.map(UInt32.init).sorted { table.ids[Int($0)] < table.ids[Int($1)] }
    return table
  }
}
