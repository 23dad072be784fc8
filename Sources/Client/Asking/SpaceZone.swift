internal import Catalog

/// The home zone of a mounted space: its clock is shown of times that are known in UTC alone.
package enum SpaceZone {
  /// Its name in the zone database, such as `Europe/Berlin`; nil if the space has none yet, or an older agonyfs serves it.
  /// Such times are then shown in UTC.
  ///
  /// - Parameter mountPoint: where the space is mounted.
  /// - Throws: `Errno` if nothing is mounted there; what an answer that is not whole means.
  package static func name(ofSpaceAt mountPoint: [UInt8]) throws -> String? {
    let door = try CatalogDoor(of: mountPoint)
    var request = CatalogRequest()
    request.asksForZone = true
    try door.ask(request.bytes)
    var reader: AnswerReader
    do {
      reader = try AnswerReader(DoorStream(door))
    } catch is AnswerFailure {
      // What does not know the question knows no home zone.
      return nil
    }
    var name: String?
    _ = try reader.lines { line in name = try JSONReader.value(of: Array(line))["zone"]?.text }
    return name.flatMap { ZoneName.isValid($0) ? $0 : nil }
  }
}
