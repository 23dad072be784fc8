import Testing

@testable import Mount

@Suite struct MountedPlacesTests {
  @Test func mountPointsOfATable() {
    let table = """
      # /home/me/Old /home/me/Old agonyfs defaults 0 0
      UUID=1 / ext4 defaults 0 1

      /home/me/Vault\t/home/me/My\\040Albums  fuse.agonyfs noauto,passfile=/root/pw 0 0
      /home/me/Other /home/me/Other\u{20}agonyfs
      """
    let found = MountedPlaces.inTable(Array(table.utf8)).map { String(decoding: $0, as: UTF8.self) }
    #expect(found == ["/home/me/My Albums", "/home/me/Other"])
  }

  @Test func nothingIsMountedAtMostPlaces() {
    #expect(!MountedPlaces.isBare(Array("/".utf8)))
    #expect(MountedPlaces.isBare(Array("/nothing/is/here".utf8)))
  }
}
