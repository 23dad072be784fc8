// Invariants
// 1. What is behind this handler reads one host: that of an absolute target, or else that of the one header `Host`.
// 2. There are no more answers than requests: one whose rest is malformed is answered once. What is no request counts as
//    one, the last of its connection.

internal import NIOCore
internal import NIOHTTP1
internal import WebAccess

/// Takes requests as HTTP says that they are meant (RFC 9112), before anything else reads them.
final class RequestForm: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// Requests whose heads have come, and answers that have begun.
  private var requests = 0
  private var answers = 0
  /// Whether more of the last request is to come.
  private var isInside = false
  /// How many answers there may be in all, once something has come that is no request.
  private var most: Int?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard most == nil else { return }
    switch unwrapInboundIn(data) {
    case .head(let sent):
      guard let head = Self.understood(sent) else {
        errorCaught(context: context, error: HTTPParserError.invalidHeaderToken)
        return
      }
      requests += 1
      isInside = true
      context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body:
      context.fireChannelRead(data)
    case .end:
      isInside = false
      context.fireChannelRead(data)
    }
  }

  /// Who reads the requests answers this when those before it are answered.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError, most == nil { most = isInside ? requests : requests + 1 }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // One from 100 is followed by the answer itself.
    if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 { answers += 1 }
    if let most, answers > most {
      promise?.succeed(())
      return
    }
    context.write(data, promise: promise)
  }

  /// The head of a request, with what its target says; nil if it is none.
  private static func understood(_ sent: HTTPRequestHead) -> HTTPRequestHead? {
    var head = sent
    let isOld = head.version == .http1_0
    let hosts = head.headers["Host"].count
    guard hosts == 1 || (isOld && hosts == 0) else { return nil }
    // Nobody who speaks an old version knows an answer that is followed by another one.
    if isOld { head.headers.remove(name: "Expect") }
    if let target = AbsoluteTarget(head.uri) {
      head.uri = target.path
      head.headers.replaceOrAdd(name: "Host", value: target.host)
    } else if head.uri.utf8.first != UInt8(ascii: "/"), head.uri != "*", head.method != .CONNECT {
      return nil
    }
    return head
  }
}
