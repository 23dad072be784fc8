package import System

extension MediaFacts {
  /// Most pixels on a side, in any format.
  package static let mostSide = 1 << 20

  /// Appends the facts to a message.
  package func encode(to writer: inout ByteWriter) {
    writer.append(kind.rawValue)
    writer.append(Int32(clamping: width))
    writer.append(Int32(clamping: height))
    writer.append(UInt8(clamping: orientation))
    writer.optional(captureSeconds) { $0.append($1) }
    writer.optional(captureOffsetMinutes) { $0.append(Int32(clamping: $1)) }
    writer.optional(latitude) { $0.real($1) }
    writer.optional(longitude) { $0.real($1) }
    for text in [cameraMake, cameraModel, codec] { writer.optional(text) { $0.blob($1.utf8) } }
    writer.optional(duration) { $0.real($1) }
  }

  /// Takes facts from a message and checks that each is possible.
  package init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard let kind = MediaKind(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    self.init(
      kind: kind, width: Int(try reader.read(Int32.self)), height: Int(try reader.read(Int32.self)),
      orientation: Int(try reader.read(UInt8.self)))
    if try reader.flag() { captureSeconds = try reader.read(Int64.self) }
    if try reader.flag() { captureOffsetMinutes = Int(try reader.read(Int32.self)) }
    if try reader.flag() { latitude = try reader.real() }
    if try reader.flag() { longitude = try reader.real() }
    cameraMake = try Self.text(&reader)
    cameraModel = try Self.text(&reader)
    codec = try Self.text(&reader)
    if try reader.flag() { duration = try reader.real() }
    guard isPossible else { throw ByteReader.Malformed() }
  }

  /// Whether every fact is one that a real medium can have. Both ends ask: the decoder omits facts that fail, the
  /// daemon rejects them.
  package var isPossible: Bool {
    guard (1...Self.mostSide).contains(width), (1...Self.mostSide).contains(height), (1...8).contains(orientation),
      Self.isPossible(captureSeconds: captureSeconds ?? 0), (-1080...1080).contains(captureOffsetMinutes ?? 0),
      (-90...90).contains(latitude ?? 0), (-180...180).contains(longitude ?? 0),
      (latitude == nil) == (longitude == nil),
      (0...Self.mostSeconds).contains(duration ?? 0)
    else { return false }
    return [cameraMake, cameraModel, codec].allSatisfy { $0.map(Self.isPossible(text:)) ?? true }
  }

  /// Whether a time lies in the years 1800 to 2500.
  package static func isPossible(captureSeconds: Int64) -> Bool {
    (-5_364_662_400...16_725_225_600).contains(captureSeconds)
  }

  /// Longest video in seconds: a year.
  private static let mostSeconds = 366.0 * 86400

  /// Whether a text is short enough, not empty, and free of control characters.
  package static func isPossible(text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= mostTextBytes
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }

  private static func text(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> String? {
    try reader.flag() ? try reader.text(most: mostTextBytes) : nil
  }
}
