// Invariants:
// 1. The defaults are safe: no set-user-ID programs, no device nodes, no other users.
// 2. A later word overrides an earlier one, as in mount(8).
// 3. A word is ignored only if it concerns mount(8) alone, or asks for the behaviour that agonyfs has anyway.

internal import System

/// When thumbnails are made.
package enum ThumbnailMode: String, Sendable, CaseIterable {
  /// Soon after a photo or video was written.
  case eager
  /// When a program opens one.
  case lazy
  /// Never; virtual thumbnails are not shown either.
  case none
}

/// How to mount a space: the `-o` lists and the options of the command.
package struct MountOptions: Sendable, Equatable {
  /// Whether nothing may be changed through the mount.
  package var isReadOnly = false
  /// Whether all users may use the mount, subject to file modes.
  package var allowsOthers = false
  /// Whether root may use the mount of a user.
  package var allowsRoot = false
  /// Whether set-user-ID and set-group-ID bits take effect.
  package var allowsSetUser = false
  /// Whether device nodes work.
  package var allowsDevices = false
  /// Whether programs may be started from the mount.
  package var allowsExecution = true
  /// Whether every write is durable before it returns.
  package var isSynchronous = false
  /// Whether changes of directories are durable before they return.
  package var isDirectorySynchronous = false
  /// Whether the mount point may contain files, which the mount hides.
  package var allowsNonEmpty = false
  /// The source in the table of mounts (`ByteText`).
  package var sourceName = "agonyfs"
  /// The type in the table of mounts, after `fuse.`.
  package var subtype = "agonyfs"
  /// The file with the password in its first line (`ByteText`).
  package var passwordFile: String?
  /// When thumbnails are made.
  package var thumbnails = ThumbnailMode.eager
  /// Whether images are decoded only if the kernel filters the decoder's system calls.
  package var requiresDecoderSandbox = true
  /// Most photos and videos that are decoded at once, in addition to one that a program waits for; nil for one more
  /// than processors.
  package var decoders: Int?
  /// Whether this machine records the state of the space, to detect a rollback.
  package var remembers = false
  /// Whether traces of the mount in its user's home directory are removed when it ends.
  package var tidies = false
  /// A table of towns in GeoNames' format that replaces Debian's (`ByteText`).
  package var placesFile: String?
  /// How long the mount may be unused before it ends; nil for no limit.
  package var idle: Duration?

  /// The defaults.
  package init() {}

  /// The defaults, changed by comma-separated `-o` lists in order. Throws the errors of `apply(_:)`.
  package init(_ lists: [String]) throws(MountOptionError) {
    for list in lists { try apply(list) }
  }

  /// Applies a comma-separated list. A backslash escapes a comma or a backslash. Throws `MountOptionError` for a word
  /// that is unknown or cannot be honoured.
  package mutating func apply(_ list: String) throws(MountOptionError) {
    for word in Self.words(of: list) {
      if let separator = word.firstIndex(of: "=") {
        try apply(name: String(word[..<separator]), value: String(word[word.index(after: separator)...]))
      } else {
        try apply(flag: word)
      }
    }
  }

  private mutating func apply(flag: String) throws(MountOptionError) {
    guard !ByteText.isCoded(flag) else { throw .unknown(String(decoding: ByteText.bytes(of: flag), as: UTF8.self)) }
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
    case "tidy": tidies = true
    case "remount": throw .remount
    case "user", "users", "owner", "group":
      allowsSetUser = false
      allowsDevices = false
      allowsExecution = false
    case _ where Self.withoutEffect.contains(flag) || Self.isForOthers(flag): break
    case "passfile", "password-file", "idle", "fsname", "subtype", "thumbnails", "decoder-sandbox", "decoders",
      "places":
      throw .valueMissing(flag)
    default: throw .unknown(flag)
    }
  }

  private mutating func apply(name: String, value: String) throws(MountOptionError) {
    guard !ByteText.isCoded(name) else { throw .unknown(String(decoding: ByteText.bytes(of: name), as: UTF8.self)) }
    guard !ByteText.isCoded(value) || Self.pathOptions.contains(name) else { throw .notText(name) }
    switch name {
    case "passfile", "password-file":
      guard !value.isEmpty else { throw .valueMissing(name) }
      passwordFile = value
    case "idle":
      let duration = try Self.duration(value)
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
    case "decoders":
      let allowed = 1...256
      guard value.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(value), allowed.contains(count) else {
        throw .outOfRange(name: name, value: value, allowed: allowed)
      }
      decoders = count
    case "places":
      // The serving process has another working directory.
      guard value.first == "/" else { throw .notAbsolute(name: name, value: value) }
      placesFile = value
    case "uid", "gid", "umask", "fmask", "dmask": throw .ownersAreKept(name)
    case _ where Self.isForOthers(name) || name == "comment": break
    default: throw .unknown(name)
    }
  }
}
