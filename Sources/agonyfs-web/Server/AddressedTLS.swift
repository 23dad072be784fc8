// Invariants
// 1. A connection gets the certificate for the address that it was made to, if a code was shown for that one, and otherwise
//    that of the last code. It says no other address of this machine.
// 2. An address that comes back gets the certificate that browsers there know, unless that ends soon or has another authority.

internal import HummingbirdCore
internal import Identity
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificates of the addresses that codes were shown for.
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

  /// A certificate that is older is not shown again for another code.
  private static let age = Duration.seconds(Int(Certificates.days - 30) * 86_400)

  private let state = Mutex(State())

  /// Has connections get a certificate from now on. Returns its fingerprint.
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

  /// Has connections get the certificate that was shown for an address before. Returns its fingerprint, or nil if a new one is
  /// to be made.
  ///
  /// - Parameter authority: the certificate of the one that has to have signed it; any if nil.
  func showAgain(for address: LocalAddress, signedBy authority: [UInt8]?) -> String? {
    state.withLock { state in
      guard let shown = state.all[address], Clock.now - shown.start < Self.age,
        authority == nil || authority == shown.authority
      else { return nil }
      state.last = shown.context
      return shown.fingerprint
    }
  }

  /// What a connection to an address gets; nil if there is none yet.
  func context(for address: SocketAddress?) -> NIOSSLContext? {
    // One of version 4 at a socket of version 6 is written so.
    let mapped = "::ffff:"
    let text = address?.ipAddress ?? ""
    let own = LocalAddress(text.hasPrefix(mapped) ? String(text.dropFirst(mapped.count)) : text)
    return state.withLock { state in own.flatMap { state.all[$0]?.context } ?? state.last }
  }
}

/// HTTP in TLS.
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
