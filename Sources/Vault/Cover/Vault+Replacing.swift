internal import Crypto
package import Storage
internal import SystemPackage

extension Vault {
  /// Replaces files of nobody by as many others: those of `files` in a random order, then those of `last`, each with all
  /// its bytes or not at all. Each is written in the place of an old one, so their number stays. Durable on return. If
  /// it throws, those that are not replaced yet are there.
  ///
  /// - Throws: `.passwordInUse` when a name is taken; `.noSpace`; `.handoverInterrupted`; `.system`.
  package func replace(
    _ old: [SegmentIdentifier], by files: [NewFile], last: [NewFile], _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    precondition(old.count == files.count + last.count)
    let old = old.shuffled()
    let displacing = zip(files.shuffled(), old).map { file, name in
      var file = file
      file.displaced = name
      return file
    }
    do throws(VaultError) {
      try storage.write(displacing, size: parameters.segmentSize, control)
      for (file, name) in zip(last.shuffled(), old[files.count...]) {
        try attempt("replacing cover") { () throws(Errno) in
          try storage.replace(name, by: file.identifier, content: file.content(size: parameters.segmentSize))
        }
      }
    } catch .cancelled {
      throw .handoverInterrupted
    } catch .system(.fileExists, _) {
      throw .passwordInUse
    }
  }
}

extension NewFile {
  /// All its bytes.
  fileprivate func content(size: Int) -> [UInt8] {
    var content = [UInt8](repeating: 0, count: size)
    unsafe content.withUnsafeMutableBytes { content in
      for start in stride(from: 0, to: size, by: CoverFile.partSize) {
        let end = min(start + CoverFile.partSize, size)
        unsafe fill(UnsafeMutableRawBufferPointer(rebasing: content[start..<end]), start)
      }
    }
    return content
  }
}

extension Storage {
  /// Writes a complete file in the place of one that nobody needs: the new name appears with all its bytes, or the old
  /// one stays, perhaps with other bytes. Where files cannot be overwritten, the new one is made and the old one
  /// deleted; on a full host the other way round. Durable on return.
  ///
  /// - Parameter new: the new name; that of the old one if it is nil.
  /// - Throws: `.fileExists` when the new name is taken; `.noSpace`.
  func replace(_ old: SegmentIdentifier, by new: SegmentIdentifier?, content: [UInt8]) throws(Errno) {
    if let new, try exists(new) { throw .fileExists }
    guard let writer = try? reuse(old, as: nil, size: content.count) else {
      return try recreate(old, as: new, content: content)
    }
    try unsafe content.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try unsafe writer.write(bytes, at: 0)
    }
    try writer.finish()
    try writer.flush()
    guard let new else { return }
    try writer.rename(to: new)
    try flushNames(of: [old, new])
  }

  private func recreate(
    _ old: SegmentIdentifier, as new: SegmentIdentifier?, content: [UInt8]
  ) throws(Errno) {
    let put = { (name: SegmentIdentifier) throws(Errno) in
      try unsafe content.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
        try unsafe self.putIfAbsent(name, content: bytes)
      }
    }
    if let new {
      do throws(Errno) {
        try put(new)
        try delete(old)
        return try flushNames(of: [old])
      } catch .noSpace, .diskQuotaExceeded {
        // There is room for it in the place of the old one.
      }
    }
    try delete(old)
    try flushNames(of: [old])
    try put(new ?? old)
  }
}
