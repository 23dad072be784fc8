internal import Crypto
package import Storage
internal import SystemPackage

extension Vault {
  /// Replaces files that no space owns by the same number of others: first those of `files` in a random order, then
  /// those of `last`. Durable on return. If it throws, or after a crash, all files that are not replaced yet exist,
  /// except at most `NewFile.replacingStep`.
  ///
  /// - Throws: `.passwordInUse` when a name is taken; `.noSpace`; `.handoverInterrupted`; `.system`.
  package func replace(
    _ old: [SegmentIdentifier], by files: [NewFile], last: [NewFile], _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    precondition(old.count == files.count + last.count)
    let old = old.shuffled()
    let files = files.shuffled()
    do throws(VaultError) {
      for start in stride(from: 0, to: files.count, by: NewFile.replacingStep) {
        let part = start..<min(start + NewFile.replacingStep, files.count)
        try storage.replace(
          Array(old[part]), by: Array(files[part]), size: parameters.segmentSize,
          control.forPart(from: start, of: files.count, part.count))
      }
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

extension OperationControl {
  /// The control of a part of the work: `count` files of `all`, beginning at `start`.
  fileprivate func forPart(from start: Int, of all: Int, _ count: Int) -> OperationControl {
    OperationControl(
      progress: { done, part in
        let size = part / Int64(count)
        progress(Int64(start) * size + done, Int64(all) * size)
      }, isCancelled: isCancelled)
  }
}

extension NewFile {
  /// How many files are deleted before others are created for them. A crash can lose this number of files.
  static let replacingStep = 8

  /// All bytes of the file.
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
  /// Deletes files that nothing needs, durably, so that others fit on a full host, and then creates those. Durable on
  /// return.
  ///
  /// - Throws: `.cancelled`, `.noSpace`, `.system`.
  func replace(
    _ old: [SegmentIdentifier], by files: [NewFile], size: Int, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try attempt("deleting files") { () throws(Errno) in
      for name in old { try delete(name) }
      // btrfs frees the room of deleted files only after the whole file system is flushed.
      if !old.isEmpty { try flushAll() }
    }
    try write(files, size: size, control)
  }

  /// Writes a complete file, then deletes one that nothing needs. On a full host, and if both have the same name, it
  /// deletes first. Durable on return.
  ///
  /// - Parameter new: the new name; nil for the name of the old file.
  /// - Throws: `.fileExists` when the new name is taken; `.noSpace`.
  func replace(_ old: SegmentIdentifier, by new: SegmentIdentifier?, content: [UInt8]) throws(Errno) {
    let put = { (name: SegmentIdentifier) throws(Errno) in
      try unsafe content.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in
        try unsafe self.putIfAbsent(name, content: bytes)
      }
    }
    if let new {
      var isPut = false
      do throws(Errno) {
        try put(new)
        isPut = true
      } catch .noSpace, .diskQuotaExceeded {
        // There is room when the old file is deleted.
      }
      if isPut {
        try delete(old)
        return try flushNames(of: [old])
      }
    }
    try delete(old)
    try flushNames(of: [old])
    do throws(Errno) {
      try put(new ?? old)
    } catch .noSpace, .diskQuotaExceeded {
      // btrfs frees the room of deleted files only after the whole file system is flushed.
      try flushAll()
      try put(new ?? old)
    }
  }
}
