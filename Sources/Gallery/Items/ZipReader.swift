// Invariants
// 1. At most two blocks of the archive are in memory, however slowly it is read.
// 2. When the reader stops, the writing thread ends.

internal import System
internal import SystemPackage

/// Reads an archive block by block, while a thread writes it.
public final class ZipReader: Sendable {
  private final class Queue: @unchecked Sendable {
    let lock = Lock()
    let changed: Condition
    // Guarded by the lock.
    var blocks: [[UInt8]] = []
    var failure: (any Error)?
    var isEnded = false
    var isStopped = false

    init() { changed = Condition(of: lock) }

    func put(_ block: [UInt8]) throws {
      try lock.withLock {
        while blocks.count > 1, !isStopped { changed.wait() }
        if isStopped { throw Stopped() }
        blocks.append(block)
        changed.broadcast()
      }
    }

    func end(_ error: (any Error)?) {
      lock.withLock {
        failure = error
        isEnded = true
        changed.broadcast()
      }
    }
  }

  private struct Stopped: Error {}
  private static let block = 256 << 10

  private let queue = Queue()

  /// Starts to write an archive.
  ///
  /// - Throws: `.busy` if no thread can be created.
  public init(_ archive: ZipStream) throws(GalleryError) {
    let queue = queue
    do throws(Errno) {
      _ = try Thread {
        var waiting: [UInt8] = []
        do {
          try archive.write { bytes in
            // Headers are collected into blocks, because they are small and every block is sent as a message.
            waiting += bytes
            guard waiting.count >= Self.block else { return }
            try queue.put(waiting)
            waiting = []
          }
          if !waiting.isEmpty { try queue.put(waiting) }
          queue.end(nil)
        } catch {
          queue.end(error)
        }
      }
    } catch {
      throw GalleryError(.busy, "The server is busy; try again.")
    }
  }

  deinit { stop() }

  /// Waits for the next bytes; nil at the end.
  ///
  /// - Throws: Why the archive cannot be completed.
  public func next() throws -> [UInt8]? {
    try queue.lock.withLock {
      while queue.blocks.isEmpty, !queue.isEnded { queue.changed.wait() }
      if queue.blocks.isEmpty {
        if let failure = queue.failure { throw failure }
        return nil
      }
      queue.changed.broadcast()
      return queue.blocks.removeFirst()
    }
  }

  /// Cancels the archive.
  public func stop() {
    queue.lock.withLock {
      queue.isStopped = true
      queue.changed.broadcast()
    }
  }
}
