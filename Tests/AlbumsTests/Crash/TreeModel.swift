import Crypto
import Index
import SystemPackage
import Vault

@testable import Albums

/// What a file system shows, path by path: a line each, with everything but times and numbers of inodes.
typealias Tree = [String: String]

/// The tree that a workload should have made, kept by paths.
struct TreeModel {
  final class File {
    var mode: UInt32
    var content: [UInt8] = []
    var label: [UInt8] = []
    var links = 1
    private var line: String?
    init(mode: UInt32) { self.mode = mode }

    func change(_ body: (File) -> Void) {
      body(self)
      line = nil
    }
    var description: String {
      if let line { return line }
      let made = Tree.line(mode: mode, links: links, content: content, label: label)
      line = made
      return made
    }
  }

  private(set) var files: [String: File] = [:]
  private(set) var folders: Set<String> = [""]

  /// Regular files, in order.
  var paths: [String] { files.keys.sorted() }

  mutating func addFolder(_ path: String) { folders.insert(path) }
  mutating func addFile(_ path: String, mode: UInt32) { files[path] = File(mode: mode) }

  mutating func link(_ path: String, as new: String) {
    guard let file = files[path] else { return }
    file.change { $0.links += 1 }
    files[new] = file
  }

  mutating func remove(_ path: String) {
    files.removeValue(forKey: path)?.change { $0.links -= 1 }
    folders.remove(path)
  }

  /// Moves a file over whatever is there, or a folder with all that is in it.
  mutating func move(_ path: String, to new: String) {
    if let file = files.removeValue(forKey: path) {
      files[new]?.change { $0.links -= 1 }
      files[new] = file
      return
    }
    for (old, file) in files where old.hasPrefix(path + "/") {
      files[old] = nil
      files[new + old.dropFirst(path.count)] = file
    }
    for old in folders where old == path || old.hasPrefix(path + "/") {
      folders.remove(old)
      folders.insert(new + old.dropFirst(path.count))
    }
  }

  /// Whether nothing is in a folder.
  func isEmpty(_ folder: String) -> Bool {
    !files.keys.contains { $0.hasPrefix(folder + "/") } && !folders.contains { $0.hasPrefix(folder + "/") }
  }

  /// What should be there.
  var tree: Tree {
    var tree: Tree = [:]
    for folder in folders { tree[folder] = "folder" }
    for (path, file) in files { tree[path] = file.description }
    return tree
  }
}

extension Tree {
  private static let key = unsafe SecretBytes(count: 32) { unsafe $0.initializeMemory(as: UInt8.self, repeating: 1) }

  static func line(mode: UInt32, links: Int, content: [UInt8], label: [UInt8]) -> String {
    let hash = KeyedHash.identifier(of: key, context: "", data: content, count: 16)
    return "file \(mode) links \(links) size \(content.count) \(hash) label \(label)"
  }

  /// What a file system shows. Every byte of every file is read.
  init(of files: FileSystem) throws {
    self = ["": "folder"]
    var rest: [(path: String, folder: InodeNumber)] = [("", .root)]
    while let (path, folder) = rest.popLast() {
      for (name, inode) in try files.names(of: folder) {
        let attributes = try files.attributes(of: inode)
        let place = path + "/" + name
        if attributes.mode & FileKind.mask == FileKind.directory {
          self[place] = "folder"
          rest.append((place, inode))
        } else {
          self[place] = Self.line(
            mode: attributes.mode & 0o7777, links: Int(attributes.links), content: try files.get(inode),
            label: (try? files.extendedAttribute(Workload.label, of: inode)) ?? [])
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
