internal import Storage
internal import SystemPackage

/// What the file system under a vault lacks, and what follows. The names of its fields are those of `--json` and never
/// change.
struct HostReport: Encodable {
  /// Whether only this machine can write there, as far as is known.
  var isLocal: Bool
  /// What it lacks of the abilities that could be tried, in the order of their list.
  var lacks: [HostAbility]

  init(isLocal: Bool, lacks: [HostAbility]) { (self.isLocal, self.lacks) = (isLocal, lacks) }

  /// Tries the host of the vault at a path. If the vault cannot be opened there, nothing is known to be lacking.
  init(ofVaultAt path: FilePath) {
    let storage = try? DirectoryStorage(path: path)
    self.init(isLocal: storage?.isOnLocalHost ?? true, lacks: storage?.lackingAbilities() ?? [])
  }

  /// The paragraph for users; nil if the host has everything.
  var paragraph: String? {
    var sentences: [String] = []
    for text in lacks.compactMap(predicate(of:)) {
      sentences.append((sentences.isEmpty ? "The file system of the vault " : "It ") + text)
    }
    if !isLocal { sentences.append(Self.othersMayWrite) }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  private static let othersMayWrite =
    "Other machines or programs may reach the vault there: unmount it here before you use it elsewhere."

  /// A sentence without its subject that states one lack and what follows; nil if that of another lack says it.
  private func predicate(of lack: HostAbility) -> String? {
    switch lack {
    case .births:
      return "keeps no creation times: the vault counts as a copy, and damage of the last "
        + "hours passes for the end of the data. After a crash, write something in the space that was in use."
    case .unnamedFiles:
      return "has no files without a name: a crash while a password is added may leave a file that no password "
        + "explains."
    case .hardLinks:
      return "cannot link files: agonyfs refresh refuses. Copy the vault with rsync -a into a new directory instead."
    case .exchange:
      // Without links there is no refresh.
      if lacks.contains(.hardLinks) { return nil }
      return "cannot exchange files: during agonyfs refresh, a file of the vault that another program replaces may be "
        + "lost."
    case .renameWithoutReplacing:
      // Without links an empty file holds the name for a moment.
      guard lacks.contains(.hardLinks) else { return nil }
      return "can neither rename nor link a file without replacing another: a crash while a password is added may "
        + "leave an empty file, which a later mount deletes."
    case .allocation:
      return "holds no room for what is written: other programs may take the last of it, and a write then fails."
    case .modes:
      return "keeps no modes of files: the options of its mount decide who can read them."
    case .locks:
      return "has no locks, so no space opens there."
    case .seconds:
      return "keeps times in steps of more than a second."
    }
  }
}
