import SystemPackage

@testable import Mount

extension MountPoint {
  static func check(_ path: String, options: MountOptions, host: MountHost = MountHost()) throws(MountError)
    -> MountPoint
  {
    try check(FilePath(path), options: options, host: host)
  }
}

extension Unmount {
  static func unmount(_ path: String) throws(MountError) { try unmount(FilePath(path)) }
}
