// Renewing every file and folder of a vault, so that no birth, inode, extent, or name left in a directory's blocks says
// in what order they came, and which.
//
// Invariants
// 1. At every moment each file is whole under its name. A folder is copied beside, into `refreshing/`; when the copy is
//    durable, it and the folder are exchanged at once; when that is durable, the old one is deleted.
// 2. In `refreshing/` nothing is deleted but what is in `segments/` under the same name and as long, and links to files
//    that have another name there. Names that are not the vault's, and files that came meanwhile, are moved there.
// 3. What a killed refresh left in `refreshing/` is a copy that was not finished, or an old folder after the exchange; or
//    folders with links to the same files, which earlier versions made. The next refresh removes it, or whoever opens a
//    space to write and is alone in the vault. Until then whatever wipes or deletes a file in `segments/` does so there as
//    well: what is only there has come, and was not deleted.
// 4. `refreshing/remaining` names the folders that remain. It counts only while the others are as the refresh left them:
//    later files in them would show by their births that they came later.
//
// The vault's directory and `segments` themselves stay: but for `refreshing`, the names in them never change.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// How far a refresh is.
package struct RefreshProgress: Sendable {
  /// Bytes that are renewed.
  package var done: Int64
  /// Bytes of all folders that this refresh renews.
  package var total: Int64
}

