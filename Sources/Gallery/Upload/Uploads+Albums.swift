internal import Client
internal import System

/// Albums that are renamed during an upload: as long as the session lasts, uploads follow them.
extension Uploads {
  /// Keeps the album of an upload open, or the nearest parent of it that exists.
  func keepAlbum(of description: UploadDescription) {
    var place = description.album
    while !place.bytes.isEmpty {
      if let directory = try? gallery.root.directory(place.bytes) {
        return gallery.uploadTable.put(directory, at: place)
      }
      place = place.parent
    }
  }

  /// The path of an upload's album now, if it was moved. If it is in the trash or cannot be found, the path is the
  /// original one, and the album is created again.
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
