/// Files that are neither photos nor videos, of an album or of the trash.
public struct OtherFiles: Sendable {
  /// One of them.
  public struct File: Equatable, Sendable {
    /// Its number in the snapshot.
    public var index: Int
    /// The bytes of its name; in the trash, with those of the directories there that it is in.
    public var name: [UInt8]
    /// Bytes.
    public var size: Int64
  }

  /// By which they are saved and moved, as photos are.
  public let snapshot: Snapshot
  /// The first ones by their names.
  public let files: [File]
  /// How many there are, also of those that are not listed.
  public let count: Int
  /// How many more there may be: files that wait to be examined, of which it is not known what they are.
  public let pending: Int
}
