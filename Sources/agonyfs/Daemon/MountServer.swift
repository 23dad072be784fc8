internal import Albums
internal import CPlatform
internal import Crypto
internal import Glibc
internal import Library
internal import Logging
internal import Media
internal import Mount
internal import Storage
internal import System
internal import SystemPackage
internal import Vault

/// Serves one mount from its password to its end.
struct MountServer {
  let request: MountRequest

  /// Logs a failure that has no caller to report to.
  static func log(_ failure: CommandFailure) { Logger.system.error("\(failure.message)") }

  /// Serves as `serve` does. Afterwards, if the request asks for it, removes the traces that programs left of the mount
  /// in its user's home, and the mount point if it is empty.
  func serveAndTidy(_ password: consuming Password, whenMounted: @escaping () -> Void) throws {
    var wasMounted = false
    let tidying = request.options.tidies ? Tidying(request) : nil
    // When the mount has ended, nothing is open and everything is durable.
    defer {
      if wasMounted { tidying?.run(.system) }
      if wasMounted, request.removesMountPoint { _ = try? unsafe request.mountPoint.call { unsafe rmdir($0) } }
    }
    try serve(password) {
      wasMounted = true
      // An automount counts a process with a descriptor of the directory below as a user, and would never expire.
      request.directory?.letGo()
      whenMounted()
    }
  }

  /// Opens the space, mounts it, and serves it until it is unmounted. All changes are durable on return.
  ///
  /// - Parameters:
  ///   - password: consumed, and wiped as soon as the space is open.
  ///   - whenMounted: called once, when the mount is ready.
  func serve(_ password: consuming Password, whenMounted: @escaping () -> Void) throws {
    var eviction: (() -> Void)?
    // At that time the space and its keys are gone.
    defer { eviction?() }
    try serve(password, &eviction, whenMounted)
  }

  /// As `serve`. Sets `eviction` to the work to do after the end, if there is any.
  private func serve(
    _ password: consuming Password, _ eviction: inout (() -> Void)?, _ whenMounted: @escaping () -> Void
  ) throws {
    Heap.keepSmall()
    var options = request.options
    let mountPoint = try MountPoint.check(
      request.mountPoint, options: options, vault: request.vault, expected: request.directory)
    let places = try places(options.placesFile)
    let storage = try NotedStorage(DirectoryStorage(path: request.vault))
    // A failed mount evicts what it used, as a command that mounts nothing does. Evicting all files of the space would
    // take long.
    eviction = { storage.evictUsed() }
    let vault = try Vault.open(in: storage, weakDerivations: request.weakDerivations)
    let space = try space(of: password, in: vault, readOnly: options.isReadOnly)
    _ = consume password
    let rollback = options.remembers ? RollbackDetection(of: space, logger: .system) : nil
    let notices = [vault.derivationWarning].compactMap(\.self) + KnownDerivations(of: space, in: vault).warnings
    var warnings = notices
    if let warning = rollback?.check(acceptsOlder: request.acceptsOlder) { warnings.append(warning) }
    if !space.gate.isOpen, !options.isReadOnly {
      options.isReadOnly = true
      warnings.append(
        "The space is mounted read-only, because \(space.gate.reason ?? "the space cannot be written")."
          + Self.advice(on: space.origin, readOnlyBecause: space.gate.reason))
    }
    if let older = space.origin.warning, space.gate.reason != older {
      warnings.append(
        "The newest state of the space cannot be read. This mount shows an older one"
          + (space.gate.isOpen ? ", and because of --accept-older it continues from that." : "."))
    }
    if space.isRekeying, space.gate.isOpen {
      warnings.append(
        "Part of the space still has its old key; complete the change with the same agonyfs password change --rekey.")
    }
    for warning in warnings { Output.note(warning) }
    if !space.origin.isClosed {
      // Before a crash, the previous mount left pages in the host's memory.
      let left = space.eviction()
      _ = try? Thread { left.run() }
    }
    let fileSystem = try FileSystem(
      space: space, options: Self.options(options, keepCheckpoint: rollback?.record),
      changeSink: Library(Self.libraryOptions(options, places, notices: notices)))
    var wasMounted = false
    let session = MountSession(
      fileSystem: fileSystem, mountPoint: mountPoint, options: options, logger: .system
    ) {
      wasMounted = true
      storage.stopNoting()
      whenMounted()
      // In the foreground, standard error is the log and already has the warnings.
      guard SystemLogHandler.sendsToSystemLog else { return }
      // The program that asked for the password has already reported the last one.
      for warning in warnings + [LockedMemoryNote.sentence].compactMap(\.self) { Logger.system.warning("\(warning)") }
    }
    let served = Result { try session.run() }
    let closed = Result {
      try CommandFailure.doing("writing the last changes") { () throws(Errno) in try fileSystem.close() }
    }
    // A session leaves nothing in memory. Other mounts keep the cache, so that the next mount is fast.
    if wasMounted {
      let keeps = !fileSystem.evictsAtClose && request.session == nil
      let all = keeps ? nil : space.eviction()
      eviction = { all?.run() }
    }
    try closed.get()
    try served.get()
  }

