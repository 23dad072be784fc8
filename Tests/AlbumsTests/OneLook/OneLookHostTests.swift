import Testing

/// One look (OneLookTests.swift) at vaults in memory.
@Suite struct OneLookInMemoryTests {
  @Test func nothingTells() throws { try OneLookTests().look(at: nil) }
}

/// One look at vaults on ext4.
@Suite struct OneLookOnExt4Tests {
  @Test(.enabled(if: OneLookTests.ext4, "needs root, loop devices and ext4"))
  func nothingTells() throws { try OneLookTests().look(at: "ext4", declared: true) }
}

/// One look at vaults on XFS.
@Suite struct OneLookOnXFSTests {
  @Test(.enabled(if: OneLookTests.xfs, "needs root, loop devices, XFS and xfsprogs"))
  func nothingTells() throws { try OneLookTests().look(at: "xfs") }
}

/// One look at vaults on btrfs. There a copy that shares blocks tells, by the pieces of files; on XFS none was seen to.
@Suite struct OneLookOnBtrfsTests {
  @Test(.enabled(if: OneLookTests.btrfs, "needs root, loop devices, btrfs and btrfs-progs"))
  func nothingTells() throws { try OneLookTests().look(at: "btrfs", sharing: OneLookTests.sharing) }
}
