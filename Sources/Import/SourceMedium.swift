internal import System
internal import SystemPackage

/// The medium of a source.
enum SourceMedium {
  /// Whether a device is a disk that turns, which reads one file after the other sooner than several at once. What the
  /// kernel does not tell is none: a network, or a file system over several disks.
  ///
  /// - Parameters:
  ///   - device: as `stat(2)` tells it.
  ///   - folder: where the kernel lists block devices by their numbers.
  static func turns(_ device: UInt64, in folder: String = "/sys/dev/block") -> Bool {
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
    // A partition lies in the folder of its disk, which has the queue.
    for queue in ["queue", "../queue"] {
      let path: String = "\(folder)/\(major):\(minor)/\(queue)/rotational"
      if let text = try? WholeFile.read(path, limit: 1) { return text == [0x31] }
    }
    return false
  }
}
