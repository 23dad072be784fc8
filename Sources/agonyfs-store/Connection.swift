internal import CStore
internal import Glibc
internal import ObjectStore

/// A connection to the server of the store, by libcurl.
@safe final class Connection {
  /// A whole reply, and the identifier that the engine gave to the request; empty without one.
  struct Received {
    var reply: StoreReply
    var identifier: String
  }

  /// Why there is no reply.
  struct Failure: Error {
    var error: StoreError
    /// Whether the server may have got the request.
    var wasSent: Bool
  }

  private let connection: OpaquePointer

  /// A connection, which is opened by its first request.
  ///
  /// - Parameter resolved: the server's addresses, as `agonyfs_store_resolve` writes them.
  init(_ configuration: StoreConfiguration, certificates: [UInt8], resolved: String) {
    let connection = unsafe certificates.withUnsafeBytes { certificates in
      unsafe resolved.withCString { resolved in
        var options = unsafe agonyfs_connection_options(
          certificates: certificates.baseAddress, certificate_bytes: certificates.count, resolved: resolved,
          stall_seconds: configuration.stallSeconds, connect_seconds: configuration.connectSeconds,
          rate_seconds: configuration.rateSeconds, least_rate: StoreConfiguration.leastRate)
        return unsafe agonyfs_connection_new(&options)
      }
    }
    guard let connection = unsafe connection else { exit(1) }
    unsafe self.connection = connection
  }

  deinit { unsafe agonyfs_connection_free(connection) }

  /// Sends a request, and receives its reply with at most `most` bytes in the body. The body of the request, which has
  /// `bodyCount` bytes, comes from agonyfs while it is sent.
  func exchange(
    _ method: StoreRequest.Method, url: String, headers: RequestSigner.Headers, bodyCount: Int, most: Int
  ) throws(Failure) -> Received {
    var lines = unsafe headers.map { unsafe strdup("\($0.name): \($0.value)").map { unsafe UnsafePointer($0) } }
    defer { unsafe lines.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    let progress = Progress()
    var reply = unsafe agonyfs_reply()
    unsafe method.rawValue.withCString { method in
      unsafe url.withCString { url in
        unsafe lines.withUnsafeMutableBufferPointer { lines in
          var request = unsafe agonyfs_request(
            method: method, url: url, headers: UnsafePointer(lines.baseAddress), header_count: lines.count,
            body_count: bodyCount,
            read_body: { _, start, buffer, count in
              unsafe Channel.receiveContent(
                from: start, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
            },
            most: most,
            progress: { context, bytes in
              if let context = unsafe context {
                unsafe Unmanaged<Progress>.fromOpaque(context).takeUnretainedValue().note(bytes)
              }
              return 0
            }, context: Unmanaged.passUnretained(progress).toOpaque())
          withExtendedLifetime(progress) { unsafe agonyfs_connection_exchange(connection, &request, &reply) }
        }
      }
    }
    defer { unsafe free(reply.body) }
    if let error = unsafe Self.error(reply) {
      throw unsafe Failure(error: error, wasSent: reply.was_sent != 0)
    }
    return unsafe Received(reply: Self.reply(reply), identifier: Self.text(of: reply.request_identifier))
  }

  private static func error(_ reply: agonyfs_reply) -> StoreError? {
    switch unsafe reply.transport {
    case AGONYFS_REPLIED: nil
    case AGONYFS_UNREACHABLE: .unreachable
    case AGONYFS_UNTRUSTED: .untrustedCertificate
    case AGONYFS_INTERRUPTED: .interrupted
    default: unsafe .brokenReply(StoreError.printable(reply.reason.map { unsafe String(cString: $0) }?.utf8 ?? "".utf8))
    }
  }

  private static func reply(_ reply: agonyfs_reply) -> StoreReply {
    var result = unsafe StoreReply(status: Int(reply.status))
    unsafe result.date = RequestTime(header: text(of: reply.date))
    result.contentLength = unsafe reply.length >= 0 ? reply.length : nil
    unsafe result.entityTag = text(of: reply.entity_tag)
    unsafe result.contentRange = text(of: reply.content_range)
    unsafe result.region = text(of: reply.region)
    unsafe result.checksum = text(of: reply.checksum)
    unsafe result.body = Array(UnsafeRawBufferPointer(start: reply.body, count: reply.body_count))
    return result
  }

  /// The text in a field, which ends with a zero byte.
  private static func text<Field>(of field: Field) -> String {
    unsafe withUnsafeBytes(of: field) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
