// Files of some lengths, whatever they hold: an importer asks for those that its files may be duplicates of.
//
// Invariants
// 1. One batch of rows is looked at between two reads of the answer, and nothing is kept of them.
// 2. A file is told with one of the names that the asker sees, and only if he may read it.

internal import Albums
internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

struct SizeSearch {
  private static let batch = 20_000

  private let sizes: Set<Int64>
  private let opener: Opener
  private var last: InodeNumber?
  /// Files that were told.
  private(set) var count = 0
  private(set) var isAtEnd = false

  init(_ sizes: Set<Int64>, for opener: Opener) {
    self.sizes = sizes
    self.opener = opener
    isAtEnd = sizes.isEmpty
  }

  /// The next files, from one batch of rows; there may be none among them.
  mutating func next(_ files: CatalogFiles) throws(Errno) -> [(size: Int64, path: [UInt8])] {
    var view = CatalogView(.all, showsTrash: false, for: opener)
    var found: [(size: Int64, path: [UInt8])] = []
    let rows = try files.result(of: files.index.catalog.sizes(after: last, limit: Self.batch))
    for row in rows {
      let size = files.newerRecord(row.inode)?.size ?? row.size
      guard sizes.contains(size), try view.mayRead(row.inode, files) else { continue }
      // What is not whole yet lies in a directory without a path.
      let paths = try view.names(of: row.inode, files).map(\.path).filter { $0.first != 0x2F }
      if let path = paths.min(by: { $0.lexicographicallyPrecedes($1) }) { found.append((size, path)) }
    }
    // Only now, since what fails begins anew.
    if let end = rows.last { last = end.inode }
    isAtEnd = rows.count < Self.batch
    count += found.count
    return found
  }
}
