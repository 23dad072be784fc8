import System
import TestSupport
import Testing

@testable import Traces

/// Checks of the system, by made trees of /proc, /sys and /etc.
@Suite struct SystemCheckTests {
  /// A machine of which nothing is to be said: its files, and what a test changes.
  private func topics(
    _ changes: [String: String] = [:], openPlaces: [String] = [], home files: [String: String] = [:],
    vaults: [String] = [], lockedMemory: String? = nil
  ) throws -> [SystemNote.Topic] {
    let home = try TraceHome()
    var system = [
      "proc/swaps": "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
      "proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 quiet\n", "proc/sys/kernel/core_pattern": "core\n",
      "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n", "sys/kernel/security/lsm": "lockdown,capability,landlock,yama\n",
      "proc/77/limits": "Limit                     Soft Limit           Hard Limit           Units\n"
        + "Max core file size        0                    unlimited            bytes\n",
      "sys/power/state": "freeze mem disk\n", "sys/power/disk": "[platform] shutdown reboot\n",
      "sys/power/resume": "0:0\n",
      "etc/fuse.conf": "# user_allow_other\nmount_max = 10\n",
      "etc/updatedb.conf":
        "PRUNE_BIND_MOUNTS=\"yes\"\nPRUNEPATHS=\"/tmp /var/spool\"\nPRUNEFS=\"NFS fuse.gocryptfs\"\n",
      "proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 254:0 / /crypt rw shared:1 - ext4 /dev/dm-0 rw\n"
        + "3 1 0:30 / /btrfs rw - btrfs /dev/mapper/home rw\n",
      "sys/class/block/sda1/size": "1", "sys/class/block/sda2/size": "1", "sys/dev/block/8:1/size": "1",
      "sys/class/block/dm-0/dm/uuid": "CRYPT-LUKS2-0123-home\n", "sys/class/block/dm-0/dm/name": "home\n",
      "sys/dev/block/254:0/dm/uuid": "CRYPT-LUKS2-0123-home\n",
      "sys/class/block/dm-1/dm/uuid": "LVM-0123\n", "sys/class/block/dm-1/dm/name": "vg-swap\n",
      "sys/class/block/dm-1/slaves/dm-0/size": "1", "sys/class/block/dm-2/dm/uuid": "LVM-4567\n",
      "sys/class/block/dm-2/slaves/dm-0/size": "1", "sys/class/block/dm-2/slaves/sda2/size": "1",
      "sys/class/block/zram0/size": "1", "sys/class/block/loop0/loop/backing_file": "/crypt/image\n",
      "sys/class/block/loop1/loop/backing_file": "/image\n",
    ]
    system.merge(changes) { $1 }
    for (name, text) in system { try home.write(text, to: "system/\(name)") }
    for (name, text) in files { try home.write(text, to: name) }
    let subject = SystemSubject(
      home: home.home, places: SearchedPlaces([Array(home.albums.utf8)]),
      openPlaces: SearchedPlaces(openPlaces.map { Array($0.utf8) }),
      vaults: SearchedPlaces(vaults.map { Array(($0.hasPrefix("/") ? $0 : home.folder.path($0)).utf8) }), shell: 77,
      lockedMemory: lockedMemory)
    let notes = SystemChecks.notes(SystemView(root: home.folder.path("system")), subject)
    for note in notes { #expect(note.text.hasSuffix(".") && !note.text.contains("\n")) }
    return notes.map(\.topic)
  }

  @Test func nothingIsSaidOfAGoodMachine() throws {
    #expect(try topics() == [])
    let home = try TraceHome()
    let subject = SystemSubject(
      home: home.home, places: SearchedPlaces([]), openPlaces: SearchedPlaces([]), shell: 1, lockedMemory: nil)
    #expect(SystemChecks.notes(SystemView(root: home.folder.path("none")), subject) == [], "no file can be read")
  }

  @Test(arguments: [
    ("/dev/sda2 partition", false), ("/dev/zram0 partition", true), ("/dev/dm-0 partition", true),
    ("/dev/mapper/home partition", true), ("/dev/dm-1 partition", true), ("/dev/mapper/vg-swap partition", true),
    ("/dev/dm-2 partition", false), ("/dev/loop0 partition", true), ("/dev/loop1 partition", false),
    ("/swapfile file", false), ("/crypt/swap\\040file file", true), ("/cryptic file", false),
    ("/btrfs/swap file", true),
    ("/dev/unknown partition", false), ("/dev/mapper/unknown partition", false),
  ])
  func swap(_ line: String, isProtected: Bool) throws {
    let text = "Filename Type Size Used Priority\n\(line)\t1\t0\t-2\n"
    #expect(try topics(["proc/swaps": text]) == (isProtected ? [] : [.swap]))
  }

  @Test func swapInMemoryThatWritesToADisk() throws {
    let swaps = "Filename Type\n/dev/zram0 partition 1 0 1\n"
    #expect(try topics(["proc/swaps": swaps, "sys/class/block/zram0/backing_dev": "none\n"]) == [])
    #expect(try topics(["proc/swaps": swaps, "sys/class/block/zram0/backing_dev": "/dev/sda2\n"]) == [.swap])
    #expect(try topics(["proc/swaps": swaps, "sys/class/block/zram0/backing_dev": "/dev/dm-0\n"]) == [])
  }

  @Test func hibernation() throws {
    #expect(try topics(["sys/power/resume": "8:2\n"]) == [.hibernation])
    #expect(try topics(["proc/cmdline": "quiet resume=UUID=0123\n"]) == [.hibernation])
    #expect(try topics(["proc/cmdline": "resume=UUID=0123 noresume\n"]) == [])
    #expect(try topics(["sys/power/resume": "8:2\n", "sys/power/disk": "[disabled]\n"]) == [])
    #expect(try topics(["sys/power/resume": "8:2\n", "sys/power/state": "freeze mem\n"]) == [])
  }

  @Test func locate() throws {
    #expect(try topics(openPlaces: ["/srv/photos"]) == [.locate])
    #expect(try topics(["etc/updatedb.conf": "PRUNEFS = \"nfs Fuse.agonyfs\"\n"], openPlaces: ["/srv/photos"]) == [])
    #expect(try topics(["etc/updatedb.conf": "# PRUNEFS=\"fuse.agonyfs\"\n"], openPlaces: ["/srv/photos"]) == [.locate])
    #expect(try topics(["etc/updatedb.conf": "PRUNEPATHS=\"/srv\"\n"], openPlaces: ["/srv/photos"]) == [])
  }

  @Test func indexers() throws {
    #expect(try topics(["usr/bin/balooctl": "x"]) == [.indexer])
    let settings = ".config/baloofilerc"
    #expect(try topics(home: [settings: "[Basic Settings]\nIndexing-Enabled=false\n"]) == [])
    #expect(try topics(home: [settings: "[General]\n"]) == [.indexer])
    #expect(try topics(home: [settings: "[General]\nexclude folders[$e]=$HOME/x/,$HOME/Albums/\n"]) == [])
    #expect(try topics(home: [settings: "[General]\nfolders[$e]=$HOME/Documents/\n"]) == [])
    #expect(
      try topics(home: [settings: "[General]\nfolders[$e]=$HOME/\nexclude folders[$e]=$HOME/Alb\n"]) == [.indexer])
    let old = "usr/libexec/tracker-miner-fs"
    #expect(try topics([old: "x"]) == [])
    #expect(
      try topics([old: "x"], home: [".config/user-dirs.dirs": "XDG_PICTURES_DIR=\"$HOME/Albums\"\n"]) == [.indexer])
    #expect(try topics([old: "x"], home: [".config/user-dirs.dirs": "XDG_PICTURES_DIR=\"$HOME/\"\n"]) == [])
  }

  /// Lists of the names of a vault's files. Without a slash at the beginning a vault is in the home directory.
  @Test func locateListsVaults() throws {
    let database = ["var/lib/plocate/CACHEDIR.TAG": "x"]
    func topics(_ changes: [String: String] = [:], _ vault: String = "/srv/Vault") throws -> [SystemNote.Topic] {
      try self.topics(database.merging(changes) { $1 }, vaults: [vault])
    }
    #expect(try self.topics(vaults: ["/srv/Vault"]) == [], "there is no database")
    #expect(try topics() == [.locate])
    #expect(try topics(["etc/updatedb.conf": "PRUNEPATHS=\"/tmp /srv/Vault\"\n"]) == [])
    #expect(try topics(["etc/updatedb.conf": "PRUNEPATHS=\"/srv/Vaul\"\n"]) == [.locate])
    #expect(try topics(["etc/updatedb.conf": "PRUNEPATHS=\"/srv\"\n"]) == [])
    #expect(try topics(["etc/updatedb.conf": "PRUNENAMES=\".git Vault\"\n"]) == [])
    #expect(try topics(["etc/updatedb.conf": "PRUNEFS=\"btrfs\"\n"]) == [.locate])
    #expect(try topics(["etc/updatedb.conf": "PRUNEFS=\"BTRFS\"\n"], "/btrfs/Vault") == [])
  }

  @Test func indexersListVaults() throws {
    let baloo = [".config/baloofilerc": "[General]\nfolders[$e]=$HOME/\nexclude folders[$e]=$HOME/Albums/\n"]
    #expect(try topics(home: baloo) == [])
    #expect(try topics(home: baloo, vaults: ["Vault"]) == [.indexer])
    #expect(try topics(home: baloo, vaults: ["Albums/Vault"]) == [])
    #expect(try topics(home: baloo, vaults: [".local/Vault"]) == [])
    #expect(try topics(home: baloo, vaults: ["/srv/Vault"]) == [])
    let tracker = ["usr/libexec/localsearch-3": "x"]
    #expect(try topics(tracker, vaults: ["Pictures/Vault"]) == [.indexer])
    #expect(try topics(tracker, vaults: ["Vault"]) == [], "of the home directory it lists the first level")
    #expect(try topics(tracker, vaults: ["Pictures/.own/Vault"]) == [])
    #expect(try topics(tracker, home: ["Pictures/own/.trackerignore": ""], vaults: ["Pictures/own/Vault"]) == [])
    #expect(try topics(tracker, home: ["Pictures/own/.trackerignore": ""], vaults: ["Pictures/Vault"]) == [.indexer])
    #expect(try topics(vaults: ["Pictures/Vault"]) == [])
  }

  @Test func coreDumps() throws {
    let pattern = "proc/sys/kernel/core_pattern"
    let systemd = "|/usr/lib/systemd/systemd-coredump %P %u %g\n"
    #expect(try topics([pattern: systemd]) == [.core])
    #expect(try topics([pattern: systemd, "etc/systemd/coredump.conf": "[Coredump]\n#Storage=none\n"]) == [.core])
    #expect(try topics([pattern: systemd, "etc/systemd/coredump.conf": "[Coredump]\nStorage = none\n"]) == [])
    #expect(
      try topics([
        pattern: systemd, "etc/systemd/coredump.conf": "Storage=none\n",
        "etc/systemd/coredump.conf.d/9.conf": "Storage=external\n",
      ]) == [.core])
    #expect(try topics([pattern: "|/usr/share/apport/apport %p\n"]) == [.core])
    #expect(try topics([pattern: "|/bin/false\n"]) == [])
    #expect(try topics(["proc/77/limits": "Max core file size        unlimited    unlimited   bytes\n"]) == [.core])
  }

  @Test func kernelAndLimits() throws {
    #expect(try topics(["etc/fuse.conf": "user_allow_other\n"]) == [.fuse])
    #expect(try topics(["sys/kernel/security/lsm": "lockdown,capability,yama\n"]) == [.landlock])
    #expect(
      try topics(["sys/kernel/security/lsm": "", "proc/sys/kernel/osrelease": "5.10.0-28-amd64\n"]) == [.landlock])
    #expect(try topics(["sys/kernel/security/lsm": "", "proc/sys/kernel/osrelease": "5.13.0\n"]) == [])
    #expect(try topics(lockedMemory: "Only 64 KiB may be locked.") == [.memory])
  }

  @Test func hostileTables() throws {
    for text in ["", "\n\n\n", "a\n b\n\\777 file\n", "x\n/dev/\\04 partition", String(repeating: "\\", count: 9000)] {
      _ = try topics(["proc/swaps": text, "proc/self/mountinfo": text, "etc/updatedb.conf": text], openPlaces: ["/x"])
    }
  }
}
