internal import Glibc

/// Writes files through memory maps, beside the process that serves the mount: `munmap` waits for the kernel to have
/// written while it holds the lock of its process's memory, so a process that serves its own map waits for itself.
///
/// - `map-writer FILE BYTES READY` makes FILE of so many bytes, fills it with "x", makes the file READY, and waits to be
///   killed, for ten minutes at most.
/// - `map-writer FROM TO` makes the file TO with the content of FROM.
@main
enum Program {
  static func main() {
    let words = CommandLine.arguments
    switch words.count {
    case 3:
      let source = unsafe open(words[1], O_RDONLY | O_CLOEXEC)
      var status = stat()
      guard source >= 0, unsafe fstat(source, &status) == 0 else { exit(1) }
      let map = unsafe newMap(words[2], of: status.st_size)
      guard unsafe read(source, map, status.st_size) == status.st_size else { exit(1) }
      guard unsafe munmap(map, status.st_size) == 0 else { exit(1) }
    case 4:
      guard let count = Int(words[2]) else { exit(2) }
      unsafe memset(newMap(words[1], of: count), CInt(UInt8(ascii: "x")), count)
      unsafe close(creat(words[3], 0o600))
      sleep(600)
    default: exit(2)
    }
  }

  private static func newMap(_ path: String, of count: Int) -> UnsafeMutableRawPointer {
    let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, count) == 0 else { exit(1) }
    let map = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    guard let map = unsafe map, unsafe map != MAP_FAILED else { exit(1) }
    return unsafe map
  }
}
