package import Vault

extension FileSystem {
  /// The inodes that are open.
  package var openInodes: [InodeNumber] { locked { $0.inodes.all.filter { $0.opens > 0 }.map(\.number) } }

  /// The inodes in memory: those that are open, and a number of those that were used last.
  package var inodesInMemory: [InodeNumber] { locked { $0.inodes.all.map(\.number) } }
}
