// Finds files of given lengths, whatever they contain. An importer asks for the files that its own may duplicate.
//
// Invariants
// 1. Between two reads of the answer one batch of rows is looked at, and none of them is kept.
// 2. An answer has one of the file's names that the user sees, and only if the user may read the file.

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
  /// Files that were written.
  private(set) var count = 0
  private(set) var isAtEnd = false

  init(_ sizes: Set<Int64>, for opener: Opener) {
    self.sizes = sizes
    self.opener = opener
    isAtEnd = sizes.isEmpty
  }

  /// The next files, from one batch of rows; none of the batch may match.
  mutating func next(_ files: CatalogFiles) throws(Errno) -> [(size: Int64, path: [UInt8])] {
    var view = CatalogView(.all, showsTrash: false, for: opener)
    var found: [(size: Int64, path: [UInt8])] = []
    let rows = try files.result(of: files.index.catalog.sizes(after: last, limit: Self.batch))
    for row in rows {
      let size = files.newerRecord(row.inode)?.size ?? row.size
      guard sizes.contains(size), try view.mayRead(row.inode, files) else { continue }
      // A file whose copy is incomplete lies in a directory without a path.
      let paths = try view.names(of: row.inode, files).map(\.path).filter { $0.first != 0x2F }
      if let path = paths.min(by: { $0.lexicographicallyPrecedes($1) }) { found.append((size, path)) }
    }
    // Only now, because a call that fails is repeated from the start.
    if let end = rows.last { last = end.inode }
    isAtEnd = rows.count < Self.batch
    count += found.count
    return found
  }
}
