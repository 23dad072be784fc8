internal import Catalog
internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

struct Tagger {
  let change: WordsChange

  /// Changes the words about a file. If this fails, nothing is half done, except that a removed tag that the file
  /// itself states may still be there.
  ///
  /// - Parameter path: the file; symbolic links, such as those of views, are followed.
  /// - Throws: `CommandFailure`.
  func tag(_ path: [UInt8]) throws {
    let shown = TerminalText.safe(path)
    guard let place = try PhotoLibrary.place(of: path) else { throw PhotoLibrary.notMounted(path) }
    let whole = place.mountPoint + [UInt8(ascii: "/")] + place.path
    guard Self.isFile(whole) else {
      throw CommandFailure(
        .usage,
        "\(shown) is a directory; tag the photos in it, with: agonyfs list -0 \(shown) | agonyfs tag "
          + "--files0-from - …")
    }
    let library = PhotoLibrary(allOf: place)
    if library.isNoPhoto(place.path) {
      throw CommandFailure(.failure, "\(shown) is neither a photo nor a video, so it was not tagged.")
    }
    try Self.refusing(shown) {
      try AttributeFile(whole).say(change) { Self.words("tags", of: place, library) }
      if !change.removedPeople.isEmpty {
        // No attribute can remove a person that the file itself names.
        let found = Self.words("people", of: place, library) ?? []
        for person in WordList.without(found, WordList.without(found, change.removedPeople)) {
          Output.note("\(TerminalText.safe(person)) stays, because \(shown) itself names this person.")
        }
      }
      if change.isCover { try Self.makeCover(whole) }
    }
  }

  private static func makeCover(_ path: [UInt8]) throws {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return }
    let cover = AlbumCover(name: Array(path[(slash + 1)...]), inode: UInt64(try BytePath(path).status().st_ino))
    try AttributeFile(Array(path[...slash])).apply([.cover: cover.value])
  }

  private static func isFile(_ path: [UInt8]) -> Bool {
    var status = stat()
    return unsafe stat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The words that the catalog has; nil if it does not know the file, or not yet.
  private static func words(_ field: String, of place: SpacePlace, _ library: PhotoLibrary) -> [String]? {
    guard let facts = try? library.facts(of: place.path).facts else { return nil }
    return facts[field]?.elements.compactMap(\.text) ?? []
  }

  /// Runs `body` and turns its errors into sentences about a file.
  static func refusing(_ shown: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as WordsRefused {
      throw CommandFailure(.usage, error.reason)
    } catch let error as Errno {
      switch error {
      case .argListTooLong:
        throw CommandFailure(.failure, "The words for \(shown) would be longer than 64 KiB; shorten them.")
      case .readOnlyFileSystem:
        throw CommandFailure(.failure, "\(shown) is in a space that is mounted read-only; mount it for writing.")
      default: throw CommandFailure(error, doing: "tagging \(shown)")
      }
    }
  }
}
