internal import Catalog

/// What gives a photo of a mounted space its zone where it says none: the town of its position, else the home zone of the
/// space, whose clock is shown of times that are known in UTC alone.
package struct SpaceZone: Equatable, Sendable {
  /// Its name in the zone database, such as `Europe/Berlin`; nil if the space has none yet, or an older agonyfs serves it.
  /// Such times are then shown in UTC.
  package var name: String?
  /// The table of towns that the mount uses, by its path; nil for that of the system.
  package var towns: [UInt8]?
  /// Whether it uses one that it does not tell this user.
  package var townsAreHidden = false

  /// How an agonyfs that knows no home zone refuses the question.
  private static let unknownOption = "The option \"zone\" is not understood"

  /// Asks a space.
  ///
  /// - Parameter mountPoint: where the space is mounted.
  /// - Throws: `Errno` if nothing is mounted there; `AnswerFailure` if there is no answer, or not all of it.
  package init(ofSpaceAt mountPoint: [UInt8]) throws {
    let door = try CatalogDoor(of: mountPoint)
    var request = CatalogRequest()
    request.asksForZone = true
    try door.ask(request.bytes)
    try self.init(DoorStream(door))
  }

  /// Reads the answer of a door.
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
