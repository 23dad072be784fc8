// Walking through sources: files and directories, depth first, without following symbolic links.
//
// Invariants
// 1. All names of a group are in one batch. Memory holds the names of one directory at each depth, and the entries of
//    one batch.
// 2. Every listed name is visited once. A directory that cannot be listed is itself visited once. A directory that is
//    left out is not listed.

package import HostFiles
internal import Storage
internal import System
package import SystemPackage

/// Visits the files of sources.
package struct SourceWalk {
  /// The most names in a batch. A single group may be larger.
  private static let batch = 256

  private let calls: FileCalls
  /// The device of the space, which is never a source.
  private let spaceDevice: UInt64?
  private var groups = 0
  /// Whether a group is visited. Other groups are ignored as if they did not exist.
  package var accepts: (ArraySlice<SourceEntry>) -> Bool = { _ in true }
  /// Given the path of a directory that is a mount point, returns why it is left out; nil if it is not.
  package var leavesOut: ([UInt8]) -> SkipReason? = { _ in nil }

  /// Whether files that operating systems create for themselves are visited as entries.
  package var takesAllFiles = false

  /// A visit.
  package enum Visit {
    /// Entries of one directory, in whole groups.
    case entries([SourceEntry])
    /// A path that could not be read.
    case failure(path: [UInt8], Errno)
    /// A directory that is left out, or a file or folder that an operating system created for itself.
    case leftOut(path: [UInt8], SkipReason)
  }

  /// A walk that uses these system calls.
  package init(_ calls: FileCalls, spaceDevice: UInt64? = nil) {
    self.calls = calls
    self.spaceDevice = spaceDevice
  }

  /// Visits a source: a file, or everything in a directory. Stops when `visit` returns false, and then returns false.
  ///
  /// - Parameter album: The parent album of the directory's files. A file has none.
  package mutating func walk(_ path: [UInt8], album: [[UInt8]] = [], _ visit: (Visit) -> Bool) -> Bool {
    do throws(Errno) {
      let status = try calls.status(of: path, in: nil)
      if status.kind == .directory {
        let descriptor = try calls.openDirectory(path)
        return walk(SourceDirectory(descriptor: descriptor, path: path, album: album), visit)
      }
      return try visitFiles([(path, status)], visit)
    } catch {
      return visit(.failure(path: path, error))
    }
  }

  /// Visits single files of one directory that form a group.
  package mutating func walk(files paths: [[UInt8]], _ visit: (Visit) -> Bool) -> Bool {
    do throws(Errno) {
      var files: [(path: [UInt8], status: FileStatus)] = []
      for path in paths { files.append((path, try calls.status(of: path, in: nil))) }
      return try visitFiles(files, visit)
    } catch {
      // Each file is tried alone, so that readable files are visited.
      for path in paths { guard walk(path, visit) else { return false } }
      return true
    }
  }

  private mutating func visitFiles(
    _ files: [(path: [UInt8], status: FileStatus)], _ visit: (Visit) -> Bool
  ) throws(Errno) -> Bool {
    groups += 1
    var entries: [SourceEntry] = []
    for (path, status) in files {
      let slash = path.lastIndex(of: 0x2F)
      let parent = slash.map { Array(path[..<max($0, 1)]) } ?? [0x2E]
      let name = slash.map { Array(path[($0 + 1)...]) } ?? path
      let directory = SourceDirectory(
        descriptor: try calls.openDirectory(parent), path: slash == nil ? [] : parent, album: [])
      entries.append(SourceEntry(directory: directory, name: name, status: status, group: groups))
    }
    entries = accepted(entries)
    return entries.isEmpty || visit(.entries(entries))
  }

  private mutating func walk(
    _ directory: SourceDirectory, below parent: UInt64? = nil, _ visit: (Visit) -> Bool
  ) -> Bool {
    var names: [[UInt8]]
    let device: UInt64
    do throws(Errno) {
      let status = try calls.status(of: directory.descriptor)
      device = status.device
      if device == spaceDevice { return visit(.leftOut(path: directory.path, .insideSpace)) }
      if let parent, parent != device, let reason = leavesOut(directory.path) {
        return visit(.leftOut(path: directory.path, reason))
      }
      names = try calls.names(in: directory.descriptor)
    } catch {
      return visit(.failure(path: directory.path, error))
    }
    if Self.isVault(names) { return visit(.leftOut(path: directory.path, .insideVault)) }
    let ofSystem = names.filter { isOfSystem($0, in: directory) }
    for name in ofSystem {
      guard visit(.leftOut(path: directory.path(of: name), .systemFile)) else { return false }
    }
    if !ofSystem.isEmpty {
      let left = Set(ofSystem)
      names.removeAll { left.contains($0) }
    }
    var folders: [[UInt8]] = []
    let grouped = Companions.grouped(names)
    var place = 0
    var ends = grouped.ends[...]
    while place < grouped.names.count {
      var end = place
      while end - place < Self.batch, let next = ends.popFirst() { end = next }
      var entries: [SourceEntry] = []
      var broken: Set<Int> = []
      var groupEnd = place
      for (index, name) in zip(place..<end, grouped.names[place..<end]) {
        if index >= groupEnd {
          groups += 1
          groupEnd = grouped.ends[grouped.ends.prefixCount { $0 <= index }]
        }
        do throws(Errno) {
          let status = try calls.status(of: name, in: directory.descriptor)
          if status.kind == .directory {
            folders.append(name)
          } else {
            entries.append(SourceEntry(directory: directory, name: name, status: status, group: groups))
          }
        } catch {
          broken.insert(groups)
          guard visit(.failure(path: directory.path + [0x2F] + name, error)) else { return false }
        }
      }
      for index in entries.indices where broken.contains(entries[index].group) { entries[index].isGroupWhole = false }
      entries = accepted(entries)
      if !entries.isEmpty, !visit(.entries(entries)) { return false }
      place = end
    }
    for folder in folders {
      let path = directory.path(of: folder)
      do throws(Errno) {
        let inner = SourceDirectory(
          descriptor: try calls.openDirectory(folder, in: directory.descriptor), path: path,
          album: directory.album + [folder])
        guard walk(inner, below: device, visit) else { return false }
      } catch {
        guard visit(.failure(path: path, error)) else { return false }
      }
    }
    return true
  }

  /// Whether an operating system created a name for itself. If its status cannot be read, it is visited as an entry,
  /// which reports the error.
  private func isOfSystem(_ name: [UInt8], in directory: SourceDirectory) -> Bool {
    let mayBeAppleDouble = SystemFiles.mayBeAppleDouble(name)
    guard !takesAllFiles, mayBeAppleDouble || SystemFiles.isFile(name) || SystemFiles.isFolder(name),
      let status = try? calls.status(of: name, in: directory.descriptor)
    else { return false }
    if status.kind == .directory { return SystemFiles.isFolder(name) }
    guard status.kind == .file else { return false }
    guard mayBeAppleDouble else { return SystemFiles.isFile(name) }
    guard let file = try? calls.openFile(name, in: directory.descriptor) else { return false }
    return (try? calls.bytes(of: file, at: 0, count: SystemFiles.appleDouble.count)) == SystemFiles.appleDouble
  }

  private func accepted(_ entries: [SourceEntry]) -> [SourceEntry] {
    var found: [SourceEntry] = []
    var rest = entries[...]
    while let first = rest.first {
      let group = rest.prefix { $0.group == first.group }
      rest = rest[group.endIndex...]
      if accepts(group) { found += group }
    }
    return found
  }

  /// Whether a directory with these names is a vault. After a refresh that was killed between two renames it has no
  /// `segments`.
  package static func isVault(_ names: [[UInt8]]) -> Bool {
    let has = { (name: String) in names.contains(Array(name.utf8)) }
    return has(StorageNames.parameters) && (has(StorageNames.segments) || has(StorageNames.refreshing))
  }
}
