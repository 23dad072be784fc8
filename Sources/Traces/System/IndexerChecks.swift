internal import SystemPackage

/// locate(1), whose database has the names of all files that every user may see.
struct LocateCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard !subject.openPlaces.paths.isEmpty, view.has("etc/updatedb.conf") else { return [] }
    if values(of: "PRUNEFS", view).contains(where: { $0.lowercased() == "fuse.agonyfs" }) { return [] }
    let pruned = values(of: "PRUNEPATHS", view).compactMap { PathBytes.normalized(Array($0.utf8)) }
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

/// Baloo, KDE's index, which goes into mounts that are visible in the home directory.
struct BalooCheck: SystemCheck {
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    let text = subject.home.settings("baloofilerc").map { String(decoding: $0, as: UTF8.self) }
    guard text != nil || view.has("usr/bin/balooctl") || view.has("usr/bin/balooctl6") else { return [] }
    let lines = (text ?? "").split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " } }
    if lines.contains("Indexing-Enabled=false") { return [] }
    let excluded = folders("excludefolders", lines, subject.home) ?? []
    let included = folders("folders", lines, subject.home) ?? [subject.home.path]
    let showsHidden = lines.contains("indexhiddenfolders=true")
    return subject.places.paths.compactMap { place -> SystemNote? in
      guard let folder = included.filter({ PathBytes.isBelow(place, orAt: $0) }).max(by: { $0.count < $1.count }),
        !excluded.contains(where: { PathBytes.isBelow(place, orAt: $0) && $0.count >= folder.count })
      else { return nil }
      let parts = (PathBytes.rest(of: place, below: folder) ?? []).split(separator: PathBytes.slash)
      if !showsHidden, parts.contains(where: { $0.first == UInt8(ascii: ".") }) { return nil }
      let shown = String(decoding: place, as: UTF8.self)
      return SystemNote(
        topic: .indexer,
        text: "KDE's index, Baloo, goes into \(shown) and stores names and facts of photos: run balooctl config add "
          + "excludeFolders \(shown), or mount below a folder whose name begins with a point.")
    }
  }

  /// The value of a key, in which `[$e]` has `$HOME` stand for the home directory.
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

/// GNOME's Tracker before version 3, which goes into mounts below the folders that it watches.
struct TrackerCheck: SystemCheck {
  private static let oldMiners = ["usr/libexec/tracker-miner-fs", "usr/lib/tracker/tracker-miner-fs"]
  /// Those that it watches, unless the user chose others.
  private static let watched = ["DESKTOP", "DOCUMENTS", "MUSIC", "PICTURES", "VIDEOS", "DOWNLOAD"]

  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    guard Self.oldMiners.contains(where: view.has) else { return [] }
    let folders = userFolders(subject.home)
    return subject.places.paths.filter { place in folders.contains { PathBytes.isBelow(place, orAt: $0) } }.map {
      place in
      SystemNote(
        topic: .indexer,
        text: "This old Tracker goes into \(String(decoding: place, as: UTF8.self)) and stores names and facts of "
          + "photos: mount outside of its folders, or update it to version 3.3.")
    }
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
      // The home directory itself stands for none.
      return PathBytes.normalized(value).flatMap { $0 == home.path ? nil : $0 }
    }
  }
}
