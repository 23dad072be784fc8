import AlbumsSupport
import Index
import Vault

@testable import Albums

/// What a file system should hold: the simplest thing that can be compared with.
final class ModelFileSystem {
  final class Node {
    let number: InodeNumber
    /// The type bits of a mode.
    let kind: UInt32
    var permissions: UInt32 { didSet { line = nil } }
    /// Names of a file; of a directory 2, and one more for each directory in it.
    fileprivate(set) var links: Int { didSet { line = nil } }
    var content: [UInt8] = [] { didSet { line = nil } }
    var target: [UInt8] = []
    fileprivate(set) var children: [FileName: Node] = [:]
    var attributes: [[UInt8]: [UInt8]] = [:] { didSet { line = nil } }
    fileprivate(set) weak var parent: Node?
    /// What a tree says of a file, until that changes.
    private var line: String?

    init(_ number: InodeNumber, kind: UInt32, permissions: UInt32) {
      self.number = number
      self.kind = kind
      self.permissions = permissions
      links = kind == FileKind.directory ? 2 : 0
    }

    var isDirectory: Bool { kind == FileKind.directory }
    var isRegular: Bool { kind == FileKind.regular }

    /// What a tree says of it.
    var description: String {
      if isDirectory { return Tree.folder }
      if let line { return line }
      let made = Tree.line(mode: permissions, links: links, content: content, label: attributes[Workload.label] ?? [])
      line = made
      return made
    }

    func write(_ bytes: [UInt8], at offset: Int) {
      if content.count < offset + bytes.count { resize(to: offset + bytes.count) }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    func resize(to size: Int) {
      if size < content.count {
        content.removeLast(content.count - size)
      } else {
        content += [UInt8](repeating: 0, count: size - content.count)
      }
    }
  }

  let root = Node(.root, kind: FileKind.directory, permissions: 0o755)

  /// All directories, in an order that depends on nothing but the operations so far.
  var directories: [Node] { all.filter(\.isDirectory) }

  /// Every node with a name, once, in the order of numbers.
  var all: [Node] {
    var found: [InodeNumber: Node] = [:]
    visit { _, node in found[node.number] = node }
    return found.values.sorted { $0.number < $1.number }
  }

  func isInside(_ node: Node, _ ancestor: Node) -> Bool {
    var current: Node? = node
    while let here = current {
      if here === ancestor { return true }
      current = here.parent
    }
    return false
  }

  /// Gives a node a name, which is free.
  func add(_ node: Node, _ name: FileName, to directory: Node) {
    directory.children[name] = node
    if node.isDirectory {
      directory.links += 1
      node.parent = directory
    } else {
      node.links += 1
    }
  }

  /// Takes a name away, if it is there.
  func remove(_ name: FileName, from directory: Node) {
    guard let node = directory.children.removeValue(forKey: name) else { return }
    if node.isDirectory { directory.links -= 1 } else { node.links -= 1 }
  }

  /// Calls `body` with every name's path and its node, and with "" and the root.
  private func visit(_ body: (String, Node) -> Void) {
    var rest = [("", root)]
    while let (path, node) = rest.popLast() {
      body(path, node)
      for (name, child) in node.children { rest.append((path + "/" + name.description, child)) }
    }
  }
}

/// Nodes by paths: names with a slash before each; "" is the root.
extension ModelFileSystem {
  /// The node at a path.
  func node(at path: String) -> Node? {
    var node: Node? = root
    for name in path.split(separator: "/") { node = node?.children[.of(String(name))] }
    return node
  }

  /// Whether a directory is there.
  func hasFolder(at path: String) -> Bool { node(at: path)?.isDirectory == true }

  /// The paths of regular files, in order.
  var paths: [String] { paths { $0.isRegular } }

  /// The paths of directories but the root, in order.
  var folders: [String] { paths { $0.isDirectory && $0 !== root } }

  private func paths(of isWanted: (Node) -> Bool) -> [String] {
    var found: [String] = []
    visit { path, node in if isWanted(node) { found.append(path) } }
    return found.sorted()
  }

  func add(_ node: Node, at path: String) {
    guard let (parent, name) = split(path) else { return }
    add(node, name, to: parent)
  }

  func remove(_ path: String) {
    guard let (parent, name) = split(path) else { return }
    remove(name, from: parent)
  }

  /// Moves a node over whatever is there.
  func move(_ path: String, to new: String) {
    guard let node = node(at: path) else { return }
    remove(path)
    remove(new)
    add(node, at: new)
  }

  private func split(_ path: String) -> (parent: Node, name: FileName)? {
    let parts = path.split(separator: "/")
    guard let name = parts.last,
      let parent = node(at: parts.dropLast().map { "/" + $0 }.joined())
    else { return nil }
    return (parent, .of(String(name)))
  }

  /// What a file system should show.
  var tree: Tree {
    var tree: Tree = [:]
    visit { path, node in tree[path] = node.description }
    return tree
  }
}
