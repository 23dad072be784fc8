internal import Glibc
internal import System

/// A file system of its own in a file in memory, which only root can mount. It is gone with the object.
package final class LoopImage {
  /// Where it is mounted.
  package var path: String { folder.path("memory/disk") }
  private let folder: TemporaryFolder

  /// Why there is none.
  package struct Failure: Error {
    /// What the commands said.
    package let outcome: Outcome
  }

  /// Makes and mounts a new file system, such as `xfs`, of at most 400 MiB.
  package init(_ kind: String) throws {
    folder = try TemporaryFolder()
    try run(
      """
      mkdir memory
      mount -t tmpfs -o size=1g none memory
      mkdir memory/disk
      truncate -s 400M memory/image
      mkfs.\(kind) -q memory/image
      # A loop device may be busy for a moment, while another test works in a copy of all mounts.
      for n in $(seq 100); do mount -o loop memory/image memory/disk && exit; sleep 0.1; done
      exit 1
      """)
  }

  deinit { _ = try? run("umount memory/disk 2> /dev/null || true; umount -l memory") }

  /// Whether there may be file systems of a kind here.
  package static func canBe(_ kind: String) -> Bool { geteuid() == 0 && (try? LoopImage(kind)) != nil }

  private func run(_ script: String) throws {
    let outcome = try Outcome("/bin/sh", arguments: ["-ec", "cd \(folder.path)\n" + script], limit: 100)
    guard outcome.status == 0 else { throw Failure(outcome: outcome) }
  }
}
