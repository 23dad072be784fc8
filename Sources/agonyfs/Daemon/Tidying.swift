// Invariants
// 1. It begins after the mount has ended and everything is durable, in another process that has no keys and no
//    descriptors of this one.
// 2. Its outcome never changes the status of the mount or of `unmount`.

internal import Glibc
internal import Logging
internal import Mount
internal import System
internal import SystemPackage

/// Removes the traces that programs left of a mount, after its end: `agonyfs doctor --yes --quiet MOUNTPOINT`.
struct Tidying {
  private static let limit = Duration.seconds(60)
  /// Most bytes of its messages that go into the log.
  private static let mostText = 4096

  private let mountPoint: FilePath
  /// The user whose home is searched; nil for this user.
  private let owner: uid_t?

  init(_ request: MountRequest) {
    mountPoint = request.mountPoint
    var status = stat()
    // Root mounts for other users, as lines of /etc/fstab say: for the owner of the mount point's directory.
    let isKnown = request.directory.map { unsafe fstat($0.number, &status) == 0 } ?? false
    owner = geteuid() == 0 && isKnown && status.st_uid != 0 ? status.st_uid : nil
  }

  /// Runs the command; failures go to the log.
  func run(_ logger: Logger) {
    let words = ["agonyfs", "doctor", "--yes", "--quiet"] + (owner.map { ["--home-of", "\($0)"] } ?? [])
    do throws(Errno) {
      let errors = try Descriptor.pipe()
      let reading = errors.reading
      let child = try started((words + ["--"]).map { Array($0.utf8) } + [mountPoint.bytes], errors.writing)
      let (ending, texts) = child.ended(
        reading: [reading], limit: Self.mostText, by: monotonicTime() + Self.limit.nanoseconds)
      let text = String(decoding: texts[0], as: UTF8.self).split(separator: "\n").joined(separator: " ")
      switch ending {
      case .exited(0): break
      case .exited(CommandStatus.tracesLeft.rawValue): logger.notice("\(text)")
      case nil: logger.warning("Removing the traces of the mount took too long; run agonyfs doctor.")
      default: logger.warning("Removing the traces of the mount failed: \(text)")
      }
    } catch {
      logger.warning("Removing the traces of the mount could not begin: \(error.description)")
    }
  }

  private func started(_ words: [[UInt8]], _ errors: Descriptor) throws(Errno) -> ChildProcess {
    try ChildProcess(
      "/proc/self/exe", words: words, descriptors: [nil, nil, errors], inheriting: .everythingButSession)
  }
}
