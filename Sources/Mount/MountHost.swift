internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// The parts of the machine that mounting needs. Tests use other paths.
struct MountHost: Sendable {
  /// The user who mounts.
  var user = geteuid()
  /// Whether a user other than root mounts without the helper: in a separate user namespace, such as a private
  /// session's.
  var mountsWithoutHelper = geteuid() != 0 && agonyfs_may_mount()
  var devicePath = "/dev/fuse"
  var helperPaths = ["/usr/bin/fusermount3", "/bin/fusermount3", "/usr/local/bin/fusermount3"]
  /// More directories to search for the helper, separated by colons.
  var searchPath = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
  /// The administrator's configuration file.
  var configurationPath = "/etc/fuse.conf"

  /// Throws if the device is missing or may not be opened.
  func checkDevice() throws(MountError) {
    do throws(Errno) {
      _ = try Descriptor.open(devicePath, O_RDWR)
    } catch {
      guard error == .permissionDenied || error == .notPermitted else { throw .deviceMissing }
      var status = stat()
      guard unsafe stat(devicePath, &status) == 0 else { throw .deviceMissing }
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw .deviceNotAccessible(mode: "0" + mode)
    }
  }

  /// The helper that mounts and unmounts for users other than root; nil if it is not installed.
  var helper: String? {
    let others = searchPath.split(separator: ":").map { String($0) + "/fusermount3" }
    return (helperPaths + others).first { path in unsafe access(path, X_OK) == 0 }
  }

  /// Throws if the options admit other users and this user may not allow that.
  func checkOthers(_ options: MountOptions) throws(MountError) {
    guard options.allowsOthers || options.allowsRoot else { return }
    let text = String(decoding: (try? WholeFile.read(configurationPath)) ?? [], as: UTF8.self)
    let isAllowed = text.split(separator: "\n").contains { line in
      line.split(whereSeparator: \.isWhitespace) == ["user_allow_other"]
    }
    if !isAllowed { throw .othersNotAllowed(option: options.allowsOthers ? "allow_other" : "allow_root") }
  }
}
