package import SystemPackage

/// The content of one file, which the decoder reads piece by piece.
///
/// It is read on the thread of the job's caller, and must not start another job on the same decoder.
package protocol MediaSource: Sendable {
  /// Bytes in the file.
  var size: Int64 { get }

  /// Reads at most `buffer.count` bytes at `offset`, as `pread(2)` does.
  ///
  /// - Returns: the number of bytes read; 0 at the end of the file.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
}
