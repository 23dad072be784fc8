internal import Albums
internal import Client
internal import Crypto
internal import Glibc
internal import Library
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

extension PhotoLibrary {
  /// Opens a space of a vault without a mount, for reading only.
  ///
  /// - Throws: `CommandFailure` if there is no vault at the path; the errors of opening a space.
  static func vault(at path: [UInt8], _ options: VaultOptions) throws -> PhotoLibrary {
    let whole = AbsolutePath.of(FilePath(bytes: path))
    do throws(Errno) {
      _ = try Descriptor.open(whole.appending(VaultParameters.fileName), O_RDONLY)
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw CommandFailure(
        .mountPointUnusable,
        "\(TerminalText.safe(path)) is neither a vault nor in a mounted space; mount the space first, with: agonyfs "
          + "mount VAULT DIRECTORY")
    } catch {
      throw CommandFailure(error, doing: "opening the vault \(TerminalText.safe(path))")
    }
    do {
      let vault = try Vault.open(at: whole, options.derivations.weakDerivations)
      if let warning = vault.derivationWarning { Output.note(warning) }
      let password = try options.password.source().password(for: .opening, prompt: "Password for \(whole)")
      var settings = FileSystemOptions(logger: .silent)
      settings.isReadOnly = true
      let files = try FileSystem(
        space: space(of: password, in: vault), options: settings, changeSink: Library())
      return PhotoLibrary(unmounted: VaultSource(fileSystem: files))
    } catch {
      throw CommandFailure(any: error, vault: whole) ?? error
    }
  }

  /// Opens the space of a password, even while another process holds it.
  private static func space(of password: Password, in vault: Vault) throws(VaultError) -> Space {
    let slots = try vault.slotKeys(for: password)
    do throws(VaultError) {
      return try SpaceManager.openSpace(in: vault, slots: slots, readOnly: true)
    } catch {
      guard error == .spaceInUse else { throw error }
      Output.note("This space is mounted; the answer shows its state of a moment ago.")
      return try SpaceManager.openSpace(in: vault, slots: slots, observing: true)
    }
  }
}

/// A space that this process has opened.
struct VaultSource: PhotoSource {
  let fileSystem: FileSystem

  func answer(to request: CatalogRequest) throws -> AnswerReader {
    try AnswerReader(stream(request)) { cursor, told in stream(request.rest(after: cursor, told: told)) }
  }

  private func stream(_ request: CatalogRequest) -> SessionStream {
    let session = DoorSession(fileSystem, for: .everything)
    session.ask(request.bytes)
    return SessionStream(session: session)
  }
}

/// The answer of a query door in this process.
private struct SessionStream: AnswerStream {
  private static let block = 128 << 10
  let session: DoorSession

  func read() -> [UInt8] { Array(session.read(Self.block)) }
}
