package import System

extension ArchiveEntry {
  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: name.count + target.count + 48)
    writer.append(kind.rawValue)
    writer.blob(name)
    writer.blob(target)
    writer.optional(size) { $0.append($1) }
    writer.optional(modified) {
      $0.append($1.seconds)
      $0.append($1.nanoseconds)
      $0.append(UInt8($1.isWallClock ? 1 : 0))
    }
    return writer.bytes
  }

  /// Decodes a message and checks everything in it except the paths.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard let kind = Kind(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    let name = try reader.blob(most: Self.mostNameBytes)
    let target = try reader.blob(most: Self.mostNameBytes)
    let size = try reader.flag() ? try reader.read(Int64.self) : nil
    var modified: Time?
    if try reader.flag() {
      modified = Time(seconds: try reader.read(), nanoseconds: try reader.read(), isWallClock: try reader.flag())
    }
    try reader.finish()
    guard size ?? 0 >= 0, modified?.nanoseconds ?? 0 < 1_000_000_000 else { throw ByteReader.Malformed() }
    self.init(kind: kind, name: name, target: target, size: size, modified: modified)
  }
}

extension ArchiveVerdict {
  /// The message's bytes. The decoder does not know the caller's limits.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    let (number, reason): (UInt8, String) =
      switch self {
      case .whole: (0, "")
      case .skipped: (1, "")
      case .encrypted: (2, "")
      case .damaged(let reason): (3, reason)
      case .unsupported(let reason): (4, reason)
      case .tooLarge: preconditionFailure("a verdict of the daemon's own")
      }
    writer.append(number)
    writer.blob(DecoderError.printable(reason.utf8))
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let number = try reader.read(UInt8.self)
    let reason = String(decoding: DecoderError.printable(try reader.blob(most: 4096)), as: UTF8.self)
    try reader.finish()
    switch number {
    case 0: self = .whole
    case 1: self = .skipped
    case 2: self = .encrypted
    case 3: self = .damaged(reason)
    case 4: self = .unsupported(reason)
    default: throw ByteReader.Malformed()
    }
  }
}
