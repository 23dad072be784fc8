internal import System
internal import SystemPackage

/// The storage medium of a source.
enum SourceMedium {
  /// Whether a device is a rotating disk, which reads files faster one after the other than in parallel. The result is
  /// false if the kernel does not know, as for a network or a file system over several disks.
  ///
  /// - Parameters:
  ///   - device: The device number from `stat(2)`.
  ///   - folder: Where the kernel lists block devices by their numbers.
  static func turns(_ device: UInt64, in folder: String = "/sys/dev/block") -> Bool {
    let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
    let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
    // The folder of a partition is inside that of its disk, which has the queue.
    for queue in ["queue", "../queue"] {
      let path: String = "\(folder)/\(major):\(minor)/\(queue)/rotational"
      if let text = try? WholeFile.read(path, limit: 1) { return text == [0x31] }
    }
    return false
  }
}
