internal import Logging
internal import Media

/// The image decoder; it is in the same directory as this program.
enum DecoderProgram {
  static var path: String { OwnFolder.path(of: "agonyfs-decoder") }

  /// A decoder that logs nothing.
  static func silent(lightJobs: Int = Decoder.lightJobs) -> Decoder {
    Decoder(program: path, sandbox: .preferred, lightJobs: lightJobs, logger: .silent)
  }

  /// How the kernel of this machine confines it, for people.
  static var confinement: String {
    let decoder = silent()
    defer { decoder.stop() }
    do throws(DecoderError) {
      return "\(try decoder.startedState())"
    } catch {
      return "cannot be started"
    }
  }
}
