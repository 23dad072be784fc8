internal import Logging
internal import Media

/// The image decoder; it is in the same directory as this program.
enum DecoderProgram {
  /// Its path.
  static var path: String { OwnFolder.path(of: "agonyfs-decoder") }

  /// How the kernel of this machine confines it, for people.
  static var confinement: String {
    let decoder = Decoder(
      program: path, sandbox: .preferred, logger: Logger(label: "agonyfs", factory: { _ in SwiftLogNoOpLogHandler() }))
    defer { decoder.stop() }
    do throws(DecoderError) {
      return "\(try decoder.startedState())"
    } catch {
      return "cannot be started"
    }
  }
}
