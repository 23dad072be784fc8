// What is asked for by somebody who waits.

internal import Index
package import Media
internal import System
package import SystemPackage
package import Vault

extension FileSystem {
  /// Threads that may wait for the decoder at one time: others must stay to answer what is quick.
  private static let maximumWaiters = 10

  /// The inode that holds a file's derivative; waits until it is made.
  ///
  /// - Throws: `ENOENT` when there is none and there will be none, `EAGAIN` when too many wait, `EIO` when no decoder can be had.
  package func derivative(_ size: DerivativeSize, of number: InodeNumber) throws(Errno) -> InodeNumber {
    monitor.lock()
    defer { monitor.unlock() }
    if let known = try knownDerivative(size, of: number) { return known }
    guard options.thumbnails != nil, refusal == nil, !thumbnails.isEnding else { throw .ioError }
    guard beginWaiting() else { throw .resourceTemporarilyUnavailable }
    defer { thumbnails.waiters -= 1 }
    let demand = ThumbnailDemand(inode: number, size: size)
    thumbnails.demands.append(demand)
    signals.thumbnailWork.signal()
    while !demand.isDone {
      signals.thumbnailDone.wait()
      if let known = try knownDerivative(size, of: number) { return known }
    }
    guard let made = try knownDerivative(size, of: number) else { throw .ioError }
    return made
  }

  /// Counts this thread among those that wait for the decoder; false when too many do. Lock held.
  private func beginWaiting() -> Bool {
    guard thumbnails.waiters < Self.maximumWaiters else { return false }
    thumbnails.waiters += 1
    return true
  }

  /// Has a PNG made of a JPEG.
  ///
  /// - Throws: `EAGAIN` when too many wait, `EIO` when it cannot be made.
  func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(Errno) -> [UInt8] {
    guard let maker = options.thumbnails?.maker else { throw .ioError }
    monitor.lock()
    let mayWait = beginWaiting()
    monitor.unlock()
    guard mayWait else { throw .resourceTemporarilyUnavailable }
    defer {
      monitor.lock()
      thumbnails.waiters -= 1
      monitor.unlock()
    }
    do throws(DecoderError) {
      return try maker.png(from: jpeg, longerSide: longerSide, text: text)
    } catch {
      throw .ioError
    }
  }

  /// The inode that holds a derivative, or nil when it is still to be made. Lock held.
  ///
  /// - Throws: `ENOENT` when there will be none.
  private func knownDerivative(_ size: DerivativeSize, of number: InodeNumber) throws(Errno) -> InodeNumber? {
    let file = try inode(number)
    guard file.isRegular, file.record.size > 0 else { throw .noSuchFileOrDirectory }
    guard let row = try stored({ () throws(IndexError) in try index.media(number) }) else { return nil }
    switch row.state {
    case .pending: return nil
    case .failed, .other, .hidden: throw .noSuchFileOrDirectory
    case .known:
      guard let inode = size == .small ? row.small : row.large else {
        if row.reason != nil { throw .noSuchFileOrDirectory }
        return nil
      }
      return inode
    }
  }
}
