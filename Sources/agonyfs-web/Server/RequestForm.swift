// Invariants
// 1. The handlers behind this one read one host: that of an absolute target, or else that of the single header `Host`.
// 2. There are no more answers than requests: a request whose rest is malformed is answered once. Data that is not a
//    request counts as one, and is the last of its connection.

internal import NIOCore
internal import NIOHTTP1
internal import WebAccess

/// Normalizes requests as HTTP defines (RFC 9112), before any other handler reads them.
final class RequestForm: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  /// The number of requests whose heads have arrived, and of answers that have begun.
  private var requests = 0
  private var answers = 0
  /// Whether the last request is incomplete.
  private var isInside = false
  /// The most answers of the connection, after data arrived that is not a request.
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

  /// The next handler answers the error after it has answered the earlier requests.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if error is HTTPParserError, most == nil { most = isInside ? requests : requests + 1 }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // A final answer follows one with a status of 1xx.
    if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 { answers += 1 }
    if let most, answers > most {
      promise?.succeed(())
      return
    }
    context.write(data, promise: promise)
  }

  /// The head of a request with its target normalized; nil if it is invalid.
  private static func understood(_ sent: HTTPRequestHead) -> HTTPRequestHead? {
    var head = sent
    let isOld = head.version == .http1_0
    let hosts = head.headers["Host"].count
    guard hosts == 1 || (isOld && hosts == 0) else { return nil }
    // HTTP/1.0 clients do not know interim answers.
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
