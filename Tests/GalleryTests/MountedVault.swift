import Client
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// A vault of its own, mounted by the program. Everything of it is gone with the object.
final class MountedVault {
  let folder: TemporaryFolder
  private static let program = builtProgram("agonyfs")
  var root: String { folder.path("Albums") }

  /// Makes a vault and mounts it; with `room`, on a disk of so many bytes in memory, which only root can make.
  init(_ options: String = "--segment-size 1M --cover 0", room: Int? = nil, owner: String = #fileID) throws {
    folder = try TemporaryFolder(owner: owner)
    try folder.makeDirectory("Albums")
    if let room {
      try folder.makeDirectory("Vault")
      let made = try Outcome(
        "/bin/mount", arguments: ["-t", "tmpfs", "-o", "size=\(room)", "none", folder.path("Vault")])
      try #require(made.status == 0, "\(made)")
    }
    try folder.write("correct horse battery staple\n", to: "password")
    let made = try Outcome(
      "/bin/sh",
      arguments: [
        "-c",
        "cd '\(folder.path)' && '\(Self.program)' create --kdf interactive \(options) --password-file password Vault",
      ])
    try #require(made.status == 0, "\(made)")
    try mount()
  }

  deinit {
    // The script is no argument: pgrep would find it there.
    _ = try? Outcome(
      "/bin/sh", arguments: [],
      input: """
        '\(Self.program)' unmount '\(root)' || fusermount3 -uz '\(root)'
        cd /
        tries=600
        while pgrep -f 'mount .*\(folder.path)/' > /dev/null && [ $tries -gt 0 ]; do sleep 0.1; tries=$((tries - 1)); done
        mountpoint -q '\(folder.path)/Vault' && umount '\(folder.path)/Vault'
        """)
  }

  /// Mounts it; `options` may be `-o ro`.
  func mount(_ options: String = "") throws {
    let mounted = try Outcome(
      "/bin/sh",
      arguments: [
        "-c", "cd '\(folder.path)' && '\(Self.program)' mount --password-file password \(options) Vault Albums",
      ])
    try #require(mounted.status == 0, "\(mounted)")
  }

  func unmount() throws {
    let outcome = try Outcome(Self.program, arguments: ["unmount", root])
    try #require(outcome.status == 0, "\(outcome)")
  }

  /// Runs a script in the root of the space; every command must succeed.
  @discardableResult
  func shell(_ script: String) throws -> String {
    let outcome = try Outcome(
      "/bin/sh", arguments: ["-c", "set -eu; cd '\(root)'; AGONYFS='\(Self.program)'\n" + script])
    try #require(outcome.status == 0, "\(outcome)")
    return outcome.output
  }

  /// A server on the mount.
  func gallery() throws -> Gallery { Gallery(root: try SpaceRoot(at: Array(root.utf8)), FileCalls()) }

  /// Waits until every file was looked at.
  func examined() throws { try shell("\"$AGONYFS\" thumbnails . > /dev/null") }
}
