package import System

/// All that the helper needs before its first job.
package struct StoreConfiguration: Equatable, Sendable {
  /// The fewest bytes per second with which a request goes on.
  package static let leastRate: UInt32 = 1024
  /// Most bytes of a path.
  private static let mostPathBytes = 4096

  /// The store.
  package var address: StoreAddress
  /// What requests are signed with.
  package var credentials: StoreCredentials
  /// A file with the certificates of the trusted authorities, in PEM; nil for the one of the system.
  package var certificates: String?
  /// Seconds without any progress after which a request fails.
  package var stallSeconds: UInt32
  /// Seconds that connecting may take.
  package var connectSeconds: UInt32
  /// Seconds over which the rate of a request is counted; it fails if the rate is below `leastRate`.
  package var rateSeconds: UInt32

  /// A configuration.
  package init(
    address: StoreAddress, credentials: StoreCredentials, certificates: String? = nil, stallSeconds: UInt32 = 30,
    connectSeconds: UInt32 = 15, rateSeconds: UInt32 = 60
  ) {
    self.address = address
    self.credentials = credentials
    self.certificates = certificates
    self.stallSeconds = stallSeconds
    self.connectSeconds = connectSeconds
    self.rateSeconds = rateSeconds
  }

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.blob("\(address)".utf8)
    writer.blob(address.endpoint.utf8)
    writer.blob(address.region.utf8)
    writer.flag(address.usesPathStyle)
    writer.blob(credentials.accessKey.utf8)
    writer.blob(credentials.secretKey.utf8)
    writer.optional(credentials.sessionToken) { $0.blob($1.utf8) }
    writer.optional(certificates) { $0.blob($1.utf8) }
    writer.append(stallSeconds)
    writer.append(connectSeconds)
    writer.append(rateSeconds)
    return writer.bytes
  }
}

extension StoreConfiguration {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let location = try reader.text(most: 1024)
    let endpoint = try reader.text(most: 1024)
    let region = try reader.text(most: 64)
    let usesPathStyle = try reader.flag()
    let accessKey = try reader.text(most: StoreCredentials.mostBytes)
    let secretKey = try reader.text(most: StoreCredentials.mostBytes)
    let token = try reader.optional { (reader) throws(ByteReader.Malformed) in
      try reader.text(most: StoreCredentials.mostBytes)
    }
    certificates = try reader.optional { (reader) throws(ByteReader.Malformed) in
      try reader.text(most: Self.mostPathBytes)
    }
    stallSeconds = try reader.read(UInt32.self)
    connectSeconds = try reader.read(UInt32.self)
    rateSeconds = try reader.read(UInt32.self)
    try reader.finish()
    guard
      let address = try? StoreAddress(location, endpoint: endpoint, region: region, usesPathStyle: usesPathStyle),
      let credentials = StoreCredentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token),
      (1...3600).contains(stallSeconds), (1...3600).contains(connectSeconds), (1...3600).contains(rateSeconds)
    else { throw ByteReader.Malformed() }
    self.address = address
    self.credentials = credentials
  }
}
