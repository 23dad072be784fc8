// Invariants
// 1. Every state of a connection has a timeout: before the head of a request is complete, while its body arrives too
//    slowly, while its answer is read too slowly, and between requests. Time that the program or the vault needs does
//    not count.
// 2. One address has at most `mostOfAddress` connections, so that it cannot use up all of them.

internal import NIOCore
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1
internal import Synchronization
internal import WebAccess

/// The open connections: their number for each address, and their peers.
final class Connections: Sendable {
  /// The connections of this program.
  static let shared = Connections()
  /// The most connections of one address; a browser opens 6.
  static let mostOfAddress = 48
  static let most = 512
  private let counts = Mutex<[String: Int]>([:])
  private let peers = Mutex<[ObjectIdentifier: Peer]>([:])

  /// The peer of a connection; nil if it is unknown, or if the connection is closed.
  func peer(of channel: any Channel) -> Peer? { peers.withLock { $0[ObjectIdentifier(channel)] } }

  /// Records the peer of a connection, until `forget`.
  func note(_ channel: any Channel) {
    guard let far = channel.remoteAddress, let near = channel.localAddress, let address = far.ipAddress,
      let farEnd = Peer.End(address: address, port: far.port ?? 0),
      let nearEnd = Peer.End(address: near.ipAddress ?? "", port: near.port ?? 0)
    else { return }
    let peer = Peer.of(far: farEnd, near: nearEnd, address: address)
    peers.withLock { $0[ObjectIdentifier(channel)] = peer }
  }

  func forget(_ channel: any Channel) { peers.withLock { $0[ObjectIdentifier(channel)] = nil } }

  /// Whether one more connection is allowed; if so, it is counted until `closed`.
  func opened(_ address: String) -> Bool {
    counts.withLock { counts in
      guard counts[address, default: 0] < Self.mostOfAddress else { return false }
      counts[address, default: 0] += 1
      return true
    }
  }

  func closed(_ address: String) {
    counts.withLock { counts in
      guard let count = counts[address] else { return }
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}

/// Closes connections that exceed their timeout.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// From the start of a connection, TLS included, to the end of the head of its first request.
  private static let headTime = TimeAmount.seconds(15)
  /// Between requests.
  private static let pauseTime = TimeAmount.seconds(60)
  /// Within this time the client must read an answer, or enough of it to make room for more.
  private static let takeTime = TimeAmount.seconds(30)

  private let connections: Connections
  private var address: String?
  private var timer: Scheduled<Void>?
  private var pace = BodyPace()
  private var paceTimer: Scheduled<Void>?
  /// Whether the request's body is not complete.
  private var isReceiving = false
  /// The number of requests that have begun and whose answers are not sent.
  private var requests = 0
  /// The number of answers whose end waits to be sent.
  private var endings = 0

  init(_ connections: Connections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) {
    let address = context.remoteAddress?.ipAddress ?? ""
    guard connections.opened(address) else {
      context.close(promise: nil)
      return
    }
    // RequestForm needs the parts of requests as they arrived, so it goes before the codec.
    let pipeline = context.pipeline.syncOperations
    do {
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(RequestForm(), position: .before(codec))
    } catch {
      connections.closed(address)
      context.close(promise: nil)
      return
    }
    self.address = address
    connections.note(context.channel)
    wait(Self.headTime, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { over(context) }

  func channelInactive(context: ChannelHandlerContext) {
    over(context)
    context.fireChannelInactive()
  }

  func read(context: ChannelHandlerContext) {
    pace.waits(now: Self.now)
    watchPace(context)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      requests += 1
      // If an earlier answer is not read, a pipelined request does not extend its timeout.
      if endings == 0, context.channel.isWritable { timer?.cancel() }
      isReceiving = true
      pace = BodyPace()
    case .body(let part):
      pace.comes(part.readableBytes, now: Self.now)
    case .end:
      // The client is not responsible for the time until the answer is ready.
      isReceiving = false
    }
    context.fireChannelRead(data)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    pace.rests(now: Self.now)
    context.fireChannelReadComplete()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if endings > 0 || !context.channel.isWritable {
      wait(Self.takeTime, context)
    } else if requests <= 0 {
      // The end of an answer was sent just now.
      wait(Self.pauseTime, context)
    } else {
      timer?.cancel()
    }
    context.fireChannelWritabilityChanged()
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard case .end = unwrapOutboundIn(data) else {
      context.write(data, promise: promise)
      return
    }
    // A further answer does not extend the timeout of one that is not read.
    if endings == 0 { wait(Self.takeTime, context) }
    endings += 1
    let written = promise ?? context.eventLoop.makePromise(of: Void.self)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    written.futureResult.whenSuccess {
      let (handler, context) = bound.value
      handler.endings -= 1
      handler.requests -= 1
      handler.timer?.cancel()
      guard handler.address != nil else { return }
      // The body of the next answer may wait already.
      if handler.endings > 0 || !context.channel.isWritable {
        handler.wait(Self.takeTime, context)
      } else if handler.requests <= 0 {
        // It is negative if the server answered something that was not a request.
        handler.wait(Self.pauseTime, context)
      }
    }
    context.write(data, promise: written)
  }

  private static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

  private func over(_ context: ChannelHandlerContext) {
    timer?.cancel()
    paceTimer?.cancel()
    (timer, paceTimer) = (nil, nil)
    if let address {
      connections.closed(address)
      connections.forget(context.channel)
    }
    address = nil
  }

  private func wait(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    timer?.cancel()
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    timer = context.eventLoop.scheduleTask(in: time) { bound.value.close(promise: nil) }
  }

  /// Checks again when the time for the body may be over. One timer serves all reads of that time.
  private func watchPace(_ context: ChannelHandlerContext) {
    guard isReceiving, paceTimer == nil, address != nil, let left = pace.timeLeft(now: Self.now) else { return }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    paceTimer = context.eventLoop.scheduleTask(
      in: .nanoseconds(Int64(left.components.seconds) * 1_000_000_000 + left.components.attoseconds / 1_000_000_000)
    ) {
      let (handler, context) = bound.value
      handler.paceTimer = nil
      if handler.isReceiving, handler.pace.timeLeft(now: Self.now) == .zero {
        context.close(promise: nil)
      } else {
        handler.watchPace(context)
      }
    }
  }
}
