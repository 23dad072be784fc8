// Invariants
// 1. A device counts as protected only if that is certain: it is in memory, dm-crypt encrypts it, or all devices below
//    it are protected.

internal import System

/// Block devices, as the kernel describes them in /sys.
struct BlockDevices {
  /// A limit on how many devices may lie on each other.
  private static let mostLevels = 16
  private let view: SystemView

  init(_ view: SystemView) { self.view = view }

  /// Whether data on a device, such as /dev/dm-0, cannot be read from any disk without a key.
  func protects(_ path: String) -> Bool { protects(path, Self.mostLevels) }

  /// Whether that holds for a file, by the device of its file system.
  func protectsFile(_ path: String) -> Bool { protectsFile(path, Self.mostLevels) }

  private func protects(_ path: String, _ levels: Int) -> Bool {
    guard let name = path.split(separator: "/").last.map(String.init), levels > 0 else { return false }
    if path.hasPrefix("/dev/mapper/") {
      let mapped = view.names("sys/class/block").first { view.line("sys/class/block/\($0)/dm/name") == name }
      return mapped.map { protectsEntry("sys/class/block/\($0)", levels) } ?? false
    }
    return protectsEntry("sys/class/block/\(name)", levels)
  }

  private func protectsEntry(_ entry: String, _ levels: Int) -> Bool {
    guard levels > 0 else { return false }
    if let identity = view.line("\(entry)/dm/uuid"), identity.hasPrefix("CRYPT-") { return true }
    // zram is in memory, unless it may write rarely used pages to a disk.
    if entry.split(separator: "/").last?.hasPrefix("zram") == true, !view.names(entry).isEmpty {
      let disk = view.line("\(entry)/backing_dev") ?? "none"
      return disk == "none" || protects(disk, levels - 1)
    }
    if let file = view.line("\(entry)/loop/backing_file") { return protectsFile(file, levels - 1) }
    let below = view.names("\(entry)/slaves")
    return !below.isEmpty && below.allSatisfy { protectsEntry("sys/class/block/\($0)", levels - 1) }
  }

  private func protectsFile(_ path: String, _ levels: Int) -> Bool {
    guard let mount = view.mount(of: path) else { return false }
    let entry = "sys/dev/block/\(mount.device)"
    // btrfs has virtual device numbers that belong to no device.
    return view.names(entry).isEmpty
      ? protects(String(decoding: mount.source, as: UTF8.self), levels - 1) : protectsEntry(entry, levels - 1)
  }
}
