package import System

extension StoreError {
  /// The message's bytes: a number, then an operation or a text if the error has one.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    func write(_ number: UInt8, _ text: String? = nil) {
      writer.append(number)
      writer.optional(text) { $0.blob(Self.printable($1.utf8).utf8) }
    }
    switch self {
    case .notFound: write(1)
    case .alreadyThere: write(2)
    case .unknownOutcome: write(3)
    case .denied(let action): write(10 + action.rawValue)
    case .wrongCredentials: write(4)
    case .noCredentials(let reason): write(20, reason)
    case .wrongRegion(let region): write(21, region)
    case .noBucket: write(5)
    case .quota: write(6)
    case .slowDown: write(7)
    case .wrongClock: write(8)
    case .damagedOnTheWay: write(9)
    case .keptOtherBytes: write(22)
    case .redirected: write(23)
    case .untrustedCertificate: write(24)
    case .noSuchHost: write(25)
    case .unreachable: write(26)
    case .interrupted: write(27)
    case .brokenReply(let reason): write(28, reason)
    case .refused(let code): write(29, code)
    case .unavailable(let reason): write(30, reason)
    case .lags: write(31)
    }
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let number = try reader.read(UInt8.self)
    let text = try reader.optional { (reader) throws(ByteReader.Malformed) in
      Self.printable(try reader.blob(most: Self.mostTextBytes))
    }
    try reader.finish()
    guard let error = Self.plain(number) ?? Self.withText(number, text), error.hasText == (text != nil) else {
      throw ByteReader.Malformed()
    }
    self = error
  }

  private static func plain(_ number: UInt8) -> StoreError? {
    switch number {
    case 1: .notFound
    case 2: .alreadyThere
    case 3: .unknownOutcome
    case 4: .wrongCredentials
    case 5: .noBucket
    case 6: .quota
    case 7: .slowDown
    case 8: .wrongClock
    case 9: .damagedOnTheWay
    case 11...16: StoreAction(rawValue: number - 10).map { .denied($0) }
    case 22: .keptOtherBytes
    case 23: .redirected
    case 24: .untrustedCertificate
    case 25: .noSuchHost
    case 26: .unreachable
    case 27: .interrupted
    case 31: .lags
    default: nil
    }
  }

  private static func withText(_ number: UInt8, _ text: String?) -> StoreError? {
    switch number {
    case 20: .noCredentials(text ?? "")
    case 21: .wrongRegion(text)
    case 28: .brokenReply(text ?? "")
    case 29: .refused(text ?? "")
    case 30: .unavailable(text ?? "")
    default: nil
    }
  }

  private var hasText: Bool {
    switch self {
    case .noCredentials, .wrongRegion(_?), .brokenReply, .refused, .unavailable: true
    default: false
    }
  }
}
