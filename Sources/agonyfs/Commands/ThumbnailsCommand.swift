internal import ArgumentParser
internal import Client
internal import FoundationEssentials
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

struct ThumbnailsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumbnails", abstract: "Wait until all thumbnails are made.",
    discussion: HelpText.thumbnails)

  @Argument(help: "Where a space is mounted.", completion: .directory)
  var mountPoint: FilePath

  @Flag(help: "Make all thumbnails again.")
  var rebuild = false

  @Flag(help: "List the photos and videos whose thumbnails failed, with reasons.")
  var failed = false

  func validate() throws {
    if rebuild, failed { throw ValidationError("Give --rebuild or --failed, not both.") }
  }

  func run() throws {
    guard !mountPoint.isEmpty else { throw CommandFailure.empty("The path of the mount point") }
    let control = ControlDirectory(mountPoint: AbsolutePath.of(mountPoint))
    if failed { return try control.listFailures() }
    if rebuild { try control.rebuild() }
    try wait(control)
  }

  /// Shows the progress until no file is left to examine or to make a thumbnail of.
  private func wait(_ control: ControlDirectory) throws {
    let isTerminal = isatty(STDERR_FILENO) == 1
    while true {
      let mount = try control.status()
      let status = mount.thumbnails
      if status.mode == "none" {
        throw CommandFailure(
          .mountPointUnusable,
          "Thumbnails are switched off at \(control.mountPoint); mount the space with --thumbnails eager.")
      }
      let line = "\(status.known) made, \(status.pending) to go, \(status.failed) failed"
      if status.mode == "lazy", status.pending > 0 {
        if mount.readOnly == nil { try control.synchronize() }
        Output.line("\(line); this mount makes them on demand.")
        return
      }
      guard status.pending > 0 || status.examining ?? 0 > 0 else {
        if isTerminal { Output.writeError("\r\u{1B}[K") }
        if mount.readOnly == nil { try control.synchronize() }
        Output.line("\(status.known) made, \(status.failed) failed.")
        return
      }
      if mount.readOnly != nil {
        if isTerminal { Output.writeError("\r\u{1B}[K") }
        throw CommandFailure(
          .failure,
          "The mount at \(control.mountPoint) is read-only; \(status.pending.counted("thumbnail is", "thumbnails are")) "
            + "missing. Mount the space for writing.")
      }
      if let reason = status.paused {
        if isTerminal { Output.writeError("\n") }
        throw CommandFailure(
          .failure,
          "Thumbnails are paused (\(reason)), and go on when that ends; \(status.pending.counted("is", "are")) missing."
        )
      }
      if isTerminal { Output.writeError("\r\u{1B}[K\(line)") }
      usleep(250_000)
    }
  }
}

/// The directory `.agonyfs` of a mount.
private struct ControlDirectory {
  let mountPoint: FilePath

  struct Status: Decodable {
    struct Thumbnails: Decodable {
      var mode: String
      var pending: Int
      var known: Int
      var failed: Int
      /// Files that are being examined, including those without a thumbnail; nil from an older mount.
      var examining: Int?
      var paused: String?
    }
    var thumbnails: Thumbnails
    /// Why the mount is read-only; nil if it is not.
    var readOnly: String?
  }

  func status() throws -> Status {
    let text = try ask { path throws(Errno) in try WholeFile.read(path.appending("status")) }
    guard let status = try? JSONDecoder().decode(Status.self, from: Data(text)) else {
      throw CommandFailure(.failure, "The status of the mount cannot be read; another version of agonyfs may serve it.")
    }
    return status
  }

  func listFailures() throws {
    let bytes = try ask { path throws(Errno) in try WholeFile.read(path.appending("failed")) }
    try Descriptor.standardOutput.writeAll(bytes)
  }

  func rebuild() throws {
    try ask { _ throws(Errno) in try OwnerRequest.rebuild.send(to: mountPoint) }
  }

  /// Asks the mount to flush its state, so that readers of the vault find it there.
  func synchronize() throws {
    try ask { path throws(Errno) in
      // All users who may ask for the status may read this file.
      let file = try Descriptor.open(path.appending("status"), O_RDONLY)
      try systemCall { fsync(file.number) }
    }
  }

  @discardableResult
  private func ask<Answer>(_ body: (FilePath) throws(Errno) -> Answer) throws -> Answer {
    do throws(Errno) {
      return try body(mountPoint.appending(".agonyfs"))
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw CommandFailure(
        .mountPointUnusable,
        "No space is mounted at \(TerminalText.safe(mountPoint.bytes)); mount it first.")
    } catch .socketNotConnected {
      throw CommandFailure(MountError.deadMount(path: TerminalText.safe(mountPoint.bytes)))
    } catch {
      throw CommandFailure(error, doing: "asking the mount at \(TerminalText.safe(mountPoint.bytes))")
    }
  }
}
