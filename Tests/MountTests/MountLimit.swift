import Dispatch
import Glibc
import System
import TestSupport
import Testing

@testable import Mount

/// Cuts a mount off when it is there for longer than a test may take. Whoever waits for an answer then gets an error: this
/// process could not even be killed while it waits for itself.
final class MountLimit: Sendable {
  private let path: String
  private let device: String
  private let hasEnded = DispatchSemaphore(value: 0)
  private let thread: TestThread

  /// Begins to watch a mount that is served. Nil if it is not there any more, as one that ended by itself.
  init?(
    _ path: String, for limit: Duration = .seconds(240),
    report: @escaping @Sendable (String) -> Void = { Issue.record(Comment(rawValue: $0)) }
  ) throws {
    // Looking at the mount itself could hang.
    guard let device = MountTable.current().entry(at: Array(path.utf8))?.device else { return nil }
    self.path = path
    self.device = device
    let test = Test.current?.name ?? "a test"
    thread = try TestThread { [hasEnded] in
      let seconds = Double(limit.nanoseconds) / 1e9
      guard hasEnded.wait(timeout: .now() + seconds) == .timedOut else { return }
      report("the mount of \(test) was cut off after \(seconds) seconds")
      Self.cutOff(path, device)
    }
  }

  deinit {
    hasEnded.signal()
    try? thread.join()
  }

  /// Has all requests end with an error, now and later.
  func cutOff() { Self.cutOff(path, device) }

  private static func cutOff(_ path: String, _ device: String) {
    let connection = "/sys/fs/fuse/connections/\(device.split(separator: ":").last ?? "")/abort"
    if (try? Descriptor.openQuietly(connection, O_WRONLY).writeAll([UInt8(ascii: "1")])) == nil {
      // Without that file system only root can do it.
      unsafe umount2(path, CInt(MNT_FORCE))
    }
  }
}
