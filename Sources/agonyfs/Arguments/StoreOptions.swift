internal import ArgumentParser
internal import ObjectStore
internal import RemoteStore
internal import Storage
internal import System
internal import SystemPackage

/// The options for buckets. The credentials themselves are never arguments, which other users can see.
struct StoreOptions: ParsableArguments {
  /// The beginning of addresses of stores.
  static let scheme = "s3://"

  @Option(help: ArgumentHelp("The server, https://HOST[:PORT]. (default: Amazon's)", valueName: "url"))
  var endpoint: String?

  @Option(help: ArgumentHelp("The region of the bucket. (default: us-east-1)", valueName: "name"))
  var region: String?

  @Option(help: ArgumentHelp("A profile in ~/.aws with the credentials.", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("A file with the credentials, which only you can read.", valueName: "file"))
  var credentials: FileArgument?

  @Option(help: ArgumentHelp("A command that prints the credentials.", valueName: "command"))
  var credentialsCommand: String?

  @Option(help: ArgumentHelp("Authorities to trust, in PEM. (default: the system's)", valueName: "file"))
  var certificates: FileArgument?

  @Option(help: ArgumentHelp("From bucket to bucket: the server of the first.", valueName: "url"))
  var fromEndpoint: String?

  @Option(help: ArgumentHelp("Its region.", valueName: "name"))
  var fromRegion: String?

  @Option(help: ArgumentHelp("Its profile.", valueName: "name"))
  var fromProfile: String?

  /// How to reach one of the two buckets.
  struct Place {
    var endpoint: String?
    var region: String?
    var credentials: CredentialSource
  }

  /// Whether one of the options is given.
  var isGiven: Bool {
    [endpoint, region, profile, credentialsCommand, fromEndpoint, fromRegion, fromProfile].contains { $0 != nil }
      || credentials != nil || certificates != nil
  }

  func validate() throws {
    let sources = [profile != nil, credentials != nil, credentialsCommand != nil]
    guard sources.count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --profile, --credentials and --credentials-command.")
    }
  }

  /// Checks the options of the source's bucket.
  ///
  /// - Parameters:
  ///   - sourceIsBucket: whether the vault is in a bucket.
  ///   - targetIsBucket: whether the copy is.
  /// - Throws: `ValidationError`.
  func validate(sourceIsBucket: Bool, targetIsBucket: Bool) throws {
    guard sourceIsBucket || [fromEndpoint, fromRegion, fromProfile].allSatisfy({ $0 == nil }) else {
      throw ValidationError("--from-endpoint, --from-region and --from-profile need a bucket as <from>.")
    }
    // Otherwise the source's server would get requests with the credentials of the target.
    guard !(sourceIsBucket && targetIsBucket) || fromEndpoint == nil || fromProfile != nil else {
      throw ValidationError("From bucket to bucket, --from-endpoint needs --from-profile.")
    }
  }

  /// The bucket that is copied to, or the only one.
  var ofTarget: Place {
    Place(
      endpoint: endpoint ?? Environment["AWS_ENDPOINT_URL"],
      region: region ?? Environment["AWS_REGION"] ?? Environment["AWS_DEFAULT_REGION"], credentials: credentialSource)
  }

  /// The bucket that is copied from.
  var ofSource: Place {
    var place = ofTarget
    if let fromEndpoint { place.endpoint = fromEndpoint }
    if let fromRegion { place.region = fromRegion }
    if let fromProfile { place.credentials = .profile(fromProfile) }
    return place
  }

  /// The address of a bucket.
  ///
  /// - Throws: `CommandFailure`.
  func address(of location: String, _ place: Place) throws -> StoreAddress {
    do throws(StoreAddress.Invalid) {
      return try StoreAddress(location, endpoint: place.endpoint, region: place.region)
    } catch {
      throw CommandFailure(.usage, error.sentence)
    }
  }

  /// The store at an address, after a first request has succeeded: a wrong address is said at once, and later failures
  /// are waited out for minutes.
  func open(
    _ location: String, _ place: Place, connections: Int
  ) throws -> (store: RemoteStore, address: StoreAddress) {
    let address = try address(of: location, place)
    var settings = RemoteStore.Settings(program: OwnFolder.path(of: "agonyfs-store"), address: address)
    settings.certificates = certificates.map { AbsolutePath.of($0.path).string } ?? Environment["AWS_CA_BUNDLE"]
    settings.connections = connections
    let credentials = Credentials(place.credentials, environment: { Environment[$0] })
    var firstSettings = settings
    firstSettings.patience = .seconds(10)
    let first = RemoteStore(firstSettings, credentials: credentials)
    defer { first.stop() }
    do throws(StoreError) {
      _ = try first.list(prefix: StorageNames.parameters, after: nil)
    } catch {
      // A busy store is waited for.
      if error != .slowDown {
        throw CommandFailure(CommandStatus(rawValue: error.exitStatus) ?? .failure, error.sentence(for: address))
      }
    }
    return (RemoteStore(settings, credentials: credentials), address)
  }

  private var credentialSource: CredentialSource {
    if let profile { return .profile(profile) }
    if let credentials { return .file(AbsolutePath.of(credentials.path).string) }
    if let credentialsCommand { return .command(credentialsCommand) }
    return .usual
  }
}
