internal import CDecoder
internal import Catalog
internal import Glibc
internal import Media
internal import System

/// The program that decodes pictures and videos for the daemon, which holds the keys. It loads its libraries and then
/// copies itself for each decoder that the daemon asks for. Descriptor 0 of a copy is a socket to the daemon and its only
/// open descriptor. A copy drops all its rights before it reads from the socket, and ends when the daemon closes it.
@main
enum Program {
  static func main() {
    guard CommandLine.arguments.count == 1, agonyfs_load_libraries() == 0 else { exit(1) }
    agonyfs_lower_session()
    ForkingProgram.becomeTemplate()
    let confinement = agonyfs_confine(1, 1)
    guard agonyfs_end_with(Channel.socket.number) == 0 else { exit(1) }
    var hello = ByteWriter()
    hello.append(UInt32(clamping: confinement.landlock))
    hello.append(UInt8(confinement.seccomp == 0 ? 0 : 1))
    hello.append(UInt8(confinement.threads == 0 ? 0 : 1))
    Channel.send(.hello, hello.bytes)
    while true { work(Channel.receive()) }
  }

  /// The processor time of a job: the daemon's time limit times the number of libvips threads.
  private static let mostProcessorSeconds: Int32 = 120

  /// Restarts the limit, for a new job or the next step of an archive.
  static func allowProcessorTime() { agonyfs_allow_processor_time(mostProcessorSeconds) }

  private static func work(_ job: (message: WireMessage, body: [UInt8])) {
    allowProcessorTime()
    do throws(DecoderError) {
      switch job.message {
      case .derive:
        guard let request = try? DeriveRequest(decoding: job.body) else { exit(1) }
        Channel.send(.derived, try FileJob(fileSize: request.fileSize).derive(request).encoded)
      case .facts:
        guard let request = try? FactsRequest(decoding: job.body) else { exit(1) }
        Channel.send(.factsMade, try FileJob(fileSize: request.fileSize).facts(small: request.small).encoded)
      case .sidecar:
        guard let request = try? SidecarRequest(decoding: job.body) else { exit(1) }
        Channel.send(.factsMade, try Sidecar.facts(request).encoded)
      case .full:
        guard let request = try? PictureRequest(decoding: job.body) else { exit(1) }
        Channel.sendInParts(try FileJob(fileSize: request.fileSize).full(), last: .fullMade)
      case .pixelDigest:
        guard let request = try? PictureRequest(decoding: job.body) else { exit(1) }
        Channel.send(.digestMade, try FileJob(fileSize: request.fileSize).pixelDigest())
      case .resize:
        guard let request = try? ResizeRequest(decoding: job.body) else { exit(1) }
        Channel.sendInParts(try FileJob(fileSize: request.fileSize).full(side: request.side), last: .fullMade)
      case .strip:
        guard let request = try? StripRequest(decoding: job.body) else { exit(1) }
        Channel.send(.stripped, try FileJob(fileSize: request.fileSize).stripped(request.mode).encoded)
      case .png:
        guard let request = try? PNGRequest(decoding: job.body) else { exit(1) }
        Channel.send(.pngMade, try Picture.png(request))
      case .archive:
        guard let request = try? PictureRequest(decoding: job.body) else { exit(1) }
        try ArchiveJob.run(fileSize: request.fileSize)
      default: exit(1)
      }
    } catch {
      Channel.send(.failed, error.encoded)
    }
  }
}
