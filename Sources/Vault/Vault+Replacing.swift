internal import Crypto
package import Storage
internal import System
internal import SystemPackage

extension Vault {
  /// Replaces files of nobody by as many others: those of `files` in a random order, then those of `last`. At every
  /// moment there are as many files, or one more or less. Durable on return. If it throws, those that are not replaced
  /// yet are there.
  ///
  /// A new file is durable before the one that it replaces goes, unless the host is full. With those in `last` it is the
  /// other way round: from the first of two slots on the space opens, and makes the second if it is missing.
  ///
  /// - Throws: `.passwordInUse` when a name is taken; `.noSpace`; `.handoverInterrupted`; `.system`.
  package func replace(
    _ old: [SegmentIdentifier], by files: [NewFile], last: [NewFile], _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    precondition(old.count == files.count + last.count)
    let size = parameters.segmentSize
    var content = [UInt8](repeating: 0, count: size)
    let pairs = zip(files.shuffled() + last.shuffled(), old.shuffled())
    for (index, (file, name)) in pairs.enumerated() {
      if control.isCancelled() { throw .handoverInterrupted }
      unsafe content.withUnsafeMutableBytes { content in
        for start in stride(from: 0, to: size, by: CoverFile.partSize) {
          let end = min(start + CoverFile.partSize, size)
          unsafe file.fill(UnsafeMutableRawBufferPointer(rebasing: content[start..<end]), start)
        }
      }
      do throws(Errno) {
        try unsafe content.span.bytes.withUnsafeBytes { (content) throws(Errno) in
          try unsafe replace(name, by: file.identifier, content, goesFirst: index >= files.count)
        }
      } catch .fileExists {
        throw .passwordInUse
      } catch {
        throw VaultError(error, "replacing cover")
      }
      control.progress(Int64(index + 1) * Int64(size), Int64(old.count) * Int64(size))
    }
  }

  private func replace(
    _ old: SegmentIdentifier, by new: SegmentIdentifier, _ content: UnsafeRawBufferPointer, goesFirst: Bool
  ) throws(Errno) {
    if !goesFirst {
      do throws(Errno) {
        try unsafe storage.putIfAbsent(new, content: content)
        return try delete(old)
      } catch .noSpace, .diskQuotaExceeded {
        // There is room for it in the place of the old one.
      }
    }
    try delete(old)
    try unsafe storage.putIfAbsent(new, content: content)
  }

  private func delete(_ name: SegmentIdentifier) throws(Errno) {
    try storage.delete(name)
    try storage.flushNames(of: [name])
  }
}
