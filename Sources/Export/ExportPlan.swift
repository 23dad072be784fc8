// The plan of an export: all files are listed before the first byte is written, so that the user can see the progress.
//
// Invariants
// 1. No symbolic link is followed, so nothing outside the space is exported.
// 2. Every listed name is in the plan once, as a file, a directory, or with the reason why it is left out.

internal import HostFiles
internal import SystemPackage

/// The files and directories to export from a space.
package struct ExportPlan {
  /// A file or directory.
  package struct Item: Sendable {
    /// Its path in the space.
    package let path: [UInt8]
    /// The number of bytes at the beginning of the path that are omitted at the destination.
    let base: Int
    package let isDirectory: Bool
    /// Why it is left out; nil if it is exported.
    package var failure: ExportFailure?

    /// The path at the destination that replaces its own.
    fileprivate(set) var portable: [[UInt8]]?

    /// Its path at the destination, in parts.
    package var parts: [[UInt8]] { portable ?? own }
    private var own: [[UInt8]] { path.dropFirst(base).split(separator: 0x2F).map { Array($0) } }

    /// The name at the destination of a changed copy, given the name that the copy has in the space.
    func name(ofCopy name: [UInt8]) -> [UInt8] {
      guard let portable else { return name }
      return name == own.last ? portable.last ?? name : PortableName.of(name)
    }
  }

  /// The items in the order of the export.
  package private(set) var items: [Item] = []
  /// The number of files, and their size in bytes.
  package private(set) var files = 0
  package private(set) var bytes: Int64 = 0

  private let space: any ExportSpace
  /// The exported directory.
  private let album: [UInt8]

  /// Sets another path at the destination; nil keeps its own.
  mutating func setPortable(_ parts: [[UInt8]]?, at index: Int) { items[index].portable = parts }

  /// An empty plan for a directory of a space.
  package init(_ space: any ExportSpace, album: [UInt8]) {
    self.space = space
    self.album = album
  }

  /// Adds a file that a query found.
  package mutating func add(_ path: [UInt8]) {
    do throws(Errno) {
      add(path, try space.status(of: path))
    } catch {
      note(path, .source(error.rawValue))
    }
  }

  /// Adds everything in the directory. In the root, the trash folders are left out.
  package mutating func addAll() { walk(album) }

  private mutating func walk(_ directory: [UInt8]) {
    let names: [[UInt8]]
    do throws(Errno) {
      names = try space.names(in: directory).sorted { $0.lexicographicallyPrecedes($1) }
    } catch {
      return note(directory, .source(error.rawValue))
    }
    var folders: [[UInt8]] = []
    for name in names {
      if directory.isEmpty, Self.isLeftOut(name) { continue }
      let path = directory.isEmpty ? name : directory + [0x2F] + name
      do throws(Errno) {
        let status = try space.status(of: path)
        if status.kind == .directory { folders.append(path) } else { add(path, status) }
      } catch {
        note(path, .source(error.rawValue))
      }
    }
    for folder in folders {
      items.append(Item(path: folder, base: base, isDirectory: true))
      walk(folder)
    }
  }

  /// Whether a name in the root is not an album: the mount's own directory or a trash folder. Shared thumbnails need no
  /// check, because only real ones are listed.
  private static func isLeftOut(_ name: [UInt8]) -> Bool {
    if [".agonyfs", ".Trash"].contains(where: { name == Array($0.utf8) }) { return true }
    let trash = Array(".Trash-".utf8)
    return name.starts(with: trash) && name.dropFirst(trash.count).allSatisfy { (0x30...0x39).contains($0) }
  }

  private var base: Int { album.isEmpty ? 0 : album.count + 1 }

  private mutating func add(_ path: [UInt8], _ status: FileStatus) {
    let failure: ExportFailure? =
      switch status.kind {
      case .file: nil
      case .directory: .kind("a directory")
      case .symbolicLink: .kind("a symbolic link")
      case .fifo: .kind("a FIFO")
      case .socket: .kind("a socket")
      case .device: .kind("a device")
      }
    note(path, failure)
    if failure == nil { bytes += status.size }
  }

  private mutating func note(_ path: [UInt8], _ failure: ExportFailure?) {
    items.append(Item(path: path, base: base, isDirectory: false, failure: failure))
    files += 1
  }
}
