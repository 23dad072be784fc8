internal import Media
internal import System

extension FactValue {
  /// The subject in the stored form: the value's own, except for a time of which only the month or the year is known.
  var storedSubject: Subject { if case .time(let value) = self, value.isPartial { .pixelDigest } else { subject } }

  func encode(to writer: inout ByteWriter) {
    switch self {
    case .time(let value) where value.isPartial: writer.append(PartialTimeForm.bytes(of: value))
    case .time(let value): writer.time(value)
    case .position(let position):
      writer.real(position.latitude)
      writer.real(position.longitude)
    case .projection(let projection): writer.append(projection.rawValue)
    case .kind(let kind): writer.append(kind.rawValue)
    case .dimensions(let width, let height):
      writer.whole(UInt64(clamping: width))
      writer.whole(UInt64(clamping: height))
    case .meanColour(let colour): writer.append([colour.red, colour.green, colour.blue])
    case .perceptualHash(let hash): writer.append(hash)
    case .pixelDigest(let bytes): writer.append(bytes)
    case .iso(let number): writer.whole(UInt64(clamping: number))
    case .altitude(let value), .exposure(let value), .aperture(let value), .focalLength(let value),
      .duration(let value), .frameRate(let value):
      writer.real(value)
    case .rating(let stars): writer.append(Int8(clamping: stars))
    case .halfStars(let halves): writer.append(UInt8(clamping: halves))
    case .favourite(let flag), .edited(let flag): writer.append(UInt8(flag ? 1 : 0))
    case .tags(let list), .people(let list):
      writer.whole(UInt64(list.count))
      for text in list { writer.text(text) }
    case .motion(let range):
      writer.whole(range.lowerBound)
      writer.whole(range.upperBound - range.lowerBound)
    case .make(let text), .model(let text), .lens(let text), .codec(let text), .title(let text), .caption(let text),
      .contentIdentifier(let text), .burstIdentifier(let text), .mediaName(let text), .mediaEnding(let text):
      writer.text(text)
    }
  }

  init(_ subject: Subject, from reader: inout ByteReader) throws(ByteReader.Malformed) {
    switch subject {
    case .time: self = .time(try reader.time())
    case .position:
      let (latitude, longitude) = (try reader.real(), try reader.real())
      self = .position(try ByteReader.known(Position(latitude: latitude, longitude: longitude)))
    case .altitude: self = .altitude(try reader.real())
    case .projection: self = .projection(try reader.code(MediaItem.Projection.self))
    case .kind: self = .kind(try reader.code(MediaKind.self))
    case .dimensions:
      let (width, height) = (try reader.whole(), try reader.whole())
      self = .dimensions(width: Int(clamping: width), height: Int(clamping: height))
    case .meanColour:
      let parts = try reader.readBytes(3)
      self = .meanColour(MediaItem.Colour(red: parts[0], green: parts[1], blue: parts[2]))
    case .perceptualHash: self = .perceptualHash(try reader.read(UInt64.self))
    case .pixelDigest:
      let bytes = try reader.readBytes(32)
      self = try PartialTimeForm.isOne(bytes) ? .time(PartialTimeForm.time(in: bytes)) : .pixelDigest(bytes)
    case .make: self = .make(try reader.text())
    case .model: self = .model(try reader.text())
    case .lens: self = .lens(try reader.text())
    case .iso: self = .iso(Int(clamping: try reader.whole()))
    case .exposure: self = .exposure(try reader.real())
    case .aperture: self = .aperture(try reader.real())
    case .focalLength: self = .focalLength(try reader.real())
    case .duration: self = .duration(try reader.real())
    case .codec: self = .codec(try reader.text())
    case .frameRate: self = .frameRate(try reader.real())
    case .title: self = .title(try reader.text())
    case .caption: self = .caption(try reader.text())
    case .rating: self = .rating(Int(try reader.read(Int8.self)))
    case .halfStars: self = .halfStars(Int(try reader.read(UInt8.self)))
    case .favourite: self = .favourite(try reader.read(UInt8.self) == 1)
    case .tags: self = .tags(try reader.texts())
    case .people: self = .people(try reader.texts())
    case .contentIdentifier: self = .contentIdentifier(try reader.text())
    case .burstIdentifier: self = .burstIdentifier(try reader.text())
    case .motion:
      let start = try reader.whole()
      let (end, isTooMuch) = start.addingReportingOverflow(try reader.whole())
      guard !isTooMuch else { throw ByteReader.Malformed() }
      self = .motion(start..<end)
    case .edited: self = .edited(try reader.read(UInt8.self) == 1)
    case .mediaName: self = .mediaName(try reader.text())
    case .mediaEnding: self = .mediaEnding(try reader.text())
    }
  }
}

