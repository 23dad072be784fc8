// The file of an archive that is unpacked.
//
// Invariants
// 1. Where `compares` is set, every byte that is returned was read twice with the same result: once normally, and once
//    past the kernel's cache where the file system allows it.

internal import Glibc
internal import HostFiles
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage

/// The file of an archive, which one thread reads in pieces.
final class ArchiveFile: MediaSource {
  private let calls: FileCalls
  let file: Descriptor
  /// The same file, opened to bypass the kernel's cache.
  private let again: Descriptor
  private let state = Mutex((isDirect: true, isFaulty: false))
  private let compares: Bool
  let status: FileStatus
  var size: Int64 { status.size }

  /// Opens an archive in a directory. `compares`: whether each piece is read twice.
  init(_ calls: FileCalls, _ name: [UInt8], in directory: Descriptor, compares: Bool) throws(Errno) {
    self.calls = calls
    self.compares = compares
    file = try calls.openFile(name, in: directory)
    do throws(Errno) {
      again = try calls.openFile(name, in: directory, pastMemory: true)
    } catch .invalidArgument {
      again = try calls.openFile(name, in: directory)
      state.withLock { $0.isDirect = false }
    }
    status = try calls.status(of: file)
    guard try calls.status(of: again).isUnchanged(since: status) else { throw .staleNFSFileHandle }
  }

  /// Whether the file is unchanged since it was opened.
  var isUnchanged: Bool { (try? calls.status(of: file))?.isUnchanged(since: status) ?? false }

  var gaveOtherBytes: Bool { state.withLock { $0.isFaulty } }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    let count = try unsafe calls.readOnce(file, at: offset, into: buffer)
    if count > 0, compares {
      guard try unsafe isSame(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset) else {
        state.withLock { $0.isFaulty = true }
        throw .ioError
      }
    }
    return count
  }

  /// Whether the file has the same bytes past the cache.
  private func isSame(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Bool {
    let alignment = Int64(FileCalls.alignment)
    let start = offset / alignment * alignment
    let length = Int((offset + Int64(bytes.count) - start + alignment - 1) / alignment * alignment)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: FileCalls.alignment)
    defer { unsafe block.deallocate() }
    let skipped = Int(offset - start)
    var done = 0
    while done < skipped + bytes.count {
      let place = start + Int64(done)
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: block[done...])
      if !state.withLock({ $0.isDirect }) { calls.forgetCache(of: again, from: place, count: rest.count) }
      let count: Int
      do throws(Errno) {
        count = try unsafe calls.readOnce(again, at: place, into: rest)
      } catch .invalidArgument where state.withLock({ $0.isDirect }) {
        readIndirectly()
        continue
      }
      if count <= 0 { return false }
      done += count
      // Direct I/O can continue only at a multiple of the block size.
      if done < skipped + bytes.count, done % FileCalls.alignment != 0 { readIndirectly() }
    }
    guard let found = block.baseAddress, let expected = bytes.baseAddress else { return false }
    return unsafe memcmp(found + skipped, expected, bytes.count) == 0
  }

  private func readIndirectly() {
    calls.stopDirectReading(again)
    state.withLock { $0.isDirect = false }
  }
}

extension ArchiveFile {
  /// Opens the archive at a path.
  ///
  /// - Throws: `.source`, `.changed`.
  static func opened(_ calls: FileCalls, _ path: [UInt8], compares: Bool) throws(ImportFailure) -> ArchiveFile {
    let slash = path.lastIndex(of: 0x2F)
    do throws(Errno) {
      let directory = try calls.openDirectory(slash.map { Array(path[..<max($0, 1)]) } ?? [0x2E])
      return try ArchiveFile(calls, slash.map { Array(path[($0 + 1)...]) } ?? path, in: directory, compares: compares)
    } catch .staleNFSFileHandle {
      throw .changed
    } catch {
      throw .source(.init(number: error.rawValue))
    }
  }

  /// Unpacks it with a decoder.
  ///
  /// - Throws: `.notAnArchive`, `.source`, `.readsDiffer`, `.decoder`.
  func unpack(with decoder: Decoder, _ take: (ArchiveEvent) -> ArchiveStep) throws(ImportFailure) -> ArchiveVerdict {
    do throws(DecoderError) {
      return try decoder.archive(of: self, take)
    } catch {
      if gaveOtherBytes { throw .readsDiffer }
      switch error {
      case .notMedia: throw .notAnArchive
      case .source(let number): throw .source(.init(number: number.rawValue))
      case .undecodable(let reason): throw .archive(.damaged(reason))
      default: throw .decoder
      }
    }
  }

  /// The key that the paths of a group's files have in common.
  static func groupKey(_ parts: [[UInt8]]) -> [UInt8] {
    Array(parts.dropLast().joined(separator: [0x2F])) + [0x2F] + Companions.key(of: parts.last ?? [])
  }
}
