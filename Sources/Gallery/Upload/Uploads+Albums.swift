internal import Client
internal import System

/// Albums that are renamed while something is sent to them: as long as the session lasts, what comes goes where they are.
extension Uploads {
  /// Keeps the album of an upload open, or the lowest of those above it that are there.
  func keepAlbum(of description: UploadDescription) {
    var place = description.album
    while !place.bytes.isEmpty {
      if let directory = try? gallery.root.directory(place.bytes) {
        return gallery.uploadTable.put(directory, at: place)
      }
      place = place.parent
    }
  }

  /// Where the album of an upload is: under its name, or where it was moved to. One that is in the trash, or that nobody
  /// knows any more, is where it was, to be made anew.
  func album(of description: UploadDescription) -> SpacePath {
    if (try? gallery.root.directory(description.album.bytes)) != nil { return description.album }
    var (place, below) = (description.album, [[UInt8]]())
    while !place.bytes.isEmpty {
      if let known = gallery.uploadTable.album(at: place),
        let now = gallery.root.path(of: known).map(SpacePath.init(trusted:)),
        !now.isInTrash
      {
        return (try? below.reversed().reduce(now) { try $0.appending($1) }) ?? description.album
      }
      below.append(place.name)
      place = place.parent
    }
    return description.album
  }
}
