// Uploads of content that the space has already are not stored again.
//
// Invariants
// 1. Received bytes are removed only after a file with the same content was read back from the storage, its name was
//    made durable, and the name still led to that file.
// 2. If that file cannot be read back, changes in between, or belongs to another user, who may delete it, the received
//    bytes are stored.

internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

extension UploadFinisher {
  /// A verified upload without a name.
  struct Received {
    let verified: VerifiedFile
    let placement: VerifiedPlacement
    let file: Descriptor
    let status: FileStatus
    let digest: FileDigest
  }

  /// The number of first bytes that distinguish most files of the same length.
  private static let beginning = 64 << 10

  /// Whether a name of the space leads to the received content. If so, removes the received bytes.
  func isThere(
    _ received: Received, as path: SpacePath, in album: Descriptor, _ log: inout UploadLog
  ) throws(Errno) -> Bool {
    let calls = gallery.calls
    guard let found = twin(of: received, path.name, in: album) else { return false }
    let there = UploadLog.Placed(name: path.bytes, inode: found.inode, modified: found.modified, isThere: true)
    try log.willPlace(there, in: hold.log, calls)
    // Another process may have created the name just now, so it is made durable.
    try calls.flush(album)
    guard let now = try calls.statusIfTaken(path.name, in: album), log.isPlaced(now) else { return false }
    try received.placement.remove(received.verified.name)
    return true
  }

  /// The status of the file at a name, if it has exactly the received content; nil otherwise.
  private func twin(of received: Received, _ name: [UInt8], in album: Descriptor) -> FileStatus? {
    let calls = gallery.calls
    guard let status = try? calls.status(of: name, in: album), status.kind == .file,
      status.owner == received.status.owner, status.size == received.digest.size,
      let file = try? calls.openFile(name, in: album),
      (try? calls.status(of: file).inode) == status.inode, beginning(of: file) == beginning(of: received.file),
      (try? calls.digest(of: file)) == received.digest
    else { return nil }
    return status
  }

  private func beginning(of file: Descriptor) -> [UInt8]? {
    try? gallery.calls.bytes(of: file, at: 0, count: Self.beginning)
  }

  /// If duplicates are skipped, the path at which the space has the received content; then removes the received bytes.
  /// Files that describe a photo are stored in any case, because they belong next to that photo.
  func copy(
    of received: Received, near album: SpacePath, _ log: inout UploadLog
  ) throws(Errno) -> SpacePath? {
    let description = log.description
    guard description.skipsDuplicates, description.length > 0, Companions.kind(of: description.name) == .media,
      let paths = try? gallery.paths(ofLength: description.length)
    else { return nil }
    for path in paths.filter({ $0.parent == album }) + paths.filter({ $0.parent != album }) {
      guard let directory = try? gallery.root.directory(path.parent.bytes) else { continue }
      if try isThere(received, as: path, in: directory, &log) { return path }
    }
    return nil
  }
}

extension Gallery {
  /// The files of a length in bytes, each under one name, without those in the trash.
  fileprivate func paths(ofLength length: Int64) throws -> [SpacePath] {
    var request = CatalogRequest()
    request.sizes = [length]
    var paths: [SpacePath] = []
    try lines(request) { file in
      if let path = CatalogRecord.path(in: file) { paths.append(SpacePath(trusted: path)) }
    }
    return paths
  }
}
