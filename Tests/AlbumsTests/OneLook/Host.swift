import Glibc
import TestSupport

/// A file system of its own, in memory where that is possible: flushing costs nothing there.
final class Host {
  /// MiB. What was deleted is not given back to the memory, so it is needed.
  static let room = TestLength.isLong ? 3900 : 1400

  /// Its directory.
  let path: String
  private let folder: TemporaryFolder
  private let isMounted: Bool

  /// Mounts a new file system, such as `ext4`; without a kind it is tmpfs, or that for temporary files.
  init(_ kind: String?, room: Int = Host.room) throws {
    folder = try TemporaryFolder()
    guard let kind else {
      path = folder.path("memory")
      try folder.makeDirectory("memory")
      isMounted = try Self.shell("mount -t tmpfs -o size=\(room + 600)m none memory", in: folder.path).status == 0
      return
    }
    path = folder.path("memory/disk")
    isMounted = true
    let outcome = try Self.shell(
      """
      mkdir memory
      mount -t tmpfs -o size=\(room + 100)m none memory
      truncate -s \(room)M memory/image
      mkfs.\(kind) -q memory/image
      mkdir memory/disk
      mount -o loop,noatime memory/image memory/disk
      """, in: folder.path)
    guard outcome.status == 0 else {
      unmount()
      throw Failure(outcome: outcome)
    }
  }

  private struct Failure: Error { let outcome: Outcome }

  deinit { if isMounted { unmount() } }

  private func unmount() {
    _ = try? Self.shell("umount memory/disk 2> /dev/null || true; umount -l memory", in: folder.path)
  }

  /// Has everything be where it stays, so that places on the disk are known.
  func settle() throws { if isMounted { _ = try Self.shell("sync -f .", in: path) } }

  /// Runs commands there, each of which must succeed.
  static func shell(_ script: String, in path: String) throws -> Outcome {
    try Outcome("/bin/sh", arguments: ["-ec", "cd \(path)\n" + script])
  }

  /// Whether there may be hosts of a kind here.
  static func canBe(_ kind: String) -> Bool { geteuid() == 0 && (try? Host(kind)) != nil }
}
