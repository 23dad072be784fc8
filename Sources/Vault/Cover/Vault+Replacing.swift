internal import Crypto
package import Storage
internal import SystemPackage

extension Vault {
  /// Replaces files of nobody by as many others: those of `files` in a random order, then those of `last`. Durable on
  /// return. If it throws, and after a crash, those that are not replaced yet are there, but for at most
  /// `NewFile.replacingStep`.
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
  /// For `count` files of `all`, from one on.
  fileprivate func forPart(from start: Int, of all: Int, _ count: Int) -> OperationControl {
    OperationControl(
      progress: { done, part in
        let size = part / Int64(count)
        progress(Int64(start) * size + done, Int64(all) * size)
      }, isCancelled: isCancelled)
  }
}

extension NewFile {
  /// How many files are deleted before others are made for them. More would be missing after a crash.
  static let replacingStep = 8

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
  /// Deletes files that nobody needs, durably, so that there is room for others on a full host, too, and makes those.
  /// Durable on return.
  ///
  /// - Throws: `.cancelled`, `.noSpace`, `.system`.
  func replace(
    _ old: [SegmentIdentifier], by files: [NewFile], size: Int, _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    try attempt("deleting files") { () throws(Errno) in
      for name in old { try delete(name) }
      // btrfs gives the room of what is deleted when all of it is durable.
      if !old.isEmpty { try flushAll() }
    }
    try write(files, size: size, control)
  }

  /// Writes a complete file and deletes one that nobody needs; on a full host, and where both have one name, the other
  /// way round. Durable on return.
  ///
  /// - Parameter new: the new name; that of the old one if it is nil.
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
        // There is room for it when the old one is gone.
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
      // btrfs gives the room of what is deleted when all of it is durable.
      try flushAll()
      try put(new ?? old)
    }
  }
}
