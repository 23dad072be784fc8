// Derivatives that a program asks for and waits for, and the contents that they are made of.

internal import Albums
internal import Crypto
internal import Index
package import Media
internal import System
package import SystemPackage
package import Vault

extension Thumbnailer {
  /// The inode that holds a file's derivative; waits until it is made.
  ///
  /// - Throws: `ENOENT` if the file cannot have one, `EAGAIN` if too many threads wait, `EIO` if the decoder is
  ///   unavailable.
  package func derivative(_ size: DerivativeSize, of number: InodeNumber) throws(Errno) -> InodeNumber {
    try fileSystem.locked { files throws(Errno) in
      if let known = try files.mediaUpdates.knownDerivative(size, of: number) { return known }
      guard fileSystem.library.options.thumbnails != nil, files.refusal == nil, !files.thumbnails.isEnding else {
        throw .ioError
      }
      guard files.thumbnails.beginWaiting() else { throw .resourceTemporarilyUnavailable }
      defer { files.thumbnails.endWaiting() }
      let demand = ThumbnailDemand(inode: number, size: size)
      files.thumbnails.add(demand)
      defer { files.thumbnails.remove(demand) }
      files.signals[.sinkWork].signal()
      while true {
        if let known = try files.mediaUpdates.knownDerivative(size, of: number) { return known }
        if demand.isDone { throw .ioError }
        files.wait(for: .sinkDone)
      }
    }
  }

  /// Makes a PNG of a JPEG.
  ///
  /// - Throws: `EAGAIN` if too many threads wait, `EIO` if it cannot be made.
  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(Errno) -> [UInt8] {
    try made { maker throws(DecoderError) in try maker.png(from: jpeg, longerSide: longerSide, text: text) }
  }

  /// Makes a JPEG of all pixels of a photo.
  ///
  /// - Throws: as `png`.
  func fullPicture(of inode: InodeNumber, size: Int64) throws(Errno) -> [UInt8] {
    try made { maker throws(DecoderError) in
      try maker.full(of: FileSource(fileSystem: fileSystem, inode: inode, size: size))
    }
  }

  private func made(_ make: (any DerivativeMaker) throws(DecoderError) -> [UInt8]) throws(Errno) -> [UInt8] {
    guard let maker = fileSystem.library.options.thumbnails?.maker else { throw .ioError }
    guard fileSystem.locked({ $0.thumbnails.beginWaiting() }) else { throw .resourceTemporarilyUnavailable }
    defer { fileSystem.locked { $0.thumbnails.endWaiting() } }
    do throws(DecoderError) { return try make(maker) } catch { throw .ioError }
  }

  /// Bytes that one read takes for hashing.
  private static let hashStep = 256 << 10

  /// The keyed hash of a file's content.
  ///
  /// - Throws: `EINTR` after the end of thumbnails has begun.
  func contentHash(of inode: InodeNumber) throws(Errno) -> [UInt8] {
    var hasher = fileSystem.space.contentHasher()
    let block = fileSystem.pool.take(Self.hashStep)
    defer { fileSystem.pool.give(block) }
    let bytes = unsafe block.bytes(Self.hashStep)
    // Reads to the end of the file, wherever that is.
    let source = FileSource(fileSystem: fileSystem, inode: inode, size: .max)
    var offset: Int64 = 0
    while true {
      let count = try unsafe source.read(at: offset, into: bytes)
      if count == 0 { break }
      unsafe hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      offset += Int64(count)
    }
    return hasher.finish()
  }
}

extension MediaUpdates {
  /// The inode that holds a derivative; nil if it is still to make.
  ///
  /// - Throws: `ENOENT` if the file cannot have one.
  func knownDerivative(_ size: DerivativeSize, of number: InodeNumber) throws(Errno) -> InodeNumber? {
    let file = try files.inode(number)
    guard file.isRegular, file.record.size > 0 else { throw .noSuchFileOrDirectory }
    guard let row = try files.result(of: files.index.media.row(number)) else { return nil }
    switch row.state {
    case .pending: return nil
    case .failed, .other, .hidden: throw .noSuchFileOrDirectory
    case .known:
      let inode = size == .small ? row.small : row.large
      if inode == nil, row.reason != nil { throw .noSuchFileOrDirectory }
      return inode
    }
  }
}

/// The content of a file, as the decoder reads it. After the end of thumbnails has begun, reading fails with `EINTR`:
/// otherwise the end of a mount would wait for as many large files as there are threads.
struct FileSource: MediaSource {
  let fileSystem: FileSystem
  let inode: InodeNumber
  let size: Int64

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    if fileSystem.locked({ $0.thumbnails.isEnding }) { throw .interrupted }
    return try unsafe fileSystem.read(inode, at: FileOffset(rawValue: offset), into: buffer)
  }
}

extension FileSystem {
  /// All bytes of a file.
  ///
  /// - Throws: `EIO` if there are more than `limit`, or fewer than the file's size.
  func wholeContent(of inode: InodeNumber, limit: Int) throws(Errno) -> [UInt8] {
    let size = Int(clamping: try attributes(of: inode).size)
    guard size <= limit else { throw .ioError }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = try unsafe bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
      try unsafe read(inode, at: .zero, into: UnsafeMutableRawBufferPointer(buffer))
    }
    guard count == size else { throw .ioError }
    return bytes
  }
}
