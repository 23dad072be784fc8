import AlbumsSupport
import Crypto
import SystemPackage
import Vault

@testable import Albums

/// What a file system shows, path by path: a line each, with everything but times and numbers of inodes.
typealias Tree = [String: String]

extension Tree {
  /// What stands for a directory.
  static let folder = "folder"
  private static let key = unsafe SecretBytes(count: 32) { unsafe $0.initializeMemory(as: UInt8.self, repeating: 1) }

  static func line(mode: UInt32, links: Int, content: [UInt8], label: [UInt8]) -> String {
    let hash = KeyedHash.identifier(of: key, context: "", data: content, count: 16)
    return "file \(mode) links \(links) size \(content.count) \(hash) label \(label)"
  }

  /// What a file system shows of a file. Every byte of it is read.
  static func line(of inode: InodeNumber, _ attributes: Attributes, in files: FileSystem) throws -> String {
    var label: [UInt8] = []
    do throws(Errno) {
      label = try files.extendedAttribute(Workload.label, of: inode)
    } catch {
      if error != .noData { throw error }
    }
    return line(
      mode: attributes.mode & 0o7777, links: Int(attributes.links), content: try files.get(inode), label: label)
  }

  /// What a file system shows. Every byte of every file is read.
  init(of files: FileSystem) throws {
    self = ["": Self.folder]
    var rest: [(path: String, folder: InodeNumber)] = [("", .root)]
    while let (path, folder) = rest.popLast() {
      for (name, inode) in try files.names(of: folder) {
        let attributes = try files.attributes(of: inode)
        let place = path + "/" + name
        if attributes.mode & FileKind.mask == FileKind.directory {
          self[place] = Self.folder
          rest.append((place, inode))
        } else {
          self[place] = try Self.line(of: inode, attributes, in: files)
        }
      }
    }
  }
}

extension Tree {
  /// In what the tree differs from the last of some others, for people.
  func difference(from others: ArraySlice<Tree>) -> String {
    guard let other = others.last else { return "there is nothing to compare with" }
    let paths = Set(keys).union(other.keys).sorted()
    return paths.filter { self[$0] != other[$0] }
      .map { "\($0): \(self[$0] ?? "missing") instead of \(other[$0] ?? "nothing")" }.joined(separator: "; ")
  }
}

extension FileSystem {
  /// The inode at a path of names with slashes before them.
  func inode(at path: String) throws -> InodeNumber {
    var current = InodeNumber.root
    for name in path.split(separator: "/") { current = try find(String(name), in: current).inode }
    return current
  }
}
