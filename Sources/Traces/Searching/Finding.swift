internal import Glibc
internal import System

/// A trace that a program left of a place.
package struct Finding: Sendable {
  /// The kind of a trace. The raw values are those of `--json` and never change.
  package enum Kind: String, Sendable, CaseIterable {
    case thumbnail, recent, trash, metadata, index, history, settings, session, cache, temporary, plain

    /// Its name in singular and plural.
    package var words: (one: String, several: String) {
      switch self {
      case .thumbnail: ("thumbnail", "thumbnails")
      case .recent: ("recent file", "recent files")
      case .trash: ("file in the trash", "files in the trash")
      case .metadata: ("entry of metadata", "entries of metadata")
      case .index: ("entry of an index", "entries of an index")
      case .history: ("entry of a history", "entries of a history")
      case .settings: ("entry of settings", "entries of settings")
      case .session: ("entry of a session", "entries of a session")
      case .cache: ("entry of a cache", "entries of a cache")
      case .temporary: ("mention in a temporary file", "mentions in temporary files")
      case .plain: ("file or folder that is not encrypted", "files or folders that are not encrypted")
      }
    }
  }

  /// The most revealing content of a trace. The raw values are those of `--json` and never change.
  package enum Reveals: String, Sendable {
    /// The photo, or a small copy of it.
    case picture
    /// Names of albums or photos.
    case names
    /// The mount point of the space.
    case place
    /// The path of the vault, and perhaps the commands that used it.
    case vault

    /// The description for users.
    package var words: String {
      switch self {
      case .picture: "shows photos"
      case .names: "names albums or photos"
      case .place: "names the mount point"
      case .vault: "names the vault"
      }
    }
  }

  /// How to get rid of a trace.
  package enum Remedy: Sendable {
    /// It can be removed: only data is lost that can be made again.
    case remove(Removal)
    /// It can be removed if the user agrees to exactly that, because it may be the only copy.
    case removeIfAsked(Removal)
    /// Only the user can remove it, as the sentence says.
    case byHand(String)
  }

  /// The program, or the programs, that left it.
  package var program: String
  package var kind: Kind
  /// The path of the file that contains it.
  package var file: [UInt8]
  /// The number of such traces in the file.
  package var count = 1
  /// The URIs or paths that it names, as far as they are known.
  package var names: [[UInt8]] = []
  /// The lines that contain it, counted from 1; for texts.
  package var lines: [Int] = []
  package var reveals: Reveals
  package var remedy: Remedy

  /// How it can be removed; nil if only the user can.
  package var removal: Removal? {
    switch remedy {
    case .remove(let removal), .removeIfAsked(let removal): removal
    case .byHand: nil
    }
  }
}
