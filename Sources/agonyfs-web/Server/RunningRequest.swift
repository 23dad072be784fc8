internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Calls an action when a request has ended: exactly once, even if its answer is never written.
final class RunningRequest: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) { self.action = Mutex(action) }

  deinit { end() }

  func end() {
    let action = action.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }
}

/// Forwards the parts of an answer to another writer.
struct ForwardingWriter: ResponseBodyWriter {
  private var base: any ResponseBodyWriter

  init(_ base: any ResponseBodyWriter) { self.base = base }

  mutating func write(_ buffer: ByteBuffer) async throws { try await base.write(buffer) }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await base.finish(trailingHeaders) }
}
