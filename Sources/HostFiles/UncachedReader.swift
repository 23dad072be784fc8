// Reads files again, to compare them with the bytes that were written or copied.
//
// Invariants
// 1. If asked for, bytes are read past the kernel's cache, where the file system allows it.
// 2. A file that does not match its status, or changes while it is read, gets no hash.

internal import Crypto
package import System
package import SystemPackage

/// Reusable memory for reading files: direct I/O needs aligned memory.
@safe package final class AlignedMemory {
  package let block: UnsafeMutableRawBufferPointer

  /// Allocates `count` bytes, aligned to `FileCalls.alignment`.
  package init(_ count: Int) {
    unsafe block = .allocate(byteCount: count, alignment: FileCalls.alignment)
  }

  deinit { unsafe block.deallocate() }
}

/// Why a file that was read again gets no hash.
package enum RereadFailure: Error, Hashable, Sendable {
  /// The file does not match its status, or changed while it was read.
  case changed
  /// A system call failed.
  case system(Errno)
}

/// Reads whole files for their hashes, in one thread.
package struct UncachedReader {
  private let calls: FileCalls
  private let memory: AlignedMemory

  /// Reads with these system calls.
  ///
  /// - Parameter memory: `calls.step` bytes to read into; nil allocates them.
  package init(_ calls: FileCalls, memory: AlignedMemory? = nil) {
    self.calls = calls
    self.memory = memory ?? AlignedMemory(calls.step)
  }

  /// The hash of a file, read past the kernel's cache if `pastMemory` is set. `progress` gets the number of bytes after
  /// each read.
  ///
  /// - Throws: `.changed` if the file does not match `status` before or after; `.system`.
  package func digest(
    of name: [UInt8], in directory: Descriptor?, _ status: FileStatus, pastMemory: Bool,
    progress: ((Int) -> Void)? = nil
  ) throws(RereadFailure) -> FileDigest {
    do throws(Errno) {
      let file: Descriptor
      do throws(Errno) {
        file = try calls.openFile(name, in: directory, pastMemory: pastMemory)
      } catch .invalidArgument where pastMemory {
        file = try calls.openFile(name, in: directory)
      }
      guard try calls.status(of: file).isUnchanged(since: status) else { throw Errno.staleNFSFileHandle }
      if pastMemory { calls.forgetCache(of: file) }
      guard let digest = try digest(of: file, size: status.size, progress) else { throw Errno.staleNFSFileHandle }
      guard try calls.status(of: file).isUnchanged(since: status) else { throw Errno.staleNFSFileHandle }
      return digest
    } catch .staleNFSFileHandle {
      throw .changed
    } catch {
      throw .system(error)
    }
  }

  /// Nil if the file ends before `size`.
  private func digest(
    of file: Descriptor, size: Int64, _ progress: ((Int) -> Void)?
  ) throws(Errno) -> FileDigest? {
    var hasher = ContentHasher()
    let block = unsafe memory.block
    var offset: Int64 = 0
    while offset < size {
      var found: Int
      do throws(Errno) {
        found = try unsafe calls.readOnce(file, at: offset, into: block)
      } catch .invalidArgument {
        calls.stopDirectReading(file)
        calls.forgetCache(of: file)
        found = try unsafe calls.readOnce(file, at: offset, into: block)
      }
      found = Int(min(Int64(found), size - offset))
      if found <= 0 { return nil }
      unsafe hasher.update(UnsafeRawBufferPointer(rebasing: block[..<found]))
      offset += Int64(found)
      progress?(found)
    }
    return FileDigest(size: size, hash: hasher.finish())
  }
}
