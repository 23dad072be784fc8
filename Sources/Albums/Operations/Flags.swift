/// Flags of `rename`, with the values that Linux gives them.
package struct RenameFlags: OptionSet, Sendable {
  /// The bits as the kernel sends them; unknown ones make `rename` fail with `EINVAL`.
  package let rawValue: UInt32
  /// Wraps the kernel's bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Fail with `EEXIST` when the new name is taken.
  package static let noReplace = RenameFlags(rawValue: 1)
  /// Exchange the two names.
  package static let exchange = RenameFlags(rawValue: 2)
}

/// Flags of `setxattr`, with the values that Linux gives them.
package struct AttributeFlags: OptionSet, Sendable {
  /// The bits as the kernel sends them.
  package let rawValue: UInt32
  /// Wraps the kernel's bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Fail with `EEXIST` when the attribute exists.
  package static let create = AttributeFlags(rawValue: 1)
  /// Fail with `ENODATA` when it does not exist.
  package static let replace = AttributeFlags(rawValue: 2)
}

/// Modes of `fallocate`, with the values that Linux gives them.
package struct AllocationMode: OptionSet, Sendable {
  /// The bits as the kernel sends them; combinations that are not offered fail with `EOPNOTSUPP`.
  package let rawValue: UInt32
  /// Wraps the kernel's bits.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The file's size stays.
  package static let keepSize = AllocationMode(rawValue: 1)
  /// Make a hole; only together with `keepSize`.
  package static let punchHole = AllocationMode(rawValue: 2)
  /// Make the range read as zeros.
  package static let zeroRange = AllocationMode(rawValue: 16)
}

/// The target of `seek`.
package enum SeekTarget: Sendable {
  /// The next byte that holds data (`SEEK_DATA`).
  case data
  /// The next hole; the end of the file counts as one (`SEEK_HOLE`).
  case hole
}

/// Flags of `open` that matter here.
package struct OpenFlags: OptionSet, Sendable {
  /// The bits of this type, not those of `open(2)`.
  package let rawValue: UInt32
  /// Wraps bits of this type.
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Open for writing: refused with `EROFS` when the file system is read-only.
  package static let write = OpenFlags(rawValue: 1)
  /// Cut the file to no bytes (`O_TRUNC`).
  package static let truncate = OpenFlags(rawValue: 2)
  /// Fail with `EEXIST` when the name is taken (`O_EXCL`, with `create`).
  package static let exclusive = OpenFlags(rawValue: 4)
}
