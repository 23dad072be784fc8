// Invariants:
// 1. What is not said is safe: no set-user-id programs, no device nodes, nobody but the user who mounts.
// 2. A later word overrides an earlier one, as in mount(8).
// 3. No word is dropped in silence unless it concerns mount(8) only, or asks for what agonyfs does anyway.

/// When thumbnails are made.
package enum ThumbnailMode: String, Sendable, CaseIterable {
  /// Soon after a photo or video was written.
  case eager
  /// When one is asked for.
  case lazy
  /// Never; the mount shows nothing of them.
  case none
}

/// How a space is to be mounted: what `-o` lists and the command's own options say.
package struct MountOptions: Sendable, Equatable {
  /// Whether nothing may be changed through the mount.
  package var isReadOnly = false
  /// Whether all users may use the mount, as file modes allow.
  package var allowsOthers = false
  /// Whether root may use the mount beside the user who mounted.
  package var allowsRoot = false
  /// Whether set-user-id and set-group-id bits of programs count.
  package var allowsSetUser = false
  /// Whether device nodes open devices.
  package var allowsDevices = false
  /// Whether programs may be started from the mount.
  package var allowsExecution = true
  /// Whether every write is to be durable before it returns.
  package var isSynchronous = false
  /// Whether changes of directories are to be durable before they return.
  package var isDirectorySynchronous = false
  /// Whether the mount point may hold files, which the mount then hides.
  package var allowsNonEmpty = false
  /// What the table of mounts shows as the mounted thing.
  package var sourceName = "agonyfs"
  /// What follows `fuse.` in the table of mounts.
  package var subtype = "agonyfs"
  /// File whose first line is the password.
  package var passwordFile: String?
  /// When thumbnails are made.
  package var thumbnails = ThumbnailMode.eager
  /// Whether images are decoded only where the kernel can confine the decoder.
  package var requiresDecoderSandbox = false
  /// Whether this machine remembers how far the space has come.
  package var remembers = false
  /// How long nobody has to use the mount before it unmounts itself.
  package var idle: Duration?

  /// The defaults.
  package init() {}

  /// The defaults, changed by comma-separated lists as `-o` takes them, one after another. Throws what
  /// `apply(_:)` throws.
  package init(_ lists: [String]) throws(MountOptionError) {
    for list in lists { try apply(list) }
  }

  /// Changes the options by one comma-separated list. A backslash takes the meaning from a comma or backslash
  /// after it. Throws for a word that is unknown or cannot be honoured.
  package mutating func apply(_ list: String) throws(MountOptionError) {
    for word in Self.words(of: list) { try apply(word: word) }
  }

  private mutating func apply(word: String) throws(MountOptionError) {
    guard let separator = word.firstIndex(of: "=") else {
      try apply(flag: word)
      return
    }
    let name = String(word[..<separator])
    let value = String(word[word.index(after: separator)...])
    try apply(name: name, value: value)
  }

  private mutating func apply(flag: String) throws(MountOptionError) {
    switch flag {
    case "ro": isReadOnly = true
    case "rw": isReadOnly = false
    case "allow_other": allowsOthers = true
    case "allow_root": allowsRoot = true
    case "suid": allowsSetUser = true
    case "nosuid": allowsSetUser = false
    case "dev": allowsDevices = true
    case "nodev": allowsDevices = false
    case "exec": allowsExecution = true
    case "noexec": allowsExecution = false
    case "sync": isSynchronous = true
    case "async": isSynchronous = false
    case "dirsync": isDirectorySynchronous = true
    case "nonempty": allowsNonEmpty = true
    case "nothumbs": thumbnails = .none
    case "remember": remembers = true
    case "user", "users", "owner", "group":
      allowsSetUser = false
      allowsDevices = false
      allowsExecution = false
    case _ where Self.withoutEffect.contains(flag) || Self.isForOthers(flag): break
    case "passfile", "password-file", "idle", "fsname", "subtype", "thumbnails", "decoder-sandbox":
      throw .valueMissing(flag)
    default: throw .unknown(flag)
    }
  }

  private mutating func apply(name: String, value: String) throws(MountOptionError) {
    switch name {
    case "passfile", "password-file":
      guard !value.isEmpty else { throw .valueMissing(name) }
      passwordFile = value
    case "idle":
      guard let duration = Self.duration(value) else { throw .malformedDuration(value) }
      idle = duration == .zero ? nil : duration
    case "fsname":
      guard !value.isEmpty else { throw .valueMissing(name) }
      sourceName = value
    case "subtype":
      guard !value.isEmpty else { throw .valueMissing(name) }
      subtype = value
    case "thumbnails":
      guard let mode = ThumbnailMode(rawValue: value) else {
        throw .unknownValue(name: name, value: value, allowed: ThumbnailMode.allCases.map(\.rawValue))
      }
      thumbnails = mode
    case "decoder-sandbox":
      guard value == "required" || value == "preferred" else {
        throw .unknownValue(name: name, value: value, allowed: ["required", "preferred"])
      }
      requiresDecoderSandbox = value == "required"
    case "uid", "gid", "umask", "fmask", "dmask": throw .ownersAreKept(name)
    case _ where Self.isForOthers(name) || name == "comment": break
    default: throw .unknown(name)
    }
  }
}
