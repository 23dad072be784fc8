internal import ArgumentParser
internal import Logging
internal import Media

/// The image decoder; it is in the same directory as this program.
enum DecoderProgram {
  static var path: String { OwnFolder.path(of: "agonyfs-decoder") }

  /// A decoder for a command. One that may run although it is not confined says so on standard error.
  static func decoder(_ sandbox: SandboxPolicy, lightJobs: Int = Decoder.lightJobs) -> Decoder {
    Decoder(program: path, sandbox: sandbox, lightJobs: lightJobs, logger: sandbox == .required ? .silent : .system)
  }

  /// Starts a decoder, so that a command ends before it does anything if none may run.
  static func start(_ decoder: Decoder) throws {
    do throws(DecoderError) {
      _ = try decoder.startedState()
    } catch {
      guard case .unavailable(let reason) = error else { throw error }
      throw CommandFailure(.failure, "The image decoder cannot be used: \(reason).")
    }
  }

  /// How the kernel of this machine confines it, for people.
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

/// What commands say of the decoder's option.
struct DecoderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Confinement of the decoder. If it is required, no decoder runs without.",
      valueName: "when"))
  var decoderSandbox: SandboxPolicy = .required
}
