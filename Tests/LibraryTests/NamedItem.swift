import Catalog
import Index
import Vault

@testable import Library

extension CatalogTables {
  /// Everything that the catalog knows about a file, with the names of which its row tells; nil if it has none.
  func namedItem(_ inode: InodeNumber) throws(IndexError) -> MediaItem? {
    guard let row = try item(inode) else { return nil }
    var lookups = ItemLookups()
    var found = try mediaItem(row, &lookups)
    if row.names > 1 {
      for (parent, name) in try names(of: inode, limit: 1000) where !name.isNoPhoto {
        found.names.append(ItemName(path: try path(of: parent) + name.bytes))
      }
    } else if let album = row.album {
      found.names = [ItemName(path: try path(of: album) + row.name)]
    }
    found.isTrashed = !found.names.isEmpty && found.names.allSatisfy { TrashFolder.contains(path: $0.path) }
    return found
  }

  /// The path of a directory, with a slash behind it.
  private func path(of directory: InodeNumber) throws(IndexError) -> [UInt8] {
    guard directory != .root, let entry = try names(of: directory, limit: 1).first else { return [] }
    return try path(of: entry.parent) + entry.name.bytes + [0x2F]
  }
}