  /// A sentence, after a blank, on what to do about an older state that is read-only; empty for the newest state.
  /// It names no path, because the system log gets it.
  static func advice(on origin: SpaceOrigin, readOnlyBecause reason: String?) -> String {
    guard let warning = origin.warning, reason == warning else { return "" }
    return origin.isUnfinishedCopy
      ? " Complete the copy, or continue from this state with --accept-older." : " See what is lost with agonyfs check."
  }

  private func space(of password: borrowing Password, in vault: Vault, readOnly: Bool) throws -> Space {
    let slots = try vault.slotKeys(for: password)
    do throws(VaultError) {
      return try SpaceManager.openSpace(
        in: vault, slots: slots, readOnly: readOnly, acceptOlder: request.acceptsOlder,
        copyWindow: request.copyWindow?.components.seconds ?? Space.defaultCopyWindow)
    } catch {
      guard error == .spaceInUse, let mounted = MountedElsewhere.find(slots, vault, at: request.vault) else {
        throw error
      }
      // In a session, standard output belongs to the program.
      if request.session == nil { mounted.tell(withServer: request.tellsServer) }
      throw mounted.failure
    }
  }

  private func places(_ file: String?) throws -> PlaceTables {
    guard let file = file.map({ FilePath(bytes: ByteText.bytes(of: $0)) }) else { return .debian }
    guard let tables = PlaceTables.debian.with(towns: file) else {
      throw CommandFailure(
        .usage, "\(file) is not a table of towns; give one of GeoNames, such as cities500.txt, or leave out --places.")
    }
    return tables
  }

  /// The options of the file system. It passes records of its durable states to `keepCheckpoint`.
  private static func options(
    _ mount: MountOptions, keepCheckpoint: (@Sendable (CheckpointRecord) -> Void)?
  ) -> FileSystemOptions {
    var options = FileSystemOptions(logger: .system)
    options.keepCheckpoint = keepCheckpoint
    options.isReadOnly = mount.isReadOnly
    return options
  }

  /// The options of the photo library.
  private static func libraryOptions(
    _ mount: MountOptions, _ places: PlaceTables, notices: [String]
  ) -> LibraryOptions {
    var options = LibraryOptions()
    options.notices = notices
    options.places = places
    options.homeZone = MachineZone().name
    if mount.thumbnails != .none {
      // While one waits for its file or for the mount, another one decodes.
      let usual = Int(agonyfs_processors()) + 1
      let decoders = DecoderPool(
        program: DecoderProgram.path, sandbox: mount.requiresDecoderSandbox ? .required : .preferred,
        count: mount.decoders ?? usual, logger: .system)
      var thumbnails = ThumbnailOptions(maker: decoders)
      thumbnails.isLazy = mount.thumbnails == .lazy
      options.thumbnails = thumbnails
    }
    return options
  }
}
