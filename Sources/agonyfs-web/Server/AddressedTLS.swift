// Invariants
// 1. A connection gets the certificate for the address that it was made to, if a code was shown for that address, and
//    otherwise that of the last code. A certificate states no other address of this machine.
// 2. If this machine gets an earlier address again, the certificate that browsers know there is reused, unless it
//    expires soon or another authority has to sign.

internal import HummingbirdCore
internal import Identity
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificates of the addresses for which codes were shown.
final class ShownCertificates: Sendable {
  private struct Shown {
    let context: NIOSSLContext
    let fingerprint: String
    let authority: [UInt8]
    let start = Clock.now
  }

  private struct State {
    var all: [LocalAddress: Shown] = [:]
    var last: NIOSSLContext?
  }

  /// The age from which a certificate is not reused for another code.
  private static let age = Duration.seconds(Int(Certificates.days - 30) * 86_400)

  private let state = Mutex(State())

  /// Creates the certificate for new connections, and returns its fingerprint.
  func show(_ certificates: Certificates, for address: LocalAddress) throws -> String {
    let (configuration, fingerprint) = try certificates.configuration(for: address)
    let shown = Shown(
      context: try NIOSSLContext(configuration: configuration), fingerprint: fingerprint,
      authority: try certificates.authorityBytes())
    state.withLock {
      $0.all[address] = shown
      $0.last = shown.context
    }
    return fingerprint
  }

  /// Reuses an earlier certificate of an address for new connections. Returns its fingerprint, or nil if a new
  /// certificate is needed.
  ///
  /// - Parameter authority: The certificate of the required authority; nil allows any.
  func showAgain(for address: LocalAddress, signedBy authority: [UInt8]?) -> String? {
    state.withLock { state in
      guard let shown = state.all[address], Clock.now - shown.start < Self.age,
        authority == nil || authority == shown.authority
      else { return nil }
      state.last = shown.context
      return shown.fingerprint
    }
  }

  /// The TLS context for a connection to an address; nil if there is none yet.
  func context(for address: SocketAddress?) -> NIOSSLContext? {
    // A version 6 socket writes version 4 addresses in this form.
    let mapped = "::ffff:"
    let text = address?.ipAddress ?? ""
    let own = LocalAddress(text.hasPrefix(mapped) ? String(text.dropFirst(mapped.count)) : text)
    return state.withLock { state in own.flatMap { state.all[$0]?.context } ?? state.last }
  }
}

/// HTTP over TLS.
struct AddressedTLS<Plain: ServerChildChannel>: ServerChildChannel {
  typealias Value = Plain.Value

  let plain: Plain
  let certificates: ShownCertificates

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Plain.Value> {
    channel.eventLoop.makeCompletedFuture {
      guard let context = certificates.context(for: channel.localAddress) else {
        throw ChannelError.inappropriateOperationForState
      }
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }.flatMap {
      plain.setup(channel: channel, logger: logger)
    }
  }

  func handle(value: Plain.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
}
