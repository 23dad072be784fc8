internal import ArgumentParser
internal import Logging
internal import Media

/// The image decoder, a program in the same directory as this one.
enum DecoderProgram {
  static var path: String { OwnFolder.path(of: "agonyfs-decoder") }

  /// Makes a decoder for a command. If the policy lets it run unconfined and it does, a line on standard error says so.
  static func decoder(_ sandbox: SandboxPolicy, lightJobs: Int = Decoder.lightJobs) -> Decoder {
    Decoder(program: path, sandbox: sandbox, lightJobs: lightJobs, logger: sandbox == .required ? .silent : .system)
  }

  /// Starts a decoder first, so that a command fails before it changes anything if no decoder may run.
  static func start(_ decoder: Decoder) throws {
    do throws(DecoderError) {
      _ = try decoder.startedState()
    } catch {
      guard case .unavailable(let reason) = error else { throw error }
      throw CommandFailure(.failure, "The image decoder cannot be used: \(reason).")
    }
  }

  /// Describes how this machine's kernel confines the decoder, for the user.
  static var confinement: String {
    let decoder = Decoder(program: path, sandbox: .preferred, logger: .silent)
    defer { decoder.stop() }
    do throws(DecoderError) {
      return "\(try decoder.startedState())"
    } catch {
      return "cannot be started"
    }
  }
}

extension SandboxPolicy: ExpressibleByArgument {}

/// The decoder option that commands share.
struct DecoderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Confine the decoder. With required, the decoder runs only if it is confined.",
      valueName: "when"))
  var decoderSandbox: SandboxPolicy = .required
}
