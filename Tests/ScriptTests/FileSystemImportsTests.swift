import TestSupport
import Testing

/// What the file system in `Sources/Albums` knows of photos.
@Suite struct FileSystemImportsTests {
  /// The folders of photos; they are to become a target of their own.
  private static let photoFolders: Set<Substring> = ["Catalog", "Thumbnails", "Virtual"]

  /// Paths, below `Sources/Albums`, of the files with a line that an extended regular expression fits: those in folders of
  /// photos, and the others.
  private func files(with expression: String) throws -> (photos: Set<String>, others: Set<String>) {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Sources/Albums/"
    let found = try Outcome("/bin/grep", arguments: ["-rlE", "--include=*.swift", expression, root])
    #expect(found.status == 0, "\(found)")
    let paths = found.output.split(separator: "\n").map { $0.dropFirst(root.count).drop { $0 == "/" } }
    var photos = Set<String>()
    var others = Set<String>()
    for path in paths {
      let isOfPhotos = path.contains("/") && Self.photoFolders.contains(path.prefix { $0 != "/" })
      if isOfPhotos { photos.insert(String(path)) } else { others.insert(String(path)) }
    }
    return (photos, others)
  }

  @Test func noFileOfTheFileSystemImportsWhatKnowsPhotos() throws {
    let found = try files(with: "^[^/]*import +((struct|class|enum|protocol|func|typealias) +)?(Catalog|Media)\\b")
    #expect(found.photos.count > 40)
    #expect(found.others.isEmpty, "a ChangeSink is told of changes instead")
  }

  @Test func noFileOfTheFileSystemLeadsToThePartsForPhotos() throws {
    let parts = [
      "mediaUpdates", "catalogUpdates", "thumbnails", "thumbnailer", "cataloguer", "duplicates", "questions",
      "MediaUpdates", "CatalogUpdates", "Thumbnailer", "Cataloguer", "UserWord",
      "isMediaPending", "isKnownNotMedia", "isReadPending", "contentChanged", "isNoPhoto", "isSidecar",
    ]
    // Neither in a comment nor as the label of an argument.
    let found = try files(with: "^([^/]|/[^/])*\\b(\(parts.joined(separator: "|")))([^:A-Za-z0-9]|$)")
    #expect(found.photos.count > 20)
    #expect(found.others.isEmpty)
  }
}
