// Reading a file again, to compare it with what was written or copied.
//
// Invariants
// 1. What is read comes past the kernel's cache, where the file system allows it and that is asked for.
// 2. A file that is not what its status said has no hash: nor has one that changes while it is read.

internal import Crypto
package import System
package import SystemPackage

/// Memory that files are read into, one after the other: direct I/O wants it aligned.
@safe package final class AlignedMemory {
  package let block: UnsafeMutableRawBufferPointer

  /// Allocates `count` bytes, aligned to `FileCalls.alignment`.
  package init(_ count: Int) {
    unsafe block = .allocate(byteCount: count, alignment: FileCalls.alignment)
  }

  deinit { unsafe block.deallocate() }
}

/// Why a file that was read again has no hash.
package enum RereadFailure: Error, Hashable, Sendable {
  /// It is not what its status said, or changed meanwhile.
  case changed
  /// A system call failed.
  case system(Errno)
}

/// Reads whole files for their hashes, on one thread.
package struct UncachedReader {
  private let calls: FileCalls
  private let memory: AlignedMemory

  /// Reads with some system calls. `memory` has `calls.step` bytes; nil allocates them.
  package init(_ calls: FileCalls, memory: AlignedMemory? = nil) {
    self.calls = calls
    self.memory = memory ?? AlignedMemory(calls.step)
  }

  /// The hash of a file, read past the kernel's cache if that is asked for. `progress` gets numbers of bytes as they are
  /// read.
  ///
  /// - Throws: `.changed` when the file is not what `status` says before or after; `.system`.
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

  /// Nil when the file ends before its length.
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
