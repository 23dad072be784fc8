import ArgumentParser
import SystemPackage
import Testing

@testable import agonyfs

/// What a private session sees, as data; and its command line.
@Suite struct RunPlanTests {
  private let places = SessionPlaces(
    home: "/home/me", vanishing: ["/tmp", "/var/tmp", "/dev/shm", "/run/user/7"], hidden: ["/run/dbus"],
    sockets: ["/tmp/.X11-unix", "/run/user/7/wayland-0"], kept: ["/home/me/Print", "/tmp/Vault"],
    mounts: ["/home/me/disk", "/home/me/Print/disk"], source: "/dev/shm/agonyfs", album: "/home/me/Albums")

  @Test func copiesComeBeforeEverythingIsReadOnlyAndCoveredAndWhatIsShownAfter() throws {
    let steps = SessionPlan(places).steps
    let freeze = try #require(steps.firstIndex(of: .freeze))
    for (index, step) in steps.enumerated() {
      switch step {
      case .copy, .keepLower: #expect(index < freeze)
      case .memory, .empty, .overlay, .show, .processes: #expect(index > freeze)
      case .freeze: break
      }
    }
    let lastCover = try #require(
      steps.lastIndex { if case .empty = $0 { true } else { $0 == .overlay("/home/me") } })
    let firstShown = try #require(steps.firstIndex { if case .show = $0 { true } else { false } })
    #expect(lastCover < firstShown)
    #expect(steps.last == .processes)
  }

  @Test func onlyWhatIsKeptAndTheSpaceCanBeWritten() {
    let writable = SessionPlan(places).steps.compactMap { step in
      if case .copy(let path, false) = step { path } else { FilePath?.none }
    }
    #expect(Set(writable) == ["/dev/shm/agonyfs", "/home/me/Print", "/tmp/Vault"])
    // A file system inside a directory that stays is a part of it.
    #expect(!SessionPlan(places).steps.contains(.copy("/home/me/Print/disk", isFrozen: true)))
    #expect(SessionPlan(places).steps.contains(.copy("/home/me/disk", isFrozen: true)))
  }

  @Test func aDirectoryComesBeforeWhatLiesInIt() {
    var places = places
    places.home = "/tmp/home"
    places.vanishing.append("/tmp/home/run")
    places.kept.append("/tmp/home/run/kept")
    places.album = "/tmp/home/run/kept2/Albums"
    var covered: [FilePath] = []
    for step in SessionPlan(places).steps {
      switch step {
      case .empty(let path, _), .overlay(let path), .show(_, let path):
        #expect(!covered.contains { $0 != path && $0.starts(with: path) }, "\(path) hides \(covered)")
        covered.append(path)
      default: break
      }
    }
    #expect(covered.count == places.vanishing.count + 1 + 1 + 2 + 3 + 1 + 1)
  }

  @Test func withoutAHomeThereIsNoOverlay() {
    var places = places
    places.home = nil
    #expect(!SessionPlan(places).steps.contains { if case .overlay = $0 { true } else { false } })
  }

  @Test func theMountIsWhereNothingNeededIs() {
    let candidates: [FilePath] = ["/dev/shm", "/mnt", "/srv"]
    #expect(SessionPlaces.stage(among: candidates, needed: ["/home/me/Vault"]) == "/dev/shm")
    #expect(SessionPlaces.stage(among: candidates, needed: ["/dev/shm/Vault", "/mnt"]) == "/srv")
    #expect(SessionPlaces.stage(among: candidates, needed: ["/dev/shmoo", "/dev"]) == "/dev/shm")
    #expect(SessionPlaces.stage(among: ["/mnt"], needed: ["/mnt/Vault"]) == nil)
  }

  @Test func theSpaceHidesNothingThatStays() {
    var places = places
    #expect(places.conflict == nil)
    for album: FilePath in ["/home/me/Print", "/home/me/Print/x", "/home/me", "/tmp/Vault/segments"] {
      places.album = album
      #expect(places.conflict != nil, "\(album)")
    }
  }

  @Test func whatAProgramNeedsIsKnown() throws {
    var places = places
    let shell = SessionProgram.needed(by: [Array("sh".utf8), Array("-c".utf8)])
    for (album, isNeeded): (FilePath, Bool) in [
      ("/usr", true), ("/usr/lib", true), ("/etc", true), ("/usr/lib/agonyfs-none", false), ("/mnt", false),
      ("/home/me/Albums", false),
    ] {
      places.album = album
      #expect((places.hidden(of: shell) != nil) == isNeeded, "\(album)")
    }
    places.album = "/opt/tool"
    #expect(places.hidden(of: SessionProgram.needed(by: [Array("opt/tool".utf8)])) == nil)
    #expect(places.hidden(of: shell) == nil)
    places.album = "/usr/bin"
    #expect(places.hidden(of: SessionProgram.needed(by: [Array("/usr/bin/env".utf8)])) == "/usr/bin/env")
    // It can only be one in the space.
    #expect(places.hidden(of: SessionProgram.needed(by: [Array("/usr/bin/agonyfs-none".utf8)])) == nil)
  }

  @Test func programsLoseTheWayToServicesOutside() {
    var environment = SessionEnvironment(workingDirectory: "/a", bus: nil)
    func value(_ name: String) -> String?? { environment.changes.last { $0.name == name }.map(\.value) }
    #expect(value("DBUS_SESSION_BUS_ADDRESS") == "disabled:")
    #expect(value("SSH_AUTH_SOCK") == .some(nil))
    #expect(value("HOME") == nil)
    #expect(value("TMPDIR") == .some(nil))
    environment.redirect(to: "/a/.run")
    #expect(value("TMPDIR") == "/a/.run/tmp")
    #expect(value("XDG_CACHE_HOME") == "/a/.run/cache")
  }

  @Test func optionsOfTheProgramAreItsOwn() throws {
    func split(_ words: String...) -> (ours: [String], program: [String]) {
      let vector = CommandArgumentsTests.Vector((["agonyfs"] + words).map { Array($0.utf8) })
      let taken = vector.taken()
      return (taken.words, taken.program.map { String(decoding: $0, as: UTF8.self) })
    }
    #expect(split("run", "/v") == (["run", "/v"], []))
    #expect(split("run", "-o", "ro", "/v", "ls", "-o", "x") == (["run", "-o", "ro", "/v"], ["ls", "-o", "x"]))
    #expect(split("run", "/v", "--keep", "k", "--", "-x") == (["run", "/v", "--keep", "k"], ["-x"]))
    #expect(split("run", "--", "/v", "-x") == (["run", "--", "/v"], ["-x"]))
    #expect(split("run", "/v", "a", "--", "b") == (["run", "/v"], ["a", "--", "b"]))
    #expect(split("run", "--password=p", "/v", "a", "--password=q").program == ["a", "--password=q"])
    #expect(split("mount", "run", "/v", "--keep").program == [])
  }

  /// The words are taken apart before the parser sees them.
  @Test func everyOptionWithAValueIsKnown() throws {
    let help = RunCommand.helpMessage(columns: 400)
    let named = help.split(separator: "\n").filter { $0.hasPrefix("  -") && $0.contains(" <") }.map { line in
      String(line.split(separator: " ")[0])
    }
    #expect(named.count > 5)
    #expect(Set(named) == RunWords.optionsWithValue)
  }
}
