internal import Storage
internal import SystemPackage
internal import VaultCopy

/// Names and sizes of a vault's files and its parameters, as a number: whether something was written since. It is
/// comparable within one process.
struct VaultFingerprint: Equatable {
  private let count: Int
  private let sum: Int

  /// Lists the vault.
  ///
  /// - Throws: `.inUse` while a refresh has the vault for itself.
  init(of path: FilePath) throws(CopyError) {
    let source = DirectoryEnd(path)
    var parameters = Hasher()
    parameters.combine(try source.readParameters())
    let files = try source.list()
    var sum = parameters.finalize()
    for (identifier, entry) in files {
      var file = Hasher()
      file.combine(identifier)
      file.combine(entry.size)
      // The sum does not depend on the order of the list.
      sum &+= file.finalize()
    }
    (count, self.sum) = (files.count, sum)
  }
}
