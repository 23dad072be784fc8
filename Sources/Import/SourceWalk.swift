// Walking through sources: files and directories, depth first, without following symbolic links.
//
// Invariants
// 1. Names that belong together are in one batch. Memory is that of the names of one directory at each depth, and of the
//    entries of one batch.
// 2. Every name that is listed is visited once, or the directory that could not be listed is. Of a directory that is left
//    out no name is listed.

package import HostFiles
internal import Storage
internal import System
package import SystemPackage

/// Visits what is in sources.
package struct SourceWalk {
  /// Names of a batch, but for a group that is longer.
  private static let batch = 256

  private let calls: FileCalls
  /// The device of the space, which is never a source.
  private let spaceDevice: UInt64?
  private var groups = 0
  /// Whether names that belong together are visited; the others are passed over as if they were not there.
  package var accepts: (ArraySlice<SourceEntry>) -> Bool = { _ in true }
  /// Says of the path of a directory that something else is mounted at whether it is left out.
  package var leavesOut: ([UInt8]) -> SkipReason? = { _ in nil }

  /// Whether also what systems keep for themselves is visited.
  package var takesAllFiles = false

  /// What is visited.
  package enum Visit {
    /// Entries of one directory; whole groups.
    case entries([SourceEntry])
    /// What could not be read.
    case failure(path: [UInt8], Errno)
    /// A directory that is left out, or a file that a system keeps for itself.
    case leftOut(path: [UInt8], SkipReason)
  }

  /// Walks with some system calls.
  package init(_ calls: FileCalls, spaceDevice: UInt64? = nil) {
    self.calls = calls
    self.spaceDevice = spaceDevice
  }

  /// Visits a source: a file, or all that is in a directory. Stops when `visit` returns false.
  ///
  /// - Parameter album: what stands before the albums of what is in a directory. A file has none.
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

  /// Visits files of one directory that are named one by one and belong together.
  package mutating func walk(files paths: [[UInt8]], _ visit: (Visit) -> Bool) -> Bool {
    do throws(Errno) {
      var files: [(path: [UInt8], status: FileStatus)] = []
      for path in paths { files.append((path, try calls.status(of: path, in: nil))) }
      return try visitFiles(files, visit)
    } catch {
      // Each alone: what can be read is.
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

  /// Whether a system keeps something for itself. What cannot be looked at is visited, and says why.
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

  /// Whether a directory with these names is a vault.
  package static func isVault(_ names: [[UInt8]]) -> Bool {
    names.contains(Array(StorageNames.parameters.utf8)) && names.contains(Array(StorageNames.segments.utf8))
  }
}
