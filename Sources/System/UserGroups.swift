internal import CPlatform

/// The groups of users, according to the system's databases.
package enum UserGroups {
  /// The most groups of a user, as in the kernel (NGROUPS_MAX).
  private static let most = 65_536

  /// The groups of a user, the first one included; empty if the user is not known.
  package static func of(_ user: UInt32) -> [UInt32] {
    Waiting.assertAllowed()
    var groups = [UInt32](repeating: 0, count: most)
    let count = unsafe agonyfs_user_groups(user, &groups, CInt(most))
    return Array(groups.prefix(max(0, Int(count))))
  }
}
