internal import ArgumentParser
internal import Client
internal import Crypto
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage
internal import Vault

/// `agonyfs open`, for the desktop's menu. All questions and messages are in windows.
struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Ask for a password in a window, and show the albums.",
    discussion: HelpText.open)

  @Argument(help: "A vault, or a file that --save wrote.", completion: .file())
  var place: FilePath?

  @Option(
    help: ArgumentHelp("Write the path of the vault to a file that ends with .agonyfs.", valueName: "file"),
    completion: .file())
  var save: FileArgument?

  @Option(
    name: [.customShort("o", allowingJoined: true)],
    help: ArgumentHelp("Mount options; see agonyfs help mount-options.", valueName: "options"))
  var options: [Word] = []

  func run() throws {
    guard let dialog = DesktopDialog.find() else {
      throw CommandFailure(
        .usage,
        """
        agonyfs open needs a desktop and a program that asks in a window. Install zenity, kdialog or pinentry-gnome3, \
        or use agonyfs mount.
        """)
    }
    do {
      try open(dialog)
    } catch {
      if let failure = CommandFailure(any: error, vault: place ?? "the vault") { dialog.fail(failure.message) }
      throw error
    }
  }

  private func open(_ dialog: DesktopDialog) throws {
    guard let vault = try vault(dialog) else { throw ExitCode(CommandStatus.failure.rawValue) }
    let password = try newVault(at: vault, dialog)
    _ = try Vault.opened(at: vault)
    let file = save.map { AbsolutePath.of($0.path) }
    if let file { try PlaceFile.write(vault, to: file) }
    let place: FilePath
    do {
      place = try ask(vault, try MountPlace.free(for: vault), dialog, knowing: password)
    } catch {
      // If no space was opened, no file that remembers the vault stays.
      if let file { _ = try? unsafe file.call { unsafe unlink($0) } }
      throw error
    }
    try show(place)
  }

  /// Asks for the password, unless it is known, until a space is open.
  ///
  /// - Returns: the mount point.
  private func ask(
    _ vault: FilePath, _ first: FilePath, _ dialog: DesktopDialog, knowing password: Password?
  ) throws -> FilePath {
    var password = password
    var mountPoint = first
    var title = "Password of \(vault.lastComponent?.string ?? "the vault")"
    while true {
      switch try mount(vault, at: mountPoint, asking: title, dialog, knowing: password) {
      case .mounted(let warnings):
        if !warnings.isEmpty { dialog.fail(warnings) }
        return mountPoint
      case .cancelled:
        forget(mountPoint, for: vault)
        throw ExitCode(CommandStatus.failure.rawValue)
      case .wrong:
        password = nil
        title = "No space opens with this password. Once more:"
      case .failed(let status, let reason):
        let status = CommandStatus(rawValue: status) ?? .failure
        if status == .mountPointUnusable, let other = try? MountPlace.free(for: vault), other != mountPoint {
          // A second window took the mount point in the meantime.
          mountPoint = other
          title = "Another program has just used the mount point. Type the password once more:"
          continue
        }
        forget(mountPoint, for: vault)
        let places = status == .spaceInUse ? SpacePlace.places(ofVault: vault) : []
        guard let place = places.first(where: { reason.hasSuffix("\(MountedElsewhere.words($0)).") }) else {
          throw CommandFailure(status, reason)
        }
        return place
      }
    }
  }

  /// Removes a mount point that was not used. The first choice stays, because another window may be about to use it.
  private func forget(_ mountPoint: FilePath, for vault: FilePath) {
    if mountPoint.lastComponent != vault.lastComponent { _ = try? unsafe mountPoint.call { unsafe rmdir($0) } }
  }

  private func vault(_ dialog: DesktopDialog) throws -> FilePath? {
    guard let place else {
      guard dialog.hasDirectories else {
        throw CommandFailure(.usage, "Name the vault to open, or install zenity or kdialog to choose it in a window.")
      }
      return try dialog.directory("Which vault?")
    }
    let path = AbsolutePath.of(place)
    return PlaceFile.isName(of: path) && !Directory.exists(at: path) ? try PlaceFile.read(path) : path
  }

  private enum Attempt {
    /// Mounted, with the warnings that were printed.
    case mounted(String)
    case cancelled, wrong
    case failed(Int32, String)
  }

  /// Mounts with the password that the dialog prints, or with the known one. It goes to `agonyfs mount` through a pipe
  /// that this process does not read.
  private func mount(
    _ vault: FilePath, at mountPoint: FilePath, asking title: String, _ dialog: DesktopDialog,
    knowing known: Password?
  ) throws -> Attempt {
    let own = OwnFolder.path(of: "agonyfs")
    let words = ["agonyfs", "mount", "--remove-mount-point"] + options.flatMap { ["-o", $0.coded] } + ["--"]
    // The other processes' ends of the pipes close when this returns.
    func started() throws(Errno) -> (asking: ChildProcess?, mounting: ChildProcess, errors: Descriptor) {
      let (password, typed) = try Descriptor.pipe()
      let (reading, errors) = try Descriptor.pipe()
      if let known {
        // The pipe has room for all of it. A later write could kill this process if the mount has ended by then.
        try unsafe known.bytes.withUnsafeBytes { (bytes) throws(Errno) in try unsafe typed.writeAll(bytes) }
        try typed.writeAll([UInt8(ascii: "\n")])
      }
      let mounting = try ChildProcess(
        own, words: words.map { ByteText.bytes(of: $0) } + [vault.bytes, mountPoint.bytes],
        descriptors: [password, nil, errors])
      let asking: ChildProcess? = known == nil ? try dialog.askPassword(title, to: typed) : nil
      return (asking, mounting, reading)
    }
    let (asking, mounting, errors) = try started()
    let asked = asking?.wait() ?? .exited(0)
    let said = try errors.readToEnd(limit: 4096)
    let ending = mounting.wait()
    // A dialog killed by SIGPIPE was answered, but the mount had ended; its failure is shown.
    guard [.exited(0), .killed(SIGPIPE), .exited(128 + SIGPIPE)].contains(asked) else { return .cancelled }
    switch ending {
    case .exited(0):
      let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
      return .mounted(lines.map { $0.trimmingPrefix("agonyfs: ") }.joined(separator: "\n"))
    case .exited(CommandStatus.noSpaceOpens.rawValue): return .wrong
    default:
      let text = String(decoding: said, as: UTF8.self).split(separator: "\n").last ?? "agonyfs: \(ending.text)"
      guard case .exited(let status) = ending else { return .failed(CommandStatus.failure.rawValue, String(text)) }
      return .failed(status, String(text.trimmingPrefix("agonyfs: ")))
    }
  }

  /// Shows a directory in the desktop's file manager.
  private func show(_ path: FilePath) throws {
    Output.line(path)
    try? Output.finish()
    guard let opener = Environment.program("xdg-open") else {
      throw CommandFailure(
        .failure, "The albums are at \(TerminalText.safe(path.bytes)); install xdg-utils to see them.")
    }
    let process = try ChildProcess(
      opener, words: [Array("xdg-open".utf8), path.bytes], descriptors: [nil, nil, nil],
      inheriting: .everythingButSession)
    guard process.wait() == .exited(0) else {
      throw CommandFailure(.failure, "The albums are at \(TerminalText.safe(path.bytes)); no file manager shows them.")
    }
  }
}
