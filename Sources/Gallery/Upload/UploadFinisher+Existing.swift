// What the space has is not stored again.
//
// Invariants
// 1. What was received goes only after a file with the whole of its content was read back from the storage, its name was
//    made durable as well, and led to that file still.
// 2. What cannot be read back, changes meanwhile, or belongs to another user, who may delete it, is no reason not to store
//    what came.

internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

extension UploadFinisher {
  /// What was verified, and has no name yet.
  struct Received {
    let verified: VerifiedFile
    let placement: VerifiedPlacement
    let file: Descriptor
    let status: FileStatus
    let digest: FileDigest
  }

  /// Bytes by which most files of the same length are told from each other.
  private static let beginning = 64 << 10

  /// Whether a name of the space leads to the content that was received; then what was received is deleted.
  func isThere(
    _ received: Received, as path: SpacePath, in album: Descriptor, _ log: inout UploadLog
  ) throws(Errno) -> Bool {
    let calls = gallery.calls
    guard let found = twin(of: received, path.name, in: album) else { return false }
    let there = UploadLog.Placed(name: path.bytes, inode: found.inode, modified: found.modified, isThere: true)
    try log.willPlace(there, in: hold.log, calls)
    // Somebody else may have given that name right now.
    try calls.flush(album)
    guard let now = try calls.statusIfTaken(path.name, in: album), log.isPlaced(now) else { return false }
    try received.placement.remove(received.verified.name)
    return true
  }

  /// What a name leads to, if that has the whole content of what was received.
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

  /// Where the space has what was received, if that was not to be stored again; then what was received is deleted. What
  /// describes a photo belongs beside it, whatever other albums have.
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
  /// The files of a length, each under one name, without those in the trash.
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
