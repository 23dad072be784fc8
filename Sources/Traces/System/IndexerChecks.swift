internal import Glibc
internal import System
internal import SystemPackage

/// What the names of a vault's files reveal, for notes about vaults.
private let whatNamesTell =
  "comparing old names with the vault shows which files were added or removed since, even after agonyfs refresh"

/// locate(1), whose database holds the names of all files that every user may see.
struct LocateCheck: SystemCheck {
  private static let databases = ["var/lib/plocate", "var/lib/mlocate"]

  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    mountNotes(view, subject) + vaultNotes(view, subject)
  }

  private func vaultNotes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard Self.databases.contains(where: view.exists) else { return [] }
    let pruned = prunedPaths(view)
    let names = values(of: "PRUNENAMES", view).map { Array($0.utf8) }
    let types = values(of: "PRUNEFS", view).map { $0.lowercased() }
    return subject.vaults.paths.filter { vault in
      let type = view.mount(of: String(decoding: vault, as: UTF8.self))?.type.lowercased()
      return !pruned.contains { PathBytes.isBelow(vault, orAt: $0) }
        && !vault.split(separator: PathBytes.slash).contains { names.contains(Array($0)) }
        && !(type.map { types.contains($0) } ?? false)
    }.map { vault in
      let shown = String(decoding: vault, as: UTF8.self)
      return SystemNote(
        topic: .locate,
        text: "The database of locate has the names of the vault's files, and \(whatNamesTell): add \(shown) to "
          + "PRUNEPATHS in /etc/updatedb.conf, and run updatedb.")
    }
  }

  private func prunedPaths(_ view: SystemView) -> [[UInt8]] {
    values(of: "PRUNEPATHS", view).compactMap { PathBytes.normalized(Array($0.utf8)) }
  }

  private func mountNotes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard !subject.openPlaces.paths.isEmpty, view.has("etc/updatedb.conf") else { return [] }
    if values(of: "PRUNEFS", view).contains(where: { $0.lowercased() == "fuse.agonyfs" }) { return [] }
    let pruned = prunedPaths(view)
    let left = subject.openPlaces.paths.filter { path in !pruned.contains { PathBytes.isBelow(path, orAt: $0) } }
    if left.isEmpty { return [] }
    return [
      SystemNote(
        topic: .locate,
        text: "A space is mounted for all users, and updatedb stores its names in the database of locate: add "
          + "fuse.agonyfs to PRUNEFS in /etc/updatedb.conf.")
    ]
  }

  private func values(of key: String, _ view: SystemView) -> [Substring] {
    view.lines("etc/updatedb.conf").filter { line in
      line.split(separator: "=", maxSplits: 1).first?.split(separator: " ").first.map(String.init) == key
    }.flatMap { line in (line.split(separator: "=", maxSplits: 1).last ?? "").split { " \t\"".contains($0) } }
  }
}

/// Baloo, KDE's index, which indexes mounts and vaults that are not hidden in the home directory.
struct BalooCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    let text = subject.home.settings("baloofilerc").map { String(decoding: $0, as: UTF8.self) }
    guard text != nil || view.has("usr/bin/balooctl") || view.has("usr/bin/balooctl6") else { return [] }
    let lines = (text ?? "").split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " } }
    if lines.contains("Indexing-Enabled=false") { return [] }
    let excluded = folders("excludefolders", lines, subject.home) ?? []
    let included = folders("folders", lines, subject.home) ?? [subject.home.path]
    let showsHidden = lines.contains("indexhiddenfolders=true")
    func isIndexed(_ place: [UInt8]) -> Bool {
      guard let folder = included.filter({ PathBytes.isBelow(place, orAt: $0) }).max(by: { $0.count < $1.count }),
        !excluded.contains(where: { PathBytes.isBelow(place, orAt: $0) && $0.count >= folder.count })
      else { return false }
      return showsHidden || !PathBytes.isHidden(place, below: folder)
    }
    let mounts = subject.places.paths.filter { !subject.vaults.contains($0) && isIndexed($0) }.map { place in
      let shown = String(decoding: place, as: UTF8.self)
      return SystemNote(
        topic: .indexer,
        text: "KDE's index, Baloo, indexes \(shown) and stores the names and facts of photos: run balooctl config add "
          + "excludeFolders \(shown), or mount below a folder whose name begins with a dot.")
    }
    let vaults = subject.vaults.paths.filter(isIndexed).map { vault in
      let shown = String(decoding: vault, as: UTF8.self)
      return SystemNote(
        topic: .indexer,
        text: "KDE's index, Baloo, has the names of the vault's files, and \(whatNamesTell): run balooctl config add "
          + "excludeFolders \(shown), then balooctl purge (newer: balooctl6 purge).")
    }
    return mounts + vaults
  }

  /// The folders in the value of a key. If the key is marked by `[$e]`, `$HOME` stands for the home directory.
  private func folders(_ key: String, _ lines: [String], _ home: Home) -> [[UInt8]]? {
    for line in lines {
      guard let equals = line.firstIndex(of: "="), ["", "[$e]"].contains(where: { line[..<equals] == key + $0 })
      else { continue }
      return line[line.index(after: equals)...].split(separator: ",").compactMap { value in
        var bytes = Array(value.utf8)
        if bytes.starts(with: "$HOME".utf8) { bytes.replaceSubrange(0..<5, with: home.path) }
        return PathBytes.normalized(bytes)
      }
    }
    return nil
  }
}

