internal import Glibc
internal import System

/// The files by which Linux and its programs tell how they are set up. Tests give another root.
package struct SystemView: Sendable {
  /// Most bytes of a file that are looked at.
  private static let limit = 4 << 20
  private let root: String

  /// The view from a root; links in it are followed.
  package init(root: String = "/") { self.root = root.hasSuffix("/") ? root : root + "/" }

  /// The text of a file; nil if it cannot be read.
  func text(_ path: String) -> String? {
    (try? WholeFile.read(root + path, limit: Self.limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A text without the spaces and line breaks around it.
  func line(_ path: String) -> String? {
    text(path).map { text in String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
  }

  /// The lines of a file, without empty ones and comments.
  func lines(_ path: String) -> [Substring] {
    (text(path) ?? "").split(whereSeparator: \.isNewline).filter { line in
      line.first { !$0.isWhitespace }.map { $0 != "#" && $0 != ";" } ?? false
    }
  }

  /// The names in a directory, sorted; none if it cannot be listed.
  func names(_ path: String) -> [String] {
    ((try? Directory.names(in: root + path)) ?? []).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// Whether something is at a path, readable or not.
  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  /// The file system that an absolute path is in. Nil if the table of mounts does not tell.
  func mount(of path: String) -> MountTableEntry? {
    let path = Array(path.utf8)
    let table = MountTable(parsing: (try? WholeFile.read(root + MountTable.path, limit: Self.limit)) ?? [])
    var best: MountTableEntry?
    for entry in table.entries
    where (entry.path == [PathBytes.slash] || path.starts(with: entry.path + [PathBytes.slash]))
      && entry.path.count >= (best?.path.count ?? 0)
    {
      best = entry
    }
    return best
  }

  /// Whether there is a file.
  func has(_ path: String) -> Bool { (try? WholeFile.read(root + path, limit: 1)) != nil }
}

/// What the checks of the system are about.
package struct SystemSubject: Sendable {
  /// The user's folders.
  package var home: Home
  /// Where spaces are or were mounted.
  package var places: SearchedPlaces
  /// Where a space is mounted for all users.
  package var openPlaces: SearchedPlaces
  /// The vaults themselves.
  package var vaults: SearchedPlaces
  /// The process whose limits programs of the user inherit: the shell.
  package var shell: Int32
  /// What is to be said of the limit of locked memory; nil if that is high enough.
  package var lockedMemory: String?

  /// - Parameters: as the properties.
  package init(
    home: Home, places: SearchedPlaces, openPlaces: SearchedPlaces, vaults: SearchedPlaces = SearchedPlaces([]),
    shell: Int32, lockedMemory: String?
  ) {
    self.home = home
    self.places = places
    self.openPlaces = openPlaces
    self.vaults = vaults
    self.shell = shell
    self.lockedMemory = lockedMemory
  }
}

/// Something in how the machine is set up by which a space may leak.
package struct SystemNote: Sendable, Equatable {
  /// What it is about. The raw values are those of `--json`, and never change.
  package enum Topic: String, Sendable, CaseIterable {
    case swap, hibernation, locate, indexer, core, fuse, landlock, memory
  }

  /// What it is about.
  package var topic: Topic
  /// What is so, and what to do, in one or two sentences.
  package var text: String
}

/// One thing to check.
protocol SystemCheck: Sendable {
  /// What is to be said.
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote]
}

/// All checks of the system.
package enum SystemChecks {
  private static let all: [any SystemCheck] = [
    SwapCheck(), HibernationCheck(), LocateCheck(), BalooCheck(), TrackerCheck(), CoreDumpCheck(), FuseCheck(),
    LandlockCheck(), LockedMemoryCheck(),
  ]

  /// What all of them say.
  package static func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    all.flatMap { $0.notes(view, subject) }
  }
}
