internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import SystemPackage

/// A change to the metadata of photos; nil and empty lists leave a field as it is.
public struct ItemEdit: Sendable {
  /// The title; empty removes it.
  public var title: String?
  /// The caption; empty removes it.
  public var caption: String?
  /// The rating, from 0 to 5.
  public var rating: Int?
  /// Whether the photo is a favourite.
  public var isFavourite: Bool?
  /// Tags to add.
  public var addedTags: [String] = []
  /// Tags to remove, including those that the file itself contains.
  public var removedTags: [String] = []

  /// A change of nothing.
  public init() {}

  /// The change in the form of the command `tag`.
  ///
  /// - Throws: `WordsRefused` if a value is not valid.
  var change: WordsChange {
    get throws(WordsRefused) {
      var change = WordsChange(
        addedTags: WordList.unique(addedTags.map(WordList.line)),
        removedTags: WordList.unique(removedTags.map(WordList.line)))
      if let title { change.values[.title] = title.isEmpty ? .some(nil) : try UserWord.value(title: title) }
      if let caption { change.values[.caption] = caption.isEmpty ? .some(nil) : try UserWord.value(caption: caption) }
      if let rating { change.values[.rating] = try UserWord.value(rating: rating) }
      if let isFavourite { change.values[.favourite] = Array((isFavourite ? "1" : "0").utf8) }
      _ = try UserWord.value(tags: change.addedTags)
      return change
    }
  }
}

/// The failure of an operation for one photo.
public struct ItemFailure: Equatable, Sendable {
  /// Its number in the snapshot.
  public var index: Int
  /// The reason.
  public var error: GalleryError
}

extension Gallery {
  /// Calls `body` for each photo, and returns the failures. An error that would affect all photos is thrown instead,
  /// and states how many were done before.
  func each(
    _ items: [Int], of snapshot: Snapshot, _ thing: String, _ body: (SnapshotItem) throws -> Void
  ) throws(GalleryError) -> [ItemFailure] {
    var failures: [ItemFailure] = []
    for (place, index) in items.enumerated() {
      do throws(GalleryError) {
        let item = try snapshot.item(index)
        try GalleryError.of(thing) { try body(item) }
      } catch {
        switch error.kind {
        case .full, .readOnly, .unavailable:
          let done = place - failures.count
          throw done == 0
            ? error : GalleryError(error.kind, error.detail + " \(done) of \(items.count) were changed before.")
        default: failures.append(ItemFailure(index: index, error: error))
        }
      }
    }
    return failures
  }

  /// Changes the metadata of photos, as the command `tag` does. Each photo gets the whole change or none of it.
  public func edit(_ items: [Int], of snapshot: Snapshot, _ edit: ItemEdit) throws(GalleryError) -> [ItemFailure] {
    let change = try GalleryError.of("The photo") { try edit.change }
    return try each(items, of: snapshot, "The photo") { item in
      try AttributeFile(try opened(item).file).say(change) {
        guard let facts = try? record(of: item.path) else { return nil }
        // The record was found by name, so the name must still lead to the photo.
        return (try? check(item)).map { facts["tags"]?.elements.compactMap(\.text) ?? [] }
      }
    }
  }

  /// Moves photos to the trash; each remains the same file. In an album, only the name in that album is moved, and the
  /// photo stays in others; outside an album all of its names are moved. For other files, only the listed name is
  /// moved.
  public func trash(_ items: [Int], of snapshot: Snapshot) throws(GalleryError) -> [ItemFailure] {
    let trash = try preparedTrash()
    return try each(items, of: snapshot, snapshot.thing) { item in
      if item.path.isInTrash { throw GalleryError(.conflict, "This file is already in the trash.") }
      try check(item)
      let isOneName = snapshot.album != .root || snapshot.hasOtherFiles
      let others = isOneName ? [] : otherNames(of: item.path).filter { !$0.isInTrash }
      // The name that was shown comes first: if it does not exist any more, the other names stay.
      try take(item, to: trash)
      for other in others {
        do {
          try take(SnapshotItem(path: other, inode: item.inode), to: trash)
        } catch let error as GalleryError where error == Self.replaced {
        } catch let error as Errno where error == .noSuchFileOrDirectory {
          // The name was removed, or leads to another file by now.
        }
      }
    }
  }

  private func take(_ item: SnapshotItem, to trash: TrashFolder) throws {
    do throws(Errno) {
      try trash.take(item.path.bytes, ifFile: item.inode)
    } catch .resourceBusy {
      throw Self.replaced
    } catch .fileExists {
      throw GalleryError(
        .conflict, "Another file took this name, and was moved to the trash instead; restore it there.")
    }
  }

  /// The other names of a photo in the catalog.
  private func otherNames(of path: SpacePath) -> [SpacePath] {
    guard let record = (try? record(of: path)).flatMap({ CatalogRecord($0) }) else { return [] }
    return record.names.filter { $0 != path.bytes }.map { SpacePath(trusted: $0) }
  }

  /// Restores photos from the trash to their former places, with all names, each under a free one.
  public func restore(_ items: [Int], of snapshot: Snapshot) throws(GalleryError) -> [ItemFailure] {
    let trash = TrashFolder(of: root)
    return try each(items, of: snapshot, snapshot.thing) { item in
      guard trash.contains(item.path.bytes) else {
        throw GalleryError(.conflict, "This file is not in the trash of this server's user.")
      }
      try check(item)
      let others = snapshot.hasOtherFiles ? [] : otherNames(of: item.path).filter { trash.contains($0.bytes) }
      try restore(item.path, from: trash)
      for other in others where (try? check(SnapshotItem(path: other, inode: item.inode))) != nil {
        try restore(other, from: trash)
      }
    }
  }

  private func restore(_ path: SpacePath, from trash: TrashFolder) throws {
    let origin = try origin(of: path, in: trash)
    let album = try openAlbum(origin.parent, makes: true)
    let (directory, name) = try root.place(of: path.bytes)
    _ = try placing(origin.name) { free throws(Errno) in try calls.rename(name, in: directory, to: free, in: album) }
    try? trash.forget(path.bytes)
  }

  /// The former path of a file in the trash.
  private func origin(of path: SpacePath, in trash: TrashFolder) throws(GalleryError) -> SpacePath {
    let origin: [UInt8]
    do throws(Errno) {
      origin = try trash.origin(of: path.bytes)
    } catch .noSuchFileOrDirectory {
      throw GalleryError(.conflict, "The original album of this file is unknown; move the file with a file manager.")
    } catch .invalidArgument {
      throw GalleryError(
        .conflict, "The record of this file's original album is invalid; move the file with a file manager.")
    } catch {
      throw GalleryError(error, "The record of this file's original album")
    }
    return try SpacePath(origin).notInTrash()
  }

  /// The trash, with its directories created.
  func preparedTrash() throws(GalleryError) -> TrashFolder {
    let trash = TrashFolder(of: root)
    do throws(Errno) {
      try trash.prepare()
    } catch .readOnlyFileSystem {
      throw GalleryError(.readOnly, "The space is read-only.")
    } catch .noSpace {
      throw GalleryError(Errno.noSpace)
    } catch {
      throw GalleryError(
        .forbidden,
        "This server may not use \(String(decoding: trash.folder, as: UTF8.self)) in the space as its trash folder.")
    }
    return trash
  }
}
