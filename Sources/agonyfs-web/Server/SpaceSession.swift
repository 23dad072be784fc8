internal import WebAccess

/// One browser in one space. It ends with its lock, after its idle time, and with the program.
final class SpaceSession: Sendable {
  /// What the routes of the gallery keep for it.
  let gallery: SessionGallery
  let mount: SpaceMount
  let isReadOnly: Bool

  /// Whether it is mounted still. Waits for the mount to answer.
  func isMounted() async -> Bool {
    let mount = mount
    return (try? await gallery.run { _ in RootDirectory.isMounted(mount.root) }) ?? false
  }

  /// A session that uses a mount.
  ///
  /// - Parameter allowed: as in `SectionsRequest`.
  /// - Throws: `Failure` if the mount is gone.
  init(_ mount: SpaceMount, allowed: String) throws {
    self.mount = mount
    let root = try mount.openRoot()
    isReadOnly = RootDirectory.isReadOnly(root)
    gallery = try SessionGallery(root: root, isReadOnly: isReadOnly, allowed: allowed)
  }
}
