internal import System
package import Vault

extension FileSystem {
  /// The inodes that are open.
  package var openInodes: [InodeNumber] {
    monitor.lock()
    defer { monitor.unlock() }
    return inodes.table.all.filter { $0.opens > 0 }.map(\.number)
  }

  /// The inodes in memory: those that are open, and a number of those that were used last.
  package var inodesInMemory: [InodeNumber] {
    monitor.lock()
    defer { monitor.unlock() }
    return inodes.table.all.map(\.number)
  }
}
