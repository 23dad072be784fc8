internal import ArgumentParser
internal import ObjectStore
internal import RemoteStore
internal import Storage
internal import System
internal import SystemPackage
internal import VaultCopy

/// The options for a bucket. The credentials themselves are never arguments, which other users can see.
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

  /// How long a store is waited for that has never answered: a wrong address is said at once, and later failures are
  /// waited out for minutes.
  private static let firstPatience = Duration.seconds(10)

  /// When a wrong address is noticed.
  enum Check {
    /// Before the command does anything, by a request of its own, which a signal ends.
    case now(HeldSignals)
    /// With the first request that the command makes.
    case withFirstRequest
    /// The address was right before, so that all failures are waited out.
    case no
  }

  /// How to reach a bucket.
  struct Place {
    var endpoint: String?
    var region: String?
    var credentials: CredentialSource
  }

  /// Whether one of the options is given.
  var isGiven: Bool {
    [endpoint, region, profile, credentialsCommand].contains { $0 != nil } || credentials != nil || certificates != nil
  }

  func validate() throws {
    let sources = [profile != nil, credentials != nil, credentialsCommand != nil]
    guard sources.count(where: { $0 }) <= 1 else {
      throw ValidationError("Give one of --profile, --credentials and --credentials-command.")
    }
  }

  /// The bucket that is copied to, or the only one.
  var ofTarget: Place {
    Place(
      endpoint: endpoint ?? Environment["AWS_ENDPOINT_URL"],
      region: region ?? Environment["AWS_REGION"] ?? Environment["AWS_DEFAULT_REGION"], credentials: credentialSource)
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

  /// The store at an address.
  ///
  /// - Throws: `CommandFailure`; with `.now` also if the store cannot be used, and `CopyError.cancelled` after a signal.
  func open(
    _ location: String, _ place: Place, connections: Int, check: Check
  ) throws -> (store: RemoteStore, address: StoreAddress) {
    let address = try address(of: location, place)
    var settings = RemoteStore.Settings(program: OwnFolder.path(of: "agonyfs-store"), address: address)
    settings.certificates = certificates.map { AbsolutePath.of($0.path).string } ?? Environment["AWS_CA_BUNDLE"]
    settings.connections = connections
    if case .no = check { settings.firstPatience = nil } else { settings.firstPatience = Self.firstPatience }
    let store = RemoteStore(
      settings, credentials: Credentials(place.credentials, environment: { Environment[$0] }))
    guard case .now(let signals) = check else { return (store, address) }
    let watch = try SignalWatch(signals) { store.stop() }
    defer { watch.end() }
    do throws(StoreError) {
      _ = try store.list(prefix: StorageNames.parameters, atMost: Self.firstPatience)
    } catch {
      // A busy store is waited for.
      if error != .slowDown, !signals.arePending { throw Self.failure(error, address) }
    }
    if signals.arePending { throw CopyError.cancelled }
    return (store, address)
  }

  /// Describes why a store cannot be used at all.
  static func failure(_ error: StoreError, _ address: StoreAddress) -> CommandFailure {
    CommandFailure(CommandStatus(rawValue: error.exitStatus) ?? .failure, error.sentence(for: address))
  }

  private var credentialSource: CredentialSource {
    if let profile { return .profile(profile) }
    if let credentials { return .file(AbsolutePath.of(credentials.path).string) }
    if let credentialsCommand { return .command(credentialsCommand) }
    return .usual
  }
}
