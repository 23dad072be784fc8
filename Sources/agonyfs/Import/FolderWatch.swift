// Decides which files of watched folders are complete.
//
// Invariants
// 1. A file is complete when no program has it open for writing, as far as the file system knows, and it did not
//    change for `quiet`, or for `quietAfterClosing` since its writer closed it or renamed it to its name. A group of
//    files is complete when all of them are.
// 2. Memory is bounded by the number of incomplete files.

internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import System
internal import SystemPackage

final class FolderWatch {
  /// In nanoseconds.
  private static let quiet: UInt64 = 10_000_000_000
  private static let quietAfterClosing: UInt64 = 1_000_000_000

  private let events: Descriptor
  private let folders: [[UInt8]]
  private var watched: [CInt: [UInt8]] = [:]
  /// Files that were closed after writing, or renamed to their name, since the last look.
  private var closed: Set<[UInt8]> = []
  private var waiting: [[UInt8]: (status: FileStatus, since: UInt64)] = [:]
  /// Whether all folders must be searched for new directories.
  private var isStale = true

  init(_ folders: [[UInt8]]) throws(Errno) {
    self.folders = folders
    events = Descriptor(try systemCall { inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC)) })
  }

  /// Whether some file is not complete yet.
  var hasWaiting: Bool { !waiting.isEmpty }

  /// Watches new directories. Call it before the folders are listed.
  func refresh() {
    guard isStale else { return }
    isStale = false
    for folder in folders { watch(folder) }
  }

  private func watch(_ directory: [UInt8]) {
    let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW)
    let path = BytePath(directory)
    guard let number = try? systemCall({ unsafe inotify_add_watch(events.number, path.name, mask) }) else { return }
    watched[number] = directory
    let calls = FileCalls()
    guard let opened = try? calls.openDirectory(directory), let names = try? calls.names(in: opened) else { return }
    for name in names {
      guard let status = try? calls.status(of: name, in: opened), status.kind == .directory else { continue }
      watch(BytePath(directory, name).bytes)
    }
  }

  /// Whether a group of files is complete.
  func isComplete(_ group: ArraySlice<SourceEntry>) -> Bool {
    let now = monotonicTime()
    let time = timeOfDay().seconds
    var isComplete = true
    for entry in group {
      let path = entry.path
      if let known = waiting[path], known.status.isUnchanged(since: entry.status) {
        let least = closed.contains(path) ? Self.quietAfterClosing : Self.quiet
        if now - known.since < least { isComplete = false }
      } else if time - entry.status.changed.seconds < 10 {
        // The file changed just now, or the clock was set back.
        waiting[path] = (entry.status, now)
        isComplete = false
      }
      if isComplete, entry.status.kind == .file, hasWriter(entry) {
        waiting[path] = waiting[path] ?? (entry.status, now)
        isComplete = false
      }
    }
    if isComplete {
      for entry in group {
        waiting[entry.path] = nil
        closed.remove(entry.path)
      }
    }
    return isComplete
  }

  private func hasWriter(_ entry: SourceEntry) -> Bool {
    let calls = FileCalls()
    guard let file = try? calls.openFile(entry.name, in: entry.directory.descriptor) else { return false }
    return (try? calls.holdAgainstWriters(file)) == false
  }

  /// Forgets files that have disappeared. Call it after the folders were listed.
  func forgetGone() {
    for path in waiting.keys where (try? BytePath(path).status()) == nil {
      waiting[path] = nil
      closed.remove(path)
    }
  }

  /// Waits for an event in the folders, at most this long; returns whether there was one.
  func wait(milliseconds: CInt) -> Bool {
    var poll = pollfd(fd: events.number, events: Int16(POLLIN), revents: 0)
    guard unsafe Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    while let bytes = try? events.readSome(most: 64 << 10), !bytes.isEmpty { note(bytes) }
    return true
  }

  /// Parses events: a watch (4 bytes), a mask (4), a cookie (4), the length of the name (4), the name.
  private func note(_ bytes: [UInt8]) {
    func number(_ place: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) } }
    var place = 0
    while place + 16 <= bytes.count {
      let (watch, mask, length) = (CInt(bitPattern: number(place)), number(place + 4), Int(number(place + 12)))
      let name = bytes[(place + 16)..<min(bytes.count, place + 16 + length)].prefix { $0 != 0 }
      place += 16 + length
      if mask & UInt32(IN_ISDIR | IN_Q_OVERFLOW) != 0 { isStale = true }
      guard mask & UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) != 0, let directory = watched[watch] else { continue }
      closed.insert(BytePath(directory, name).bytes)
    }
  }
}
