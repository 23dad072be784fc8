import Index
import Vault

/// What a file system should hold: the simplest thing that can be compared with.
final class ModelFileSystem {
  final class Node {
    let number: InodeNumber
    let kind: UInt32
    var permissions: UInt32
    var links: Int
    var content: [UInt8] = []
    var target: [UInt8] = []
    var children: [FileName: Node] = [:]
    var attributes: [[UInt8]: [UInt8]] = [:]
    weak var parent: Node?
    init(_ number: InodeNumber, kind: UInt32, permissions: UInt32) {
      self.number = number
      self.kind = kind
      self.permissions = permissions
      links = kind == 0o040000 ? 2 : 1
    }
    var isDirectory: Bool { kind == 0o040000 }
    var isRegular: Bool { kind == 0o100000 }
  }

  let root = Node(.root, kind: 0o040000, permissions: 0o755)
  /// Unlinked files that are still open.
  var orphans: [Node] = []

  /// All directories, in an order that depends on nothing but the operations so far.
  var directories: [Node] { all.filter(\.isDirectory) }

  /// Every node with a name, once, in the order of numbers.
  var all: [Node] {
    var found: [InodeNumber: Node] = [.root: root]
    var rest = [root]
    while let directory = rest.popLast() {
      for child in directory.children.values where found[child.number] == nil {
        found[child.number] = child
        if child.isDirectory { rest.append(child) }
      }
    }
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

  func add(_ node: Node, _ name: FileName, to directory: Node) {
    directory.children[name] = node
    if node.isDirectory {
      directory.links += 1
      node.parent = directory
    }
  }

  func remove(_ name: FileName, from directory: Node) {
    guard let node = directory.children.removeValue(forKey: name) else { return }
    if node.isDirectory { directory.links -= 1 } else { node.links -= 1 }
  }

  static func write(_ bytes: [UInt8], to node: Node, at offset: Int) {
    if node.content.count < offset + bytes.count { resize(node, to: offset + bytes.count) }
    node.content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }

  static func resize(_ node: Node, to size: Int) {
    if size < node.content.count {
      node.content.removeLast(node.content.count - size)
    } else {
      node.content += [UInt8](repeating: 0, count: size - node.content.count)
    }
  }
}
