internal import Hummingbird
internal import NIOCore

/// A file of the page. It is compiled into the program, and reveals nothing about any space.
struct PageFile: Sendable {
  let body: ByteBuffer
  let type: String

  /// The page, for paired browsers.
  static let index = PageFile(PackageResources.index_html, "text/html; charset=utf-8")
  /// The page at the address in the QR code, which can be opened once.
  static let pairing = PageFile(PackageResources.pairing_html, "text/html; charset=utf-8")

  /// The files below `/assets/`, by name, for paired browsers. A file of `Page` that is not in this table is not
  /// served.
  static let assets: [String: PageFile] = [
    "icon.svg": PageFile(PackageResources.icon_svg, "image/svg+xml; charset=utf-8"),
    "style.css": PageFile(PackageResources.style_css, "text/css; charset=utf-8"),
    "viewer.css": PageFile(PackageResources.viewer_css, "text/css; charset=utf-8"),
  ].merging(scripts.mapValues { PageFile($0, "text/javascript; charset=utf-8") }) { one, _ in one }

  private static let scripts: [String: [UInt8]] = [
    "actions.js": PackageResources.actions_js, "album-names.js": PackageResources.album_names_js,
    "album-picker.js": PackageResources.album_picker_js, "albums.js": PackageResources.albums_js,
    "api.js": PackageResources.api_js, "choice.js": PackageResources.choice_js,
    "dialogs.js": PackageResources.dialogs_js, "dom.js": PackageResources.dom_js,
    "facts.js": PackageResources.facts_js, "files.js": PackageResources.files_js,
    "format.js": PackageResources.format_js, "gestures.js": PackageResources.gestures_js,
    "grid-cells.js": PackageResources.grid_cells_js, "grid-input.js": PackageResources.grid_input_js,
    "grid.js": PackageResources.grid_js, "hash-worker.js": PackageResources.hash_worker_js,
    "hasher.js": PackageResources.hasher_js, "layout.js": PackageResources.layout_js,
    "login.js": PackageResources.login_js, "main.js": PackageResources.main_js,
    "navigation.js": PackageResources.navigation_js, "other-files.js": PackageResources.other_files_js,
    "pairing.js": PackageResources.pairing_js,
    "photos.js": PackageResources.photos_js, "scroll.js": PackageResources.scroll_js,
    "scrubber.js": PackageResources.scrubber_js, "search.js": PackageResources.search_js,
    "selection.js": PackageResources.selection_js, "session.js": PackageResources.session_js,
    "slide.js": PackageResources.slide_js, "snapshot.js": PackageResources.snapshot_js,
    "texts.js": PackageResources.texts_js, "thumbs.js": PackageResources.thumbs_js,
    "turns.js": PackageResources.turns_js, "tus.js": PackageResources.tus_js,
    "upload-panel.js": PackageResources.upload_panel_js, "uploads.js": PackageResources.uploads_js,
    "viewer-bars.js": PackageResources.viewer_bars_js, "viewer-keys.js": PackageResources.viewer_keys_js,
    "viewer-tabs.js": PackageResources.viewer_tabs_js, "viewer.js": PackageResources.viewer_js,
    "zoom.js": PackageResources.zoom_js,
  ]

  /// The files that the pairing page loads, as `?NAME`.
  static let pairingFiles = assets.filter { ["pairing.js", "style.css", "texts.js"].contains($0.key) }

  private init(_ bytes: [UInt8], _ type: String) {
    body = ByteBuffer(bytes: bytes)
    self.type = type
  }
}