/// A refresh of the vault in a directory. The caller has the lease on the vault exclusively.
package final class DirectoryRefresh {
  /// Called before each change in the directory. False ends the refresh there; if it is false from then on, the refresh
  /// leaves what it would leave if it were killed.
  package var mayChange: () -> Bool = { true }

  let directory: Descriptor
  let root: Descriptor
  let owner: VaultOwner
  private let storage: DirectoryStorage
  let fileCopy: FileCopy
  let progress: (RefreshProgress) -> Bool
  var state = RefreshProgress(done: 0, total: 0)
  /// What is being done, for errors.
  var action = "reading the vault"
  /// The inodes of all files in `segments`, where they were looked up.
  var inodes: Set<ino_t>?
  /// The folders that remain, the next one last.
  private var remaining: [Int] = []

  /// A refresh of a storage.
  ///
  /// - Parameters:
  ///   - segmentSize: bytes of a complete file.
  ///   - progress: called after each file; false ends the refresh.
  package init(
    _ storage: DirectoryStorage, segmentSize: Int, progress: @escaping (RefreshProgress) -> Bool = { _ in true }
  ) {
    directory = storage.directory
    root = storage.root
    owner = storage.owner
    self.storage = storage
    fileCopy = FileCopy(completeSize: segmentSize, owner: owner)
    self.progress = progress
  }

  /// Renews everything, or what an earlier refresh has left. Changes nothing if there are short files.
  package func run() throws(RefreshError) {
    var needed: Int64 = 0
    var shortFiles = 0
    do throws(Errno) {
      var sizes: [Int64] = []
      for folder in 0..<256 {
        let files = try files(in: folder)
        sizes.append(files.reduce(0) { $0 + $1.size })
        shortFiles += files.count { $0.size < fileCopy.completeSize }
      }
      guard shortFiles == 0 else { throw .shortFiles }
      let largest = sizes.max() ?? 0
      // Blocks that name the extents, and what a file system keeps for itself.
      needed = largest + largest / 32 + 4 << 20
      // What an earlier refresh left takes room until it is removed.
      if try status(of: Self.place) == nil, try freeBytes() < needed { throw .noSpace }
      try prepare()
      if try freeBytes() < needed { throw .noSpace }
      state.total = remaining.reduce(0) { $0 + sizes[$1] }
      while let folder = remaining.last {
        try renew(folder)
        remaining.removeLast()
        try note(remaining)
      }
      try finish()
    } catch {
      switch error {
      case .exchangeRefused: throw .cannotExchange
      case .shortFiles: throw .shortFiles(shortFiles)
      case .noSpace, .diskQuotaExceeded: throw .noRoom(needed: needed, free: (try? freeBytes()) ?? 0)
      case .canceled: throw .interrupted(remaining: remaining.count)
      case .changedByOthers: throw .changedByOthers
      default: throw .system(error, action)
      }
    }
  }

  /// Makes `refreshing`, or removes what an earlier refresh left there, and finds out what remains.
  private func prepare() throws(Errno) {
    action = "preparing the refresh"
    var isNew = true
    storage.adoptFiles()
    do throws(Errno) {
      try change { () throws(Errno) in try owner.makeFolder(Self.place, in: directory) }
    } catch .fileExists {
      isNew = false
    }
    _ = try VaultFile.openDirectory(Self.place, in: directory)
    do throws(Errno) {
      try checkExchange()
    } catch {
      if isNew { try? removePlace() }
      throw error
    }
    let noted = isNew ? nil : try notedFolders()
    try removeOldFolders()
    remaining = noted ?? (0..<256).shuffled()
    try note(remaining)
    try VaultFile.setTimes(of: ".", in: directory)
    try flush(".")
  }

  /// Removes what an earlier refresh left, and its note of what remains.
  func removeInterrupted() throws(Errno) {
    try removeOldFolders()
    try removePlace()
    try flush(".")
  }

  private func removeOldFolders() throws(Errno) {
    inodes = nil
    let folders = try Directory.names(in: Self.place, of: directory).compactMap { folder(named: $0) }
    // An exchange that a kill followed may not be durable yet.
    if !folders.isEmpty { try change { () throws(Errno) in try flushAfterExchange() } }
    for folder in folders.shuffled() { try removeOld(folder) }
  }

  /// Writes the parameters again, and removes `refreshing`.
  private func finish() throws(Errno) {
    action = "writing \(StorageNames.parameters)"
    let new = Self.place + "/" + StorageNames.parameters
    try change { () throws(Errno) in
      unsafe unlinkat(directory.number, new, 0)
      _ = try fileCopy.copy(StorageNames.parameters, to: new, in: directory, isDated: true)
      try systemCall { unsafe renameat(directory.number, new, directory.number, StorageNames.parameters) }
      try flush(".")
    }
    try removePlace()
    try change { () throws(Errno) in try VaultFile.setTimes(of: root) }
    try flush(".")
  }

  private func removePlace() throws(Errno) {
    try change { () throws(Errno) in
      for name in [Self.note, "." + Self.note + ".new", StorageNames.parameters] {
        unsafe unlinkat(directory.number, Self.place + "/" + name, 0)
      }
      for probe in Self.probes { unsafe unlinkat(directory.number, probe, AT_REMOVEDIR) }
      // Somebody may have put something else there.
      unsafe unlinkat(directory.number, Self.place, AT_REMOVEDIR)
      try VaultFile.setTimes(of: ".", in: directory)
    }
  }

  /// Exchanges two new directories, and looks whether all folders are on one file system.
  private func checkExchange() throws(Errno) {
    let probes = Self.probes
    defer { for probe in probes { unsafe unlinkat(directory.number, probe, AT_REMOVEDIR) } }
    try change { () throws(Errno) in
      for probe in probes {
        do throws(Errno) {
          try owner.makeFolder(probe, in: directory)
        } catch .fileExists {
          continue
        }
      }
      try exchange(probes[0], probes[1])
    }
    let device = try status(of: Self.place)?.st_dev
    for folder in 0..<256 {
      if let found = try status(of: path(folder)), found.st_dev != device { throw .exchangeRefused }
    }
  }
}

extension Errno {
  /// Two directories cannot be exchanged here.
  static var exchangeRefused: Errno { Errno(rawValue: Glibc.EREMCHG) }
  /// There are short files (ENODATA).
  fileprivate static var shortFiles: Errno { Errno(rawValue: Glibc.ENODATA) }
}
