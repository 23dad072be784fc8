internal import Hummingbird
internal import NIOCore

/// A file of the page. It is part of the program, and says nothing about any space.
struct PageFile: Sendable {
  /// Its bytes.
  let body: ByteBuffer
  /// Its media type.
  let type: String

  /// The page, for who is paired.
  static let index = PageFile(PackageResources.index_html, "text/html; charset=utf-8")
  /// What the address in the QR code shows, once.
  static let pairing = PageFile(PackageResources.pairing_html, "text/html; charset=utf-8")

  /// What is below `/assets/`, by name, for who is paired. A file of `Page` that is not in this table is not served.
  static let assets: [String: PageFile] = [
    "actions.js": PageFile(PackageResources.actions_js, "text/javascript; charset=utf-8"),
    "album-names.js": PageFile(PackageResources.album_names_js, "text/javascript; charset=utf-8"),
    "album-picker.js": PageFile(PackageResources.album_picker_js, "text/javascript; charset=utf-8"),
    "albums.js": PageFile(PackageResources.albums_js, "text/javascript; charset=utf-8"),
    "api.js": PageFile(PackageResources.api_js, "text/javascript; charset=utf-8"),
    "dialogs.js": PageFile(PackageResources.dialogs_js, "text/javascript; charset=utf-8"),
    "dom.js": PageFile(PackageResources.dom_js, "text/javascript; charset=utf-8"),
    "facts.js": PageFile(PackageResources.facts_js, "text/javascript; charset=utf-8"),
    "files.js": PageFile(PackageResources.files_js, "text/javascript; charset=utf-8"),
    "format.js": PageFile(PackageResources.format_js, "text/javascript; charset=utf-8"),
    "gestures.js": PageFile(PackageResources.gestures_js, "text/javascript; charset=utf-8"),
    "grid-cells.js": PageFile(PackageResources.grid_cells_js, "text/javascript; charset=utf-8"),
    "grid-input.js": PageFile(PackageResources.grid_input_js, "text/javascript; charset=utf-8"),
    "grid.js": PageFile(PackageResources.grid_js, "text/javascript; charset=utf-8"),
    "hash-worker.js": PageFile(PackageResources.hash_worker_js, "text/javascript; charset=utf-8"),
    "hasher.js": PageFile(PackageResources.hasher_js, "text/javascript; charset=utf-8"),
    "icon.svg": PageFile(PackageResources.icon_svg, "image/svg+xml; charset=utf-8"),
    "layout.js": PageFile(PackageResources.layout_js, "text/javascript; charset=utf-8"),
    "login.js": PageFile(PackageResources.login_js, "text/javascript; charset=utf-8"),
    "main.js": PageFile(PackageResources.main_js, "text/javascript; charset=utf-8"),
    "navigation.js": PageFile(PackageResources.navigation_js, "text/javascript; charset=utf-8"),
    "pairing.js": PageFile(PackageResources.pairing_js, "text/javascript; charset=utf-8"),
    "photos.js": PageFile(PackageResources.photos_js, "text/javascript; charset=utf-8"),
    "scroll.js": PageFile(PackageResources.scroll_js, "text/javascript; charset=utf-8"),
    "scrubber.js": PageFile(PackageResources.scrubber_js, "text/javascript; charset=utf-8"),
    "search.js": PageFile(PackageResources.search_js, "text/javascript; charset=utf-8"),
    "selection.js": PageFile(PackageResources.selection_js, "text/javascript; charset=utf-8"),
    "session.js": PageFile(PackageResources.session_js, "text/javascript; charset=utf-8"),
    "slide.js": PageFile(PackageResources.slide_js, "text/javascript; charset=utf-8"),
    "snapshot.js": PageFile(PackageResources.snapshot_js, "text/javascript; charset=utf-8"),
    "style.css": PageFile(PackageResources.style_css, "text/css; charset=utf-8"),
    "texts.js": PageFile(PackageResources.texts_js, "text/javascript; charset=utf-8"),
    "thumbs.js": PageFile(PackageResources.thumbs_js, "text/javascript; charset=utf-8"),
    "turns.js": PageFile(PackageResources.turns_js, "text/javascript; charset=utf-8"),
    "tus.js": PageFile(PackageResources.tus_js, "text/javascript; charset=utf-8"),
    "upload-panel.js": PageFile(PackageResources.upload_panel_js, "text/javascript; charset=utf-8"),
    "uploads.js": PageFile(PackageResources.uploads_js, "text/javascript; charset=utf-8"),
    "viewer-bars.js": PageFile(PackageResources.viewer_bars_js, "text/javascript; charset=utf-8"),
    "viewer-keys.js": PageFile(PackageResources.viewer_keys_js, "text/javascript; charset=utf-8"),
    "viewer.css": PageFile(PackageResources.viewer_css, "text/css; charset=utf-8"),
    "viewer.js": PageFile(PackageResources.viewer_js, "text/javascript; charset=utf-8"),
    "zoom.js": PageFile(PackageResources.zoom_js, "text/javascript; charset=utf-8"),
  ]

  /// What the pairing page loads, as `?NAME`.
  static let pairingFiles = assets.filter { ["pairing.js", "style.css", "texts.js"].contains($0.key) }

  private init(_ bytes: [UInt8], _ type: String) {
    body = ByteBuffer(bytes: bytes)
    self.type = type
  }
}
