import Testing

@testable import Mount

@Suite struct MountOptionsTests {
  @Test func thumbnailsNeedAFilterUnlessToldOtherwise() throws {
    #expect(MountOptions().requiresDecoderSandbox)
    #expect(try !MountOptions(["decoder-sandbox=preferred"]).requiresDecoderSandbox)
    #expect(try MountOptions(["decoder-sandbox=preferred,decoder-sandbox=required"]).requiresDecoderSandbox)
  }

  @Test func decodersAreANumberThatMakesSense() throws {
    #expect(MountOptions().decoders == nil)
    #expect(try MountOptions(["decoders=1"]).decoders == 1)
    #expect(try MountOptions(["decoders=4,decoders=256"]).decoders == 256)
    #expect(throws: MountOptionError.valueMissing("decoders")) { try MountOptions(["decoders"]) }
    for value in ["", "0", "257", "-1", "+1", "1.5", "many", "١", "99999999999999999999"] {
      #expect(throws: MountOptionError.outOfRange(name: "decoders", value: value, allowed: 1...256)) {
        try MountOptions(["decoders=\(value)"])
      }
    }
  }

  @Test func aTableOfTownsIsNamedByAWholePath() throws {
    #expect(MountOptions().placesFile == nil)
    #expect(try MountOptions(["places=/a/cities500.txt"]).placesFile == "/a/cities500.txt")
    #expect(throws: MountOptionError.notAbsolute(name: "places", value: "a.txt")) { try MountOptions(["places=a.txt"]) }
    #expect(throws: MountOptionError.valueMissing("places")) { try MountOptions(["places"]) }
  }

  @Test func defaultsAreSafe() throws {
    let options = MountOptions()
    #expect(!options.isReadOnly && !options.allowsOthers && !options.allowsSetUser && !options.allowsDevices)
    #expect(options.allowsExecution)
    let words = Set(options.libraryList.split(separator: ",").map(String.init))
    let expected: Set = [
      "default_permissions", "noatime", "max_read=524288", "fsname=agonyfs", "subtype=agonyfs", "rw", "nosuid",
      "nodev", "exec",
    ]
    #expect(words == expected)
  }

  @Test func laterWordsOverride() throws {
    let options = try MountOptions(["ro,suid,dev,noexec", "rw,nodev"])
    #expect(!options.isReadOnly && options.allowsSetUser && !options.allowsDevices && !options.allowsExecution)
  }

  @Test func usersImplyWhatMountSays() throws {
    let options = try MountOptions(["dev,suid,user", "exec"])
    #expect(!options.allowsDevices && !options.allowsSetUser && options.allowsExecution)
  }

  @Test func whatAnFstabLineHolds() throws {
    let options = try MountOptions([
      "noauto,nofail,_netdev,users,x-systemd.automount,x-gvfs-name=Albums,X-mount.mkdir,noatime,relatime,nodiratime,"
        + "defaults,default_permissions,allow_other,nonempty,passfile=/etc/agonyfs.key,idle=15m,fsname=mine"
    ])
    #expect(options.passwordFile == "/etc/agonyfs.key")
    #expect(options.idle == .seconds(900))
    #expect(options.allowsOthers && options.allowsNonEmpty)
    #expect(options.sourceName == "mine")
  }

  @Test func bothNamesOfThePasswordFile() throws {
    #expect(try MountOptions(["password-file=/a=b"]).passwordFile == "/a=b")
    #expect(try MountOptions([#"passfile=/a\,b\\c\d"#]).passwordFile == #"/a,b\c\d"#)
  }

  @Test(arguments: [
    ("frobnicate", MountOptionError.unknown("frobnicate")),
    ("ro,frob=1", .unknown("frob")),
    ("remount", .remount),
    ("remount,ro", .remount),
    ("passfile", .valueMissing("passfile")),
    ("idle", .valueMissing("idle")),
    ("fsname=", .valueMissing("fsname")),
    ("idle=soon", .malformedDuration("soon")),
    ("uid=1000", .ownersAreKept("uid")),
    ("umask=077", .ownersAreKept("umask")),
  ])
  func refusals(list: String, error: MountOptionError) {
    #expect(throws: error) { try MountOptions([list]) }
  }

  @Test func refusalsNameTheWord() {
    #expect(MountOptionError.unknown("frob").description.contains("\"frob\""))
    #expect(MountOptionError.malformedDuration("soon").description.contains("\"soon\""))
  }

  @Test func emptyWordsAreNothing() throws {
    #expect(try MountOptions(["", ",,ro,"]) == MountOptions(["ro"]))
  }

  @Test(arguments: [
    ("90", Duration.seconds(90)), ("90s", .seconds(90)), ("15m", .seconds(900)), ("2h", .seconds(7200)),
    ("1d", .seconds(86_400)), ("0", .zero),
  ])
  func durations(text: String, duration: Duration) throws {
    #expect(try MountOptions.duration(text) == duration)
  }

  @Test(arguments: ["", "m", "-1", "1.5h", "15 m", "15M", "99999999999999999999", "9999999d", "١m"])
  func noDurations(text: String) {
    #expect(throws: MountOptionError.malformedDuration(text)) { try MountOptions.duration(text) }
  }

  @Test func idleOfZeroIsNone() throws {
    #expect(try MountOptions(["idle=10", "idle=0"]).idle == nil)
  }

  @Test func namesAreEscapedForTheLibrary() throws {
    var options = MountOptions()
    options.sourceName = #"a,b\c"#
    #expect(options.libraryList.contains(#"fsname=a\,b\\c,"#))
    // A mark on a comma belongs to it for who reads, not for who splits.
    options.sourceName = ",\u{301}"
    #expect(options.libraryList.contains("fsname=\\,\u{301},"))
  }

  @Test func allowOtherIncludesRoot() throws {
    let both = try MountOptions(["allow_root,allow_other"]).libraryList
    #expect(both.contains("allow_other") && !both.contains("allow_root"))
    #expect(try MountOptions(["allow_root"]).libraryList.contains("allow_root"))
  }
}
