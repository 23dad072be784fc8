internal import Glibc
internal import System

/// Something that a program left of a place.
package struct Finding: Sendable {
  /// What it is. The raw values are those of `--json`, and never change.
  package enum Kind: String, Sendable, CaseIterable {
    case thumbnail, recent, trash, metadata, index, history, settings, session, cache, temporary, plain

    /// Its name, of one and of several.
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

  /// The most that it tells. The raw values are those of `--json`, and never change.
  package enum Reveals: String, Sendable {
    /// The photo, or a small copy of it.
    case picture
    /// Names of albums or photos.
    case names
    /// Where the space was mounted.
    case place
    /// Where the vault is, and perhaps what was done with it.
    case vault

    /// For people.
    package var words: String {
      switch self {
      case .picture: "shows photos"
      case .names: "names albums or photos"
      case .place: "names the mount point"
      case .vault: "names the vault"
      }
    }
  }

  /// What can be done about it.
  package enum Remedy: Sendable {
    /// It can be removed: nothing is lost that cannot be made again.
    case remove(Removal)
    /// It can be removed if the user agrees to just that, as it may be the only copy.
    case removeIfAsked(Removal)
    /// Only the user can, in the way that the sentence says.
    case byHand(String)
  }

  /// The program that left it, or several of them.
  package var program: String
  package var kind: Kind
  /// The file that it is in.
  package var file: [UInt8]
  /// How many such things are in the file.
  package var count = 1
  /// The URIs or paths that it names, as far as they are known.
  package var names: [[UInt8]] = []
  /// The lines that it is in, from 1; for texts.
  package var lines: [Int] = []
  package var reveals: Reveals
  package var remedy: Remedy

  /// How a finding can be removed.
  package var removal: Removal? {
    switch remedy {
    case .remove(let removal), .removeIfAsked(let removal): removal
    case .byHand: nil
    }
  }
}
