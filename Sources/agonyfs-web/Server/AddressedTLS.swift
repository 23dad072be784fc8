// Invariants
// 1. A connection gets the certificate for the address that it was made to, if a code was shown for that one, and otherwise
//    that of the last code. It says no other address of this machine.

internal import HummingbirdCore
internal import Identity
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The certificates of the addresses that codes were shown for.
final class ShownCertificates: Sendable {
  private struct State {
    var contexts: [LocalAddress: NIOSSLContext] = [:]
    var last: NIOSSLContext?
  }

  private let state = Mutex(State())

  /// Has connections get a certificate from now on.
  func show(_ configuration: TLSConfiguration, for address: LocalAddress) throws {
    let context = try NIOSSLContext(configuration: configuration)
    state.withLock {
      $0.contexts[address] = context
      $0.last = context
    }
  }

  /// What a connection to an address gets; nil if there is none yet.
  func context(for address: SocketAddress?) -> NIOSSLContext? {
    // One of version 4 at a socket of version 6 is written so.
    let mapped = "::ffff:"
    let text = address?.ipAddress ?? ""
    let own = LocalAddress(text.hasPrefix(mapped) ? String(text.dropFirst(mapped.count)) : text)
    return state.withLock { state in own.flatMap { state.contexts[$0] } ?? state.last }
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
