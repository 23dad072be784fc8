internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// Room that a file without a name holds (`O_TMPFILE`) by its allocated blocks.
final class UnnamedFile: HeldRoom {
  private let file: Descriptor
  private let held = Mutex(0)

  init(_ file: Descriptor) { self.file = file }

  func resize(to size: Int) throws(Errno) {
    try held.withLock { held throws(Errno) in
      if size > held {
        // When ext4 cannot allocate all of the room, it keeps the part that it got.
        if try size - held > file.freeBytes() { throw .noSpace }
        do throws(Errno) {
          try systemCall { agonyfs_allocate(file.number, off_t(size), false) }
        } catch {
          try systemCall { ftruncate(file.number, off_t(held)) }
          throw error
        }
      } else if size < held {
        try systemCall { ftruncate(file.number, off_t(size)) }
      }
      held = size
    }
  }
}
