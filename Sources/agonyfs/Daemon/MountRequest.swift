internal import Mount
internal import System
internal import SystemPackage
internal import Vault

/// What to mount, where and how.
struct MountRequest {
  /// The vault's absolute path.
  var vault: FilePath
  /// The mount point's absolute path.
  var mountPoint: FilePath
  /// The directory that the first check of the mount point found.
  var directory: Descriptor?
  /// The `-o` lists as given (`ByteText`).
  var optionLists: [String]
  var options: MountOptions
  /// Whether to continue from a state older than the newest.
  var acceptsOlder: Bool
  var weakDerivations: WeakDerivations
  /// How long a copy of the vault may take; nil for the default.
  var copyWindow: Duration?
  /// The kind of session that the mount belongs to; nil if it stays until it is unmounted.
  var session: SessionKind?
  /// Whether the mount point was made for this mount and is removed with it.
  var removesMountPoint = false
  /// Whether to print the serving process if the space is in use.
  var tellsServer = false

  /// The arguments that pass this request to the background process. `ps` shows them.
  var arguments: [[UInt8]] {
    var words = ["agonyfs", "mount"]
    for list in optionLists { words += ["-o", list] }
    if acceptsOlder { words.append("--accept-older") }
    if weakDerivations == .opening { words.append("--weak-derivations") }
    if let copyWindow { words += ["--copy-window", "\(copyWindow.components.seconds)s"] }
    if let session { words.append("--session=\(session.rawValue)") }
    if removesMountPoint { words.append("--remove-mount-point") }
    if tellsServer { words.append("--tell-server") }
    words.append("--as-daemon")
    return words.map { ByteText.bytes(of: $0) } + [vault.bytes, mountPoint.bytes]
  }
}
