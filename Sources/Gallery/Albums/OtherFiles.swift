/// The files of an album or of the trash that are neither photos nor videos.
public struct OtherFiles: Sendable {
  /// One of these files.
  public struct File: Equatable, Sendable {
    /// Its number in the snapshot.
    public var index: Int
    /// The bytes of its name; in the trash, of its path below the trash folder.
    public var name: [UInt8]
    /// Its size in bytes.
    public var size: Int64
  }

  /// The snapshot whose numbers save and move these files, as for photos.
  public let snapshot: Snapshot
  /// The first files, by name.
  public let files: [File]
  /// The number of all these files, including those that are not listed.
  public let count: Int
  /// The number of further files that the catalog has still to examine, which may be photos.
  public let pending: Int
}
