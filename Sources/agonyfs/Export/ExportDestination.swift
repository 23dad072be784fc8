internal import Client
internal import Export
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

struct ExportDestination {
  enum Kind: Equatable {
    case folder
    case archive
    case stream
  }

  let kind: Kind
  /// The absolute path; its last component need not exist.
  private let path: [UInt8]
  /// The parent directory, without symbolic links.
  private let parent: BytePath

  /// Resolves the destination that a word names.
  ///
  /// - Throws: `CommandFailure` if nothing can be exported there.
  init(_ word: [UInt8]) throws {
    guard !word.isEmpty else { throw CommandFailure.empty("The destination") }
    if word == [UInt8(ascii: "-")] {
      (kind, path, parent) = (.stream, [], BytePath([]))
      guard isatty(STDOUT_FILENO) == 0 else {
        throw CommandFailure(
          .usage, "A terminal cannot show an archive; send standard output to a file or a program.")
      }
      return
    }
    path = AbsolutePath.of(FilePath(bytes: word)).bytes
    let shown = TerminalText.safe(path)
    let status = try? BytePath(path).followedStatus()
    // A folder's name may also end with .zip.
    let isFolder = status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? (word.last == UInt8(ascii: "/"))
    kind = !isFolder && String(decoding: word.suffix(4), as: UTF8.self).lowercased() == ".zip" ? .archive : .folder
    if status != nil || (try? BytePath(path).status()) != nil, !isFolder {
      throw CommandFailure(.vaultExists, "\(shown) exists and is not replaced; name another file, or a folder.")
    }
    do throws(Errno) {
      parent =
        isFolder && status != nil
        ? try BytePath(path).resolved()
        : try BytePath(BytePath(path).directory.isEmpty ? [0x2F] : BytePath(path).directory).resolved()
    } catch {
      throw CommandFailure(
        error == .noSuchFileOrDirectory ? .usage : .failure,
        "There is no directory for \(shown) (\(error.description)); make it first, with: mkdir -p "
          + TerminalText.safe(BytePath(path).directory))
    }
    if let vault = parent.enclosingVault {
      throw CommandFailure(
        .usage, "\(shown) is in the vault \(TerminalText.safe(vault)), where only agonyfs writes; export elsewhere.")
    }
  }

  var shown: String { kind == .stream ? "standard output" : TerminalText.safe(path) }

  /// Refuses a destination inside the exported space.
  func checkOutside(_ library: PhotoLibrary) throws {
    guard kind != .stream, let mount = try? BytePath(library.wholePrefix).identity(),
      let own = try? parent.identity(), own.device == mount.device
    else { return }
    throw CommandFailure(.usage, "\(shown) is in the space that is exported; export to a place outside of it.")
  }

  func writer(_ calls: FileCalls, verifies: Bool) throws -> any ExportWriter {
    try CommandFailure.doing("writing to \(shown)") { () throws(Errno) -> any ExportWriter in
      switch kind {
      case .stream: return ZipWriter(to: StreamOutput(.standardOutput), verifies: verifies)
      case .archive:
        let directory = try calls.openDirectory(parent.bytes)
        let output = try FileOutput(calls, Array(BytePath(path).last), in: directory, verifies: verifies)
        return ZipWriter(to: output, verifies: verifies)
      case .folder:
        // The umask decides the rights.
        do throws(Errno) { try systemCall { unsafe mkdir(BytePath(path).name, 0o777) } } catch .fileExists {}
        return FolderWriter(calls, root: try calls.openDirectory(BytePath(path).resolved().bytes), verifies: verifies)
      }
    }
  }
}

extension BytePath {
  /// stat(2): follows symbolic links.
  fileprivate func followedStatus() throws(Errno) -> stat {
    var status = stat()
    try systemCall { unsafe stat(name, &status) }
    return status
  }
}
