internal import Glibc

/// Writes a file through a memory map, and keeps the map: `map-writer FILE BYTES READY` makes FILE of so many bytes,
/// fills it with "x", makes the file READY, and waits to be killed, for ten minutes at most.
@main
enum Program {
  static func main() {
    let words = CommandLine.arguments
    guard words.count == 4, let count = Int(words[2]) else { exit(2) }
    let file = unsafe open(words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, count) == 0 else { exit(1) }
    let map = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    guard let map = unsafe map, unsafe map != MAP_FAILED else { exit(1) }
    unsafe memset(map, CInt(UInt8(ascii: "x")), count)
    unsafe close(creat(words[3], 0o600))
    sleep(600)
  }
}
