// What is exported: listed as a whole before the first byte, so that a person sees how much is left.
//
// Invariants
// 1. No symbolic link is followed, so nothing outside the space is exported.
// 2. Every name that is listed is in the plan once, as a file, a directory, or with the reason why it is left out.

internal import HostFiles
internal import SystemPackage

/// What is exported of a space.
package struct ExportPlan {
  /// A file or directory.
  package struct Item: Sendable {
    /// Its path in the space.
    package let path: [UInt8]
    /// What its path is relative to: bytes at the beginning that are left out at the destination.
    let base: Int
    package let isDirectory: Bool
    /// Why it is left out; nil if it is exported.
    package var failure: ExportFailure?

    /// What its path at the destination is instead of its own.
    fileprivate(set) var portable: [[UInt8]]?

    /// Its path at the destination, in parts.
    package var parts: [[UInt8]] { portable ?? own }
    private var own: [[UInt8]] { path.dropFirst(base).split(separator: 0x2F).map { Array($0) } }

    /// The name at the destination of a copy that the space would call so.
    func name(ofCopy name: [UInt8]) -> [UInt8] {
      guard let portable else { return name }
      return name == own.last ? portable.last ?? name : PortableName.of(name)
    }
  }

  /// In the order in which they are exported.
  package private(set) var items: [Item] = []
  /// Files among them, and their bytes.
  package private(set) var files = 0
  package private(set) var bytes: Int64 = 0

  private let space: any ExportSpace
  /// The directory that is exported.
  private let album: [UInt8]

  /// Gives an item another path at the destination, if there is one.
  mutating func setPortable(_ parts: [[UInt8]]?, at index: Int) { items[index].portable = parts }

  /// A plan for what is in a directory of a space.
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

  /// Adds everything in the directory. Of the root the trash folders are left out.
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

  /// What is no album: the door of the catalog, and the trash. Shared thumbnails are listed where they are real only.
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
