internal import Logging
internal import System
package import SystemPackage
internal import Vault

extension FileSystem {
  /// Commits, stops the threads and closes the space; what was opened and not released counts as released. Does nothing the second time.
  ///
  /// - Throws: when something could not be stored.
  package func close() throws(Errno) {
    monitor.lock()
    let wasClosed = life.isClosed
    life.isClosed = true
    monitor.unlock()
    if wasClosed { return }
    space.announceEnd()
    endThumbnails()
    var failure: Errno?
    if !startedReadOnly {
      deleteOrphans()
      do throws(Errno) { try synchronize(intoIndex: true) } catch { failure = error }
      stopThreads()
    }
    do throws(VaultError) {
      let isWritten = space.gate.isOpen
      try space.close()
      if isWritten { options.keepMark?(space.mark) }
    } catch {
      options.logger.error("closing the space failed: \(error)")
      failure = failure ?? (error == .noSpace ? .noSpace : .ioError)
    }
    pool.trim()
    if let failure { throw failure }
  }
}
