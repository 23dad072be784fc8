internal import Mount

/// What is to be mounted where and how.
struct MountRequest {
  /// The vault's absolute path.
  var vault: String
  /// The mount point's absolute path.
  var mountPoint: String
  /// The `-o` lists as they were given.
  var optionLists: [String]
  /// What the lists mean.
  var options: MountOptions
  /// Whether a state older than the newest is good enough to go on from.
  var acceptsOlder: Bool
  /// How long a copy of the vault may take; nil for the default.
  var copyWindow: Duration?

  /// The arguments by which a process in the background gets the same request. They are what `ps` shows.
  var arguments: [String] {
    var words = ["agonyfs", "mount"]
    for list in optionLists { words += ["-o", list] }
    if acceptsOlder { words.append("--accept-older") }
    if let copyWindow { words += ["--copy-window", "\(copyWindow.components.seconds)s"] }
    return words + ["--as-daemon", vault, mountPoint]
  }
}
