import TestSupport
import Testing

/// What the file system in `Sources/Albums` knows of photos: nothing.
@Suite struct FileSystemImportsTests {
  private let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }

  /// The parts that know photos.
  private static let photoParts = ["Library", "Catalog", "Media"]

  /// The source files of a target with a line that an extended regular expression fits.
  private func files(of target: String, with expression: String) throws -> [Substring] {
    let found = try Outcome(
      "/bin/grep", arguments: ["-rlE", "--include=*.swift", expression, root + "/Sources/" + target])
    #expect(found.status <= 1, "\(found)")
    return found.output.split(separator: "\n")
  }

  private func importers(in target: String, of parts: [String]) throws -> [Substring] {
    try files(
      of: target,
      with: "^[^/]*import +((struct|class|enum|protocol|func|typealias) +)?(\(parts.joined(separator: "|")))\\b")
  }

  @Test func noFileOfTheFileSystemImportsWhatKnowsPhotos() throws {
    #expect(try importers(in: "Albums", of: Self.photoParts).isEmpty, "a ChangeSink is told of changes instead")
    // The expression finds what there is.
    #expect(try importers(in: "Library", of: ["Albums", "Catalog", "Media"]).count > 40)
  }

  /// What stands behind the first place where a word is.
  private func rest(of text: Substring, after word: String) throws -> Substring {
    let place = try #require(text.ranges(of: word).first, "\(word)")
    return text[place.upperBound...]
  }

  /// The targets that a target depends on, as `Package.swift` says.
  private func dependencies(of target: String) throws -> [Substring] {
    let package = String(decoding: try HostFile.read(root + "/Package.swift"), as: UTF8.self)
    let description = try rest(of: package[...], after: "name: \"\(target)\",")
    let list = try rest(of: description, after: "dependencies: [")
    return list.prefix { $0 != "]" }.split { !$0.isLetter }
  }

  /// A module that another one needs can be imported without being a dependency, as it is built anyway.
  @Test func theFileSystemDependsOnNothingThatKnowsPhotos() throws {
    let albums = try dependencies(of: "Albums")
    #expect(albums.contains("Index") && albums.contains("Vault"), "\(albums)")
    #expect(!albums.contains { name in Self.photoParts.contains { $0 == name } })
    for part in ["Albums", "Catalog", "Media"] { #expect(try dependencies(of: "Library").contains { $0 == part }) }
    // Nor does anything below it.
    for target in ["Index", "Vault", "Storage", "Crypto", "System"] {
      let below = try dependencies(of: target)
      #expect(!below.contains { name in (Self.photoParts + ["Albums"]).contains { $0 == name } }, "\(target)")
    }
  }
}