extension ByteWriter {
  fileprivate mutating func real(_ value: Double) {
    for (exponent, power) in ShortFraction.powers.enumerated() where value.isFinite {
      let scaled = (value * power).rounded()
      if abs(scaled) >= ShortFraction.most { break }
      guard (scaled / power).bitPattern == value.bitPattern else { continue }
      append(UInt8(exponent))
      signed(Int64(scaled))
      return
    }
    append(ShortFraction.notDecimal)
    append(value.bitPattern)
  }

  /// A byte with the kind of the clock in bits 4 and 8 and the precision in bits 1, 2 and 16; then the seconds, the
  /// nanoseconds if the precision is a second, and the offset if there is one.
  fileprivate mutating func time(_ value: TimeCandidate.Value) {
    let (time, form, offset): (WallTime, UInt8, Int32?) =
      switch value {
      case .wall(let time, nil): (time, 0, nil)
      case .wall(let time, let offset?): (time, 1, offset)
      case .universal(let time): (time, 2, nil)
      }
    let precision = time.precision.rawValue
    append((precision & 4) << 2 | form << 2 | precision & 3)
    signed(time.seconds)
    if time.precision == .second { whole(UInt64(time.nanoseconds)) }
    if let offset { signed(Int64(offset)) }
  }
}

extension ByteReader {
  fileprivate mutating func real() throws(Malformed) -> Double {
    let exponent = try read(UInt8.self)
    if exponent == ShortFraction.notDecimal { return try double() }
    guard exponent < ShortFraction.powers.count else { throw Malformed() }
    return Double(try signed()) / ShortFraction.powers[Int(exponent)]
  }

  fileprivate mutating func texts() throws(Malformed) -> [String] {
    let count = try count()
    var texts: [String] = []
    for _ in 0..<count { texts.append(try text()) }
    return texts
  }

  fileprivate mutating func time() throws(Malformed) -> TimeCandidate.Value {
    let head = try read(UInt8.self)
    guard head < 32, let precision = WallTime.Precision(rawValue: (head & 16) >> 2 | head & 3) else {
      throw Malformed()
    }
    let seconds = try signed()
    let nanoseconds = precision == .second ? try whole() : 0
    guard let time = WallTime(seconds: seconds, nanoseconds: UInt32(clamping: nanoseconds), precision: precision) else {
      throw Malformed()
    }
    switch head >> 2 & 3 {
    case 0: return .wall(time, offset: nil)
    case 1: return .wall(time, offset: Int32(clamping: try signed()))
    case 2: return .universal(time)
    default: throw Malformed()
    }
  }
}

extension TimeCandidate.Value {
  /// Whether only the month or the year is known.
  fileprivate var isPartial: Bool {
    switch self {
    case .wall(let time, _), .universal(let time): time.precision.isPartial
    }
  }
}

/// The stored form of a time of which only the month or the year is known. It looks like a pixel digest that begins
/// with a mark that no real digest has. Version 1.0.0 rejects a whole list, and discards the photo's facts, for one
/// unknown time or subject; it ignores a digest but keeps it.
enum PartialTimeForm {
  private static let mark = Array("partly known day".utf8)

  /// Whether 32 bytes are such a time, not a digest.
  static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: mark) }

  fileprivate static func bytes(of value: TimeCandidate.Value) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(mark)
    writer.time(value)
    writer.pad(to: 32)
    return writer.bytes
  }

  /// Other bytes, or bytes with something after the time, would be encoded differently, so `FactList` rejects them.
  fileprivate static func time(in bytes: [UInt8]) throws(ByteReader.Malformed) -> TimeCandidate.Value {
    var reader = ByteReader(Array(bytes.dropFirst(mark.count)))
    return try reader.time()
  }
}

/// Fractions that people write have few digits after the point.
private enum ShortFraction {
  static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
  /// Whole numbers below this are exact.
  static let most = 9_007_199_254_740_992.0
  static let notDecimal: UInt8 = 255
}
