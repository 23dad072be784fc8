internal import Glibc
internal import System

/// The files in which Linux and its programs keep their settings. Tests use another root.
package struct SystemView: Sendable {
  /// Most bytes of a file that are read.
  private static let limit = 4 << 20
  private let root: String

  /// A view of the machine.
  ///
  /// - Parameter root: the directory to start from; symbolic links in it are followed.
  package init(root: String = "/") { self.root = root.hasSuffix("/") ? root : root + "/" }

  /// The text of a file; nil if it cannot be read.
  func text(_ path: String) -> String? {
    (try? WholeFile.read(root + path, limit: Self.limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text of a file without surrounding spaces and line breaks; nil if it cannot be read.
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

  /// Whether a path exists, readable or not.
  func exists(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  /// The file system of an absolute path; nil if the table of mounts does not contain it.
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

  /// Whether a file exists and can be read.
  func has(_ path: String) -> Bool { (try? WholeFile.read(root + path, limit: 1)) != nil }
}

/// The paths and processes that the system checks examine.
package struct SystemSubject: Sendable {
  /// The user's folders.
  package var home: Home
  /// The places where spaces are or were mounted.
  package var places: SearchedPlaces
  /// The places where a space is mounted for all users.
  package var openPlaces: SearchedPlaces
  /// The vaults themselves.
  package var vaults: SearchedPlaces
  /// The process whose limits the user's programs inherit: the shell.
  package var shell: Int32
  /// The warning about the limit of locked memory; nil if that is high enough.
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

/// A setting of the machine through which a space may leak.
package struct SystemNote: Sendable, Equatable {
  /// The topics. The raw values are those of `--json` and never change.
  package enum Topic: String, Sendable, CaseIterable {
    case swap, hibernation, locate, indexer, core, fuse, landlock, memory
  }

  /// Its topic.
  package var topic: Topic
  /// The finding and the advice, in one or two sentences.
  package var text: String
}

/// A check of one part of the system.
protocol SystemCheck: Sendable {
  /// Its notes; empty if all is well.
  func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote]
}

/// All checks of the system.
package enum SystemChecks {
  private static let all: [any SystemCheck] = [
    SwapCheck(), HibernationCheck(), LocateCheck(), BalooCheck(), TrackerCheck(), CoreDumpCheck(), FuseCheck(),
    LandlockCheck(), LockedMemoryCheck(),
  ]

  /// The notes of all checks.
  package static func notes(_ view: SystemView, _ subject: SystemSubject) -> [SystemNote] {
    all.flatMap { $0.notes(view, subject) }
  }
}
