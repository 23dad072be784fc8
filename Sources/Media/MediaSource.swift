package import SystemPackage

/// The content of one file, read piece by piece by whoever decodes it.
///
/// It is read on the thread that asked for the job, and must not ask the same decoder for another.
package protocol MediaSource: Sendable {
  /// Bytes in the file.
  var size: Int64 { get }

  /// Reads from `offset` on as `pread(2)` does, at most `buffer.count` bytes.
  ///
  /// - Returns: the number of bytes read; 0 at the end of the file.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
}
