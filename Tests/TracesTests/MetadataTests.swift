import System
import TestSupport
import Testing

@testable import Traces

@Suite struct MetadataTests {
  /// A folder of a tree file of GVfs.
  private struct Node {
    var name: String
    var children: [Node] = []
  }

  /// A tree file, as metadata/metabuilder.c of GVfs writes it: header, then folders, and names after them.
  private func tree(_ root: Node) -> [UInt8] {
    var bytes: [UInt8] = [0xDA, 0x1A] + Array("meta".utf8) + [1, 0] + [UInt8](repeating: 0, count: 24)
    func put(_ value: Int, at place: Int) {
      bytes.replaceSubrange(place..<(place + 4), with: TestPNG.bigEndian(UInt32(value)))
    }
    func fill(_ node: Node, at entry: Int) {
      put(bytes.count, at: entry)
      bytes += Array(node.name.utf8) + [0]
      while bytes.count % 4 != 0 { bytes.append(0) }
      guard !node.children.isEmpty else { return }
      put(bytes.count, at: entry + 4)
      let list = bytes.count
      bytes += [UInt8](repeating: 0, count: 4 + 16 * node.children.count)
      put(node.children.count, at: list)
      for (index, child) in node.children.enumerated() { fill(child, at: list + 4 + 16 * index) }
    }
    let entry = bytes.count
    bytes += [UInt8](repeating: 0, count: 16)
    put(entry, at: 16)
    fill(root, at: entry)
    return bytes
  }

  private func nested(_ path: [Substring], _ last: [Node]) -> Node {
    guard let first = path.first else { return Node(name: "/", children: last) }
    let inner = nested(Array(path.dropFirst()), last)
    return Node(name: "/", children: [Node(name: String(first), children: inner.children)])
  }

  @Test func treesAndJournals() throws {
    let home = try TraceHome()
    let albums = Node(
      name: "Albums", children: [Node(name: "Iceland", children: [Node(name: "a b.jpg")]), Node(name: "Wedding")])
    let others = Node(name: "Albums2", children: [Node(name: "x")])
    let parts = home.folder.path.split(separator: "/")
    try home.write(tree(nested(Array(parts), [others, albums])), to: ".local/share/gvfs-metadata/root")
    try home.write(tree(Node(name: "/", children: [others, albums])), to: ".local/share/gvfs-metadata/home")
    try home.write(tree(Node(name: "/", children: [others])), to: ".local/share/gvfs-metadata/uuid-1")
    try home.write(
      [0xDA, 0x1A] + Array("jour".utf8) + [1, 0, 0x6B, 0x2F, 0xE3, 0x03, 1]
        + Array("\(home.albums)/Wedding\0key\0/elsewhere\0\u{4}\(home.albums)3\0/x\(home.albums)\0".utf8),
      to: ".local/share/gvfs-metadata/root-12345678.log")
    let before = home.state()
    let found = home.findings(.metadata)
    #expect(home.state() == before)
    #expect(found.map { String(decoding: $0.file.suffix(8), as: UTF8.self) } == ["ata/home", "ata/root", "5678.log"])
    let names = ["", "/Iceland", "/Iceland/a b.jpg", "/Wedding"].map { Array((home.albums + $0).utf8) }
    for finding in found.prefix(2) { #expect(Set(finding.names) == Set(names)) }
    #expect(found[2].names == [Array((home.albums + "/Wedding").utf8)])
    #expect(found.allSatisfy { $0.removal == nil && $0.reveals == .names })
  }

  /// Any byte may be wrong; the walk ends, and stays in the file.
  @Test func hostileTrees() throws {
    let whole = tree(nested(["a", "b"], [Node(name: "c", children: [Node(name: "d")])]))
    var generator = TestLength.generator()
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        bytes[Int.random(in: 6..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      bytes.removeLast(Int.random(in: 0...(bytes.count / 2), using: &generator))
      _ = MetadataTree(bytes)?.paths(below: Array("a/b".utf8), most: 1000)
    }
    // One that leads back to itself.
    var loop = whole
    let entry = 32
    loop.replaceSubrange((entry + 4)..<(entry + 8), with: TestPNG.bigEndian(UInt32(entry - 4)))
    loop.replaceSubrange((entry - 4)..<entry, with: TestPNG.bigEndian(1))
    #expect((MetadataTree(loop)?.paths(below: [], most: 1000).count ?? 0) <= 2)
  }
}
