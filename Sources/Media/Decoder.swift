package import Logging
internal import Synchronization

/// The process that decodes, seen from the one that holds the keys. Jobs run one after the other.
package final class Decoder: Sendable {
  private let program: String
  private let policy: SandboxPolicy
  private let logger: Logger
  private let state = Mutex(SandboxState.unknown)

  /// A decoder that starts its process when it is first needed.
  ///
  /// - Parameters:
  ///   - program: path of `agonyfs-decoder`.
  ///   - sandbox: what is to happen where the kernel cannot confine it fully.
  package init(program: String, sandbox: SandboxPolicy, logger: Logger) {
    self.program = program
    policy = sandbox
    self.logger = logger
  }

  /// Makes derivatives of a file, upright, in sRGB, as JPEG without any metadata.
  ///
  /// - Parameter eagerly: false makes exactly the sizes asked for; true leaves out the large one where it takes long.
  /// - Throws: whatever went wrong with this file; the next job is not affected.
  package func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    throw .unavailable("not there yet")
  }

  /// Makes a PNG of a derivative.
  ///
  /// - Parameters:
  ///   - longerSide: pixels on the longer side at most.
  ///   - text: keys and values of PNG text, such as `Thumb::URI`.
  package func png(
    from jpeg: [UInt8], longerSide: Int, text: [(String, String)]
  ) throws(DecoderError) -> [UInt8] {
    throw .unavailable("not there yet")
  }

  /// How the running decoder is confined.
  package var sandboxState: SandboxState { state.withLock { $0 } }

  /// Ends the process; nothing of it is left when this returns, and later jobs are refused.
  package func stop() {}
}
