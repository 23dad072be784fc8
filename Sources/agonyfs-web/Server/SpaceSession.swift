internal import WebAccess

/// The session of one browser in one space. It ends when it is locked, when it is idle, and with the program.
final class SpaceSession: Sendable {
  /// The state of the gallery's routes for this session.
  let gallery: SessionGallery
  let mount: SpaceMount
  let isReadOnly: Bool

  /// Whether the space is still mounted. Waits for an answer of the mount.
  func isMounted() async -> Bool {
    let mount = mount
    return (try? await gallery.run { _ in RootDirectory.isMounted(mount.root) }) ?? false
  }

  /// A session that uses a mount.
  ///
  /// - Parameter allowed: See `SectionsRequest`.
  /// - Throws: `Failure` if the mount is gone.
  init(_ mount: SpaceMount, allowed: String) throws {
    self.mount = mount
    let root = try mount.openRoot()
    isReadOnly = RootDirectory.isReadOnly(root)
    gallery = try SessionGallery(root: root, isReadOnly: isReadOnly, allowed: allowed)
  }
}
