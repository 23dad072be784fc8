extension ReportedFiles {
  private static let deleteLines =
    "End the program, and delete these lines with an editor that keeps neither a history nor backup copies."
  private static let resetSettings = "End the program, and delete these entries, or the file with all its settings."

  /// All programs whose files are searched.
  static let all: [ReportedFiles] =
    shells + viewers + photoPrograms + desktops + indexes + [
      ReportedFiles(
        program: "GIMP", kind: .settings, isText: true, advice: resetSettings,
        locations: [Location(.config, "GIMP"), Location(.cache, "gimp")]),
      ReportedFiles(
        program: "LibreOffice", kind: .history, isText: true,
        advice: "Clear the list of recent documents in its start centre.",
        locations: [Location(.config, "libreoffice/*/user/registrymodifications.xcu")]),
      ReportedFiles(
        program: "Firefox, Chromium", kind: .history,
        advice: "Delete pages whose address begins with file: from the history.",
        locations: [
          Location(.home, ".mozilla/firefox/*/places.sqlite"), Location(.home, ".mozilla/firefox/*/places.sqlite-wal"),
          Location(.config, "chromium/*/History"), Location(.config, "google-chrome/*/History"),
        ]),
    ]

  private static let shells: [ReportedFiles] = [
    ("bash", ["~.bash_history"]), ("zsh", ["~.zsh_history", "~.histfile", "~.zhistory"]),
    ("fish", ["fish/fish_history"]), ("vim", ["~.viminfo"]), ("Neovim", ["@nvim/shada"]),
    ("less", ["~.lesshst", "@lesshst"]), ("Python", ["~.python_history", "@python_history"]),
    ("other shells and consoles", ["~.ash_history", "~.ksh_history", "~.sqlite_history", "~.node_repl_history"]),
    ("nano", ["~.nano_history", "nano/search_history", "nano/filepos_history"]),
    ("Emacs", ["~.emacs.d/recentf", "~.emacs.d/places", "~.emacs.d/history"]),
  ].map { program, files in
    ReportedFiles(
      program: program, kind: .history, isText: true, advice: deleteLines,
      locations: files.map { file in
        switch file.first {
        case "~": Location(.home, String(file.dropFirst()))
        case "@": Location(.state, String(file.dropFirst()))
        default: Location(.data, file)
        }
      })
  }

  private static let viewers: [ReportedFiles] = [
    ReportedFiles(
      program: "VLC", kind: .history, isText: true,
      advice: "Choose Media, Open Recent Media, Clear in VLC; or end it and delete the file.",
      locations: [Location(.config, "vlc"), Location(.data, "vlc"), Location(.cache, "vlc")]),
    ReportedFiles(
      program: "Geeqie", kind: .history, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "geeqie", depth: 2), Location(.data, "geeqie", depth: 1),
        Location(.home, ".geeqie", depth: 1),
      ]),
    ReportedFiles(
      program: "gThumb", kind: .history, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "gthumb/bookmarks.xbel"), Location(.config, "gthumb/filters.xml"), Location(.data, "gthumb"),
        Location(.cache, "gthumb"),
      ]),
    ReportedFiles(
      program: "Gwenview", kind: .history, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "gwenviewrc"), Location(.data, "gwenview"), Location(.state, "gwenviewstaterc"),
      ]),
    ReportedFiles(
      program: "Okular", kind: .history, isText: true, advice: resetSettings,
      locations: [Location(.config, "okularrc"), Location(.data, "okular")]),
    ReportedFiles(
      program: "Totem, eog, Ristretto", kind: .settings, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "totem"), Location(.data, "totem"), Location(.config, "eog"), Location(.config, "ristretto"),
      ]),
    ReportedFiles(
      program: "mpv", kind: .history, isText: true, advice: deleteLines,
      locations: [Location(.state, "mpv/watch_history.jsonl"), Location(.config, "mpv/watch_history.jsonl")]),
  ]

  private static let photoPrograms: [ReportedFiles] = [
    ReportedFiles(
      program: "darktable", kind: .index, hasPictures: true,
      advice: "Remove these photos from darktable's library, or delete the file; and delete the folders mipmaps-*.d of "
        + "its cache, which hold small copies of the photos.",
      locations: [Location(.config, "darktable"), Location(.cache, "darktable", depth: 0)]),
    ReportedFiles(
      program: "Shotwell", kind: .index, hasPictures: true,
      advice: "Remove these photos from Shotwell's library, or delete photo.db and the folder shotwell/thumbs of the "
        + "cache, which holds small copies. Start it with -d DIRECTORY for a library inside the space.",
      locations: [Location(.data, "shotwell"), Location(.home, ".shotwell")]),
    ReportedFiles(
      program: "digiKam", kind: .settings, isText: true,
      advice: "Remove the collection in digiKam's settings; keep its databases inside the space.",
      locations: [
        Location(.config, "digikamrc"), Location(.config, "digikam_systemrc"), Location(.data, "digikam"),
        Location(.home, "Pictures/*.db"), Location(.cache, "digikam"),
      ]),
    ReportedFiles(
      program: "RawTherapee", kind: .cache, advice: resetSettings,
      locations: [Location(.config, "RawTherapee"), Location(.cache, "RawTherapee")]),
  ]

  private static let desktops: [ReportedFiles] = [
    ReportedFiles(
      program: "dconf (GNOME, Nemo, gThumb)", kind: .settings,
      advice: "Find the key with dconf dump / and remove it with dconf reset KEY.",
      locations: [Location(.config, "dconf")]),
    ReportedFiles(
      program: "Dolphin and KDE's sessions", kind: .session, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "dolphinrc"), Location(.state, "dolphinstaterc"), Location(.config, "session"),
        Location(.config, "ksmserverrc"), Location(.data, "dolphin"), Location(.data, "kactivitymanagerd-statsrc"),
        Location(.data, "user-places.xbel"), Location(.config, "kdeglobals"), Location(.config, "kiorc"),
        Location(.config, "plasma-org.kde.plasma.desktop-appletsrc"),
      ]),
    ReportedFiles(
      program: "KDE's activity manager", kind: .index,
      advice: "Choose Clear History in System Settings, Recent Files; or log out and delete the folder.",
      locations: [Location(.data, "kactivitymanagerd")]),
    ReportedFiles(
      program: "Xfce, GTK and other sessions", kind: .session, isText: true, advice: resetSettings,
      locations: [
        Location(.config, "xfce4"), Location(.config, "Thunar"), Location(.cache, "sessions"),
        Location(.config, "gtk-3.0/bookmarks"), Location(.home, ".gtk-bookmarks"), Location(.config, "pcmanfm"),
        Location(.config, "libfm"), Location(.config, "pcmanfm-qt"), Location(.config, "nemo"),
        Location(.config, "nautilus"), Location(.config, "caja"), Location(.data, "gnome-shell"),
        Location(.home, ".xsession-errors"), Location(.home, ".xsession-errors.old"), Location(.cache, "xfce4"),
      ]),
  ]

  private static let indexes: [ReportedFiles] = [
    ReportedFiles(
      program: "Tracker", kind: .index,
      advice: "Remove it with: tracker3 reset --filesystem (newer: localsearch reset --filesystem). It is made again.",
      locations: [
        Location(.cache, "tracker3"), Location(.cache, "tracker"), Location(.cache, "localsearch"),
        Location(.data, "tracker"),
      ]),
    ReportedFiles(
      program: "Baloo", kind: .index,
      advice: "Remove it with: balooctl purge (newer: balooctl6 purge). It is made again.",
      locations: [Location(.data, "baloo"), Location(.config, "baloofilerc")]),
    ReportedFiles(
      program: "Zeitgeist", kind: .index, advice: "End zeitgeist-daemon and delete the folder.",
      locations: [Location(.data, "zeitgeist")]),
  ]
}
