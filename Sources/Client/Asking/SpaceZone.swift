internal import Catalog

/// The home zone of a mounted space: its clock is shown of times that are known in UTC alone.
package struct SpaceZone: Equatable, Sendable {
  /// Its name in the zone database, such as `Europe/Berlin`; nil if the space has none yet, or an older agonyfs serves it.
  /// Such times are then shown in UTC.
  package var name: String?

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
    var found: String?
    _ = try reader.lines { line in found = try JSONReader.value(of: Array(line))["zone"]?.text }
    name = found.flatMap { ZoneName.isValid($0) ? $0 : nil }
  }
}