/// GNOME's Tracker, which holds the names of all files below the folders that it watches; before version 3 it also
/// enters mounts.
struct TrackerCheck: SystemCheck {
  private static let newMiners = ["libexec", "lib"].flatMap { folder in
    ["usr/\(folder)/tracker-miner-fs-3", "usr/\(folder)/localsearch-3"]
  }
  /// Tracker skips a folder that contains a file with this name.
  private static let mark = ".trackerignore"
  private static let oldMiners = ["usr/libexec/tracker-miner-fs", "usr/lib/tracker/tracker-miner-fs"]
  /// The folders that it watches by default.
  private static let watched = ["DESKTOP", "DOCUMENTS", "MUSIC", "PICTURES", "VIDEOS", "DOWNLOAD"]

  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    let isOld = Self.oldMiners.contains(where: view.has)
    guard isOld || Self.newMiners.contains(where: view.has) else { return [] }
    let folders = userFolders(subject.home)
    let vaults = subject.vaults.paths.filter { vault in
      folders.contains {
        PathBytes.isBelow(vault, orAt: $0) && !PathBytes.isHidden(vault, below: $0) && !isMarked(vault, below: $0)
      }
    }.map { vault in
      SystemNote(
        topic: .indexer,
        text:
          "GNOME's index, Tracker, has the names of the vault's files at \(String(decoding: vault, as: UTF8.self)), "
          + "and \(whatNamesTell): move the vault out of the folders for documents, pictures and the like, or put it in "
          + "a folder with an empty file \(Self.mark); then run tracker3 reset --filesystem "
          + "(newer: localsearch reset --filesystem).")
    }
    guard isOld else { return vaults }
    let mounts = subject.places.paths.filter { place in
      !subject.vaults.contains(place) && folders.contains { PathBytes.isBelow(place, orAt: $0) }
    }
    return vaults
      + mounts.map { place in
        SystemNote(
          topic: .indexer,
          text: "This old Tracker indexes \(String(decoding: place, as: UTF8.self)) and stores the names and facts of "
            + "photos: mount outside of its folders, or update it to version 3.3.")
      }
  }

  /// Whether `folder`, or a folder on the way from it to the path, has the mark.
  private func isMarked(_ path: [UInt8], below folder: [UInt8]) -> Bool {
    var place = folder
    for name in (PathBytes.rest(of: path, below: folder) ?? []).split(separator: PathBytes.slash) {
      if unsafe access(String(decoding: place, as: UTF8.self) + "/\(Self.mark)", F_OK) == 0 { return true }
      place += [PathBytes.slash] + name
    }
    return false
  }

  private func userFolders(_ home: Home) -> [[UInt8]] {
    guard let bytes = home.settings("user-dirs.dirs") else {
      return ["Documents", "Music", "Pictures", "Videos"].map { home.path + Array("/\($0)".utf8) }
    }
    return bytes.split(separator: 0x0A).compactMap { line -> [UInt8]? in
      let text = String(decoding: line, as: UTF8.self)
      guard Self.watched.contains(where: { text.hasPrefix("XDG_\($0)_DIR=") }), let equals = text.firstIndex(of: "=")
      else { return nil }
      var value = Array(text[text.index(after: equals)...].filter { $0 != "\"" }.utf8)
      if value.starts(with: "$HOME".utf8) { value.replaceSubrange(0..<5, with: home.path) }
      // In this file the home directory itself stands for no folder.
      return PathBytes.normalized(value).flatMap { $0 == home.path ? nil : $0 }
    }
  }
}
