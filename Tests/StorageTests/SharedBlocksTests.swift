import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

/// Files that share their blocks with a copy, as `cp` makes it on XFS, and are written over.
@Suite struct SharedBlocksTests {
  private static let xfs = LoopImage.canBe("xfs")
  private static let size = 4 << 20
  private let old = SegmentIdentifier.numbered(1)
  private let new = SegmentIdentifier.numbered(2)

  /// What is written goes elsewhere, so it needs room. That is known before, not in the middle.
  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"))
  func roomIsHeldForThem() throws {
    let image = try LoopImage("xfs")
    let storage = try DirectoryStorage.make(at: image.path + "/vault")
    let (before, after) = (randomBytes(Self.size), randomBytes(Self.size, seed: 2))
    try storage.put(old, before)
    try storage.replaceParameters(with: [1])
    try run("cp -r --reflink=always vault copy; fallocate -l 8M spare", in: image)
    try fill(image)

    let refused = try storage.reuse(old, as: nil, size: Self.size)
    #expect(throws: Errno.noSpace) { try refused.hold(upTo: Self.size) }
    // The rest of the copy is as before, and a file that is whole again shares nothing.
    try run("rm spare; cp --reflink=always copy/segments/\(old.path) vault/segments/\(old.path)", in: image)
    let writer = try storage.reuse(old, as: new, size: Self.size)
    try writer.hold(upTo: Self.size)
    try fill(image)
    // It is as long as a new file would be.
    try writer.put(Array(after[..<200]), at: 0)
    #expect(try writer.size() == 200)
    for offset in stride(from: 0, to: Self.size, by: 1 << 20) {
      try writer.put(Array(after[offset..<offset + 1 << 20]), at: offset)
    }
    try writer.finish()
    try writer.flush()
    #expect(try storage.content(of: new) == after)
    #expect(try DirectoryStorage(path: FilePath(image.path + "/copy")).content(of: old) == before)
  }

  /// A file that shares nothing needs no room.
  @Test(.enabled(if: xfs, "needs root, loop devices, XFS and xfsprogs"))
  func aFullDiskIsNoHindranceToOthers() throws {
    let image = try LoopImage("xfs")
    let storage = try DirectoryStorage.make(at: image.path + "/vault")
    try storage.put(old, randomBytes(Self.size))
    try run("cp -r --reflink=always vault copy; rm -r copy", in: image)
    try fill(image)
    let writer = try storage.reuse(old, as: new, size: Self.size)
    try writer.hold(upTo: Self.size)
    let content = randomBytes(Self.size, seed: 3)
    try writer.put(content, at: 0)
    try writer.finish()
    try writer.flush()
    #expect(try storage.content(of: new) == content)
  }

  /// Takes all room that is left.
  private func fill(_ image: LoopImage) throws {
    try run(
      """
      mkdir -p ballast; n=$(ls ballast | wc -l)
      for size in 64M 4M 256K 4K; do while fallocate -l $size ballast/$n; do n=$((n+1)); done; done
      """, in: image)
  }

  private func run(_ script: String, in image: LoopImage) throws {
    let outcome = try Outcome("/bin/sh", arguments: ["-ec", "cd \(image.path)\n" + script], limit: 100)
    try #require(outcome.status == 0, "\(outcome)")
  }
}
