internal import Catalog

/// How a mounted space finds the zone of a photo that states none: by the town of its position, otherwise by the home
/// zone of the space, in which times known only in UTC are shown.
package struct SpaceZone: Equatable, Sendable {
  /// Its name in the zone database, such as `Europe/Berlin`. Nil if the space has none yet, or an older agonyfs serves
  /// it: then times known only in UTC are shown in UTC.
  package var name: String?
  /// The path of the table of towns that the mount uses; nil for the system's table.
  package var towns: [UInt8]?
  /// Whether the mount uses a table that it hides from this user.
  package var townsAreHidden = false

  /// The error of an agonyfs that does not know home zones.
  private static let unknownOption = "The option \"zone\" is not understood"

  /// Asks a space for its zone.
  ///
  /// - Parameter mountPoint: where the space is mounted.
  /// - Throws: `Errno` if no space is mounted there; `AnswerFailure` if the answer is missing or incomplete.
  package init(ofSpaceAt mountPoint: [UInt8]) throws {
    let door = try CatalogDoor(of: mountPoint)
    var request = CatalogRequest()
    request.asksForZone = true
    try door.ask(request.bytes)
    try self.init(DoorStream(door))
  }

  /// Reads the answer of a query door.
  init(_ stream: any AnswerStream) throws {
    var reader: AnswerReader
    do {
      reader = try AnswerReader(stream)
    } catch let failure as AnswerFailure where failure.message.hasPrefix(Self.unknownOption) {
      return
    }
    var found: JSONValue?
    _ = try reader.lines { line in found = try JSONReader.value(of: Array(line)) }
    name = found?["zone"]?.text.flatMap { ZoneName.isValid($0) ? $0 : nil }
    towns = found.flatMap { CatalogRecord.path(in: $0, named: "towns") }
    townsAreHidden = found?["townsHidden"]?.isTrue == true
  }
}
