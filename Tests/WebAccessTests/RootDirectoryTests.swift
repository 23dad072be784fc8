import System
import Testing

@testable import WebAccess

@Suite struct RootDirectoryTests {
  private let table = MountTable(
    parsing: Array(
      """
      45 27 0:41 / /home/a\\040b rw,nosuid,nodev - fuse.agonyfs /home/a/Vault rw,user_id=1004,group_id=7,allow_other
      46 27 0:42 / /tmp/b rw,nosuid,nodev shared:5 master:2 - fuse.agonyfs /home/a/Vault rw,user_id=10,group_id=1004
      47 27 0:43 / /mnt rw - ext4 user_id=1004 rw,user_id=1004
      48 27 259:300 / /d rw - fuse x rw,user_id=1004,group_id=7
      odd

      """.utf8))

  /// A mount counts for the user who made it, whatever its type and source are called.
  @Test func aMountIsOfTheUserWhoMadeIt() {
    let devices: [UInt64] = [41, 42, 43, 44, 0x11032C]
    let users: [UInt32] = [1004, 10, 7, 0]
    let found = devices.map { device in users.filter { RootDirectory.isMounted(device, by: $0, in: table) } }
    #expect(found == [[1004], [10], [], [], [1004]])
    #expect(!RootDirectory.isMounted(41, by: 1004, in: MountTable(parsing: [])))
  }
}
