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

  /// Logs a failure that nobody waits for.
  static func log(_ failure: CommandFailure) { Logger.system.error("\(failure.message)") }

  /// As `serve`; afterwards, if the request says so, what programs left of the mount in its user's home is removed, and the
  /// mount point, if it is empty.
  func serveAndTidy(_ password: consuming Password, whenMounted: @escaping () -> Void) throws {
    var wasMounted = false
    let tidying = request.options.tidies ? Tidying(request) : nil
    // At the end of the mount nothing is open any more, and everything is durable.
    defer {
      if wasMounted { tidying?.run(.system) }
      if wasMounted, request.removesMountPoint { _ = try? unsafe request.mountPoint.call { unsafe rmdir($0) } }
    }
    try serve(password) {
      wasMounted = true
      // An automount counts whoever has the directory below as a user, and never ends.
      request.directory?.letGo()
      whenMounted()
    }
  }

  /// Opens the space, mounts it, and serves it until it is unmounted. Everything is written on return.
  ///
  /// - Parameters:
  ///   - password: consumed and so wiped as soon as the space is open.
  ///   - whenMounted: called once, when the mount is ready.
  func serve(_ password: consuming Password, whenMounted: @escaping () -> Void) throws {
    var eviction: (() -> Void)?
    // The space and its keys are gone by then.
    defer { eviction?() }
    try serve(password, &eviction, whenMounted)
  }

  /// The same; `eviction` becomes what is to be done after the end, if anything is.
  private func serve(
    _ password: consuming Password, _ eviction: inout (() -> Void)?, _ whenMounted: @escaping () -> Void
  ) throws {
    Heap.keepSmall()
    var options = request.options
    let mountPoint = try MountPoint.check(
      request.mountPoint, options: options, vault: request.vault, expected: request.directory)
    let places = try places(options.placesFile)
    let storage = try NotedStorage(DirectoryStorage(path: request.vault))
    // A mount that fails leaves no more than a command that mounts nothing. All files of the space would take long.
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
      warnings.append("Mounting read-only, because \(space.gate.reason ?? "the space cannot be written").")
    }
    if let older = space.origin.warning, space.gate.reason != older {
      warnings.append(
        "The newest state of the space cannot be read. This mount shows an older one"
          + (space.gate.isOpen ? ", and with --accept-older goes on from it." : "."))
    }
    if space.isRekeying, space.gate.isOpen {
      warnings.append(
        "Part of the space is still under its old key; end that with the same agonyfs password change --rekey.")
    }
    for warning in warnings { Output.note(warning) }
    if !space.origin.isClosed {
      // A crash left in the host's memory what was used before it.
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
      // In the foreground standard error is the log, and has the warnings already.
      guard SystemLogHandler.sendsToSystemLog else { return }
      // The program that asked for the password has said the last one.
      for warning in warnings + [LockedMemoryNote.sentence].compactMap(\.self) { Logger.system.warning("\(warning)") }
    }
    let served = Result { try session.run() }
    let closed = Result {
      try CommandFailure.doing("writing the last changes") { () throws(Errno) in try fileSystem.close() }
    }
    // A session leaves nothing. Otherwise the next mount is to be fast.
    if wasMounted {
      let keeps = !fileSystem.evictsAtClose && request.session == nil
      let all = keeps ? nil : space.eviction()
      eviction = { all?.run() }
    }
    try closed.get()
    try served.get()
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
      // The standard output of a session is its program's.
      if request.session == nil { mounted.tell(withServer: request.tellsServer) }
      throw mounted.failure
    }
  }

  private func places(_ file: String?) throws -> PlaceTables {
    guard let file = file.map({ FilePath(bytes: ByteText.bytes(of: $0)) }) else { return .debian }
    guard let tables = PlaceTables.debian.with(towns: file) else {
      throw CommandFailure(
        .usage, "\(file) is no table of towns; give one of GeoNames, such as cities500.txt, or leave --places out.")
    }
    return tables
  }

  /// The options of the file system; `keepCheckpoint` gets records of its durable states.
  private static func options(
    _ mount: MountOptions, keepCheckpoint: (@Sendable (CheckpointRecord) -> Void)?
  ) -> FileSystemOptions {
    var options = FileSystemOptions(logger: .system)
    options.keepCheckpoint = keepCheckpoint
    options.isReadOnly = mount.isReadOnly
    return options
  }

  /// The options of its library of photos.
  private static func libraryOptions(
    _ mount: MountOptions, _ places: PlaceTables, notices: [String]
  ) -> LibraryOptions {
    var options = LibraryOptions()
    options.notices = notices
    options.places = places
    options.homeZone = MachineZone().name
    if mount.thumbnails != .none {
      let decoders = DecoderPool(
        program: DecoderProgram.path, sandbox: mount.requiresDecoderSandbox ? .required : .preferred,
        count: mount.decoders ?? Int(agonyfs_processors()), logger: .system)
      var thumbnails = ThumbnailOptions(maker: decoders)
      thumbnails.isLazy = mount.thumbnails == .lazy
      options.thumbnails = thumbnails
    }
    return options
  }
}
