import FaultyObjects
import FaultyStorage
import Glibc
import ObjectStore
import Storage
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import VaultCopy

/// Copies from directory to directory.
@Suite struct DirectoryCopyTests {
  private let subject: CopySubject
  private let path: FilePath
  private var place: String { "\(path)" }

  init() throws {
    subject = try CopySubject()
    path = FilePath(subject.folder.path("copy"))
  }

  /// Complete files and directories have the constant time; short files are as old as they are.
  @Test func aCopyHasBytesTimesAndModesOfAVault() throws {
    let summary = try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    #expect(summary.copied == subject.names.count)
    #expect(try CopySubject.content(of: path) == subject.content)
    #expect(HostFile.names(in: place) == ["agonyfs.json", "segments"])
    #expect(HostFile.names(in: place + "/segments").count == 256)
    let complete = place + "/segments/" + subject.names[0].path
    let folders = HostFile.names(in: place + "/segments").map { place + "/segments/" + $0 }
    for name in [place, place + "/segments", place + "/agonyfs.json", complete] + folders {
      #expect(HostFile.status(name).st_mtim.tv_sec == DirectoryStorage.completeTime, "\(name)")
    }
    #expect(HostFile.status(complete).st_mode & 0o777 == 0o600)
    let short = HostFile.status(place + "/segments/" + subject.names[1].path)
    #expect(short.st_mtim.tv_sec > DirectoryStorage.completeTime)
    #expect(try CopyRun(from: subject.end, to: DirectoryEnd(path)).run().copied == 0)
  }

  @Test func everyInterruptionIsResumed() throws {
    var cases = CaseCount("interrupted copies to a directory")
    for stop in TestLength.sample(0..<subject.names.count, 4) {
      let count = Counter()
      do {
        // The end of this scope gives the lease back.
        let broken = HookedEnd(DirectoryEnd(path)) { [path] (_) throws(CopyError) in
          if count.next() >= stop { throw CopyError.system(.ioError, "writing", path) }
        }
        var options = CopyOptions()
        options.jobs = 1
        #expect(throws: CopyError.self) { try CopyRun(from: subject.end, to: broken, options).run() }
      }
      #expect(throws: DirectoryStorageError.incomplete("it has no agonyfs.json")) { try DirectoryStorage(path: path) }
      #expect(DirectoryCopyTarget.isUnfinished(at: path))
      #expect(throws: CopyError.unfinished(place)) {
        try CopyRun(from: DirectoryEnd(path), to: DirectoryEnd(FilePath(subject.folder.path("third")))).run()
      }
      // What a kill leaves of a file.
      let name = subject.names[0]
      let folder = "\(place)/segments/\(name.path.prefix(2))"
      try HostFile.write([1], to: folder + "/.\(name).copying")
      #expect(try CopyRun(from: subject.end, to: DirectoryEnd(path)).run().copied == subject.names.count - stop)
      #expect(try CopySubject.content(of: path) == subject.content)
      #expect(HostFile.names(in: folder).allSatisfy { !$0.hasPrefix(".") })
      HostFile.remove(place)
      cases.add()
    }
  }

  /// A kill comes before the first file, too.
  @Test func aBeginningIsResumed() throws {
    for names in [[], ["copying"], ["copying", "segments"], ["copying", "segments", "segments/07"]] {
      try systemCall { unsafe mkdir(place, 0o700) }
      for name in names {
        if name == "copying" {
          try HostFile.write(names.count == 1 ? [] : subject.parameters.json, to: place + "/copying")
        } else {
          try systemCall { unsafe mkdir(place + "/" + name, 0o700) }
        }
      }
      try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
      #expect(try CopySubject.content(of: path) == subject.content, "\(names)")
      HostFile.remove(place)
    }
  }

  /// A copy in the wrong direction would lose what is only in the newer vault.
  @Test func aNewerTargetStays() throws {
    try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    let short = place + "/segments/" + subject.names[1].path
    let bytes = try HostFile.read(short)
    try HostFile.write(bytes + [7], to: short)
    let before = try CopySubject.content(of: path)
    #expect(throws: CopyError.newerThere(place)) { try CopyRun(from: subject.end, to: DirectoryEnd(path)).run() }
    #expect(try CopySubject.content(of: path) == before)
    #expect(try CopyRun(from: DirectoryEnd(path), to: subject.end).run().copied == 1)
  }

  @Test func aUsersFileOfTheNameOfTheMarkStays() throws {
    try systemCall { unsafe mkdir(place, 0o700) }
    for others in [[], ["letter"]] {
      try HostFile.write(Array("words".utf8), to: place + "/copying")
      for name in others { try HostFile.write([1], to: place + "/" + name) }
      #expect(throws: CopyError.notEmpty(place)) { try CopyRun(from: subject.end, to: DirectoryEnd(path)).run() }
      #expect(try HostFile.read(place + "/copying") == Array("words".utf8))
    }
  }

  @Test func whatIsThereStays() throws {
    let other = try CopySubject(files: 3, identifier: 2)
    let before = try other.content
    #expect(throws: CopyError.otherVault("\(other.path)")) { try CopyRun(from: subject.end, to: other.end).run() }
    #expect(try other.content == before)
    try subject.folder.makeDirectory("copy")
    try subject.folder.write("text", to: "copy/letter")
    #expect(throws: CopyError.notEmpty(place)) { try CopyRun(from: subject.end, to: DirectoryEnd(path)).run() }
    #expect(HostFile.names(in: place) == ["letter"])
    let missing = FilePath(subject.folder.path("a/b"))
    #expect(throws: CopyError.directory(.parentMissing(missing.removingLastComponent()), missing)) {
      try CopyRun(from: subject.end, to: DirectoryEnd(missing)).run()
    }
    #expect(throws: CopyError.noVault("\(missing)")) { try CopyRun(from: DirectoryEnd(missing), to: other.end).run() }
  }

  /// A mount of a space of the copy holds the lease on it.
  @Test func aCopyInUseIsLeftAlone() throws {
    try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    let lease = try DirectoryStorage(path: path).lease(.vault, exclusive: false)
    #expect(throws: CopyError.inUse(place)) { try CopyRun(from: subject.end, to: DirectoryEnd(path)).run() }
    withExtendedLifetime(lease) {}
  }

  /// An interrupted copy opens with old and new passwords: those of the files that are there, and of those that follow.
  @Test func newKeyDerivationsComeBeforeFiles() throws {
    try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    let json = try subject.addDerivation()
    try subject.write(randomBytes(50, seed: 102), to: .numbered(1000))
    do {
      // The end of this scope gives the leases back.
      let broken = HookedEnd(DirectoryEnd(path)) { [path] (_) throws(CopyError) in
        throw CopyError.system(.ioError, "writing", path)
      }
      #expect(throws: CopyError.self) { try CopyRun(from: subject.end, to: broken).run() }
      let copy = try DirectoryStorage(path: path)
      #expect(try copy.readParameters(limit: 1 << 16) == json)
      // The copy is still in use: by the lease on the new file.
      #expect(throws: Errno.wouldBlock) { try copy.lease(.vault, exclusive: false) }
      withExtendedLifetime(broken) {}
    }
    try CopyRun(from: subject.end, to: DirectoryEnd(path)).run()
    #expect(try CopySubject.content(of: path) == subject.content)
  }

  /// Files of the source that go are left out; files that become shorter are not taken for what they were. A new copy
  /// that lacks them is no vault yet.
  @Test func aVaultMayChangeDuringTheCopy() throws {
    let (storage, names) = (subject.storage, subject.names)
    let segments = "\(subject.path)/segments/"
    let source = HookedEnd(subject.end) { (name) throws(CopyError) in
      if name == names[1] { try? storage.delete(name) }
      if name == names[2] { unsafe truncate(segments + name.path, 10) }
    }
    let summary = try CopyRun(from: source, to: DirectoryEnd(path)).run()
    #expect(summary.gone == 1 && summary.shortened == 1 && summary.copied == names.count - 2)
    #expect(DirectoryCopyTarget.isUnfinished(at: path))
    #expect(HostFile.status(place + "/segments/" + names[2].path).st_mode == 0)
    #expect(try CopyRun(from: subject.end, to: DirectoryEnd(path)).run().copied == 1)
    #expect(try CopySubject.content(of: path) == subject.content)
    // A vault stays one.
    let again = HookedEnd(subject.end) { (name) throws(CopyError) in
      if name == names[3] { try? storage.delete(name) }
    }
    #expect(try CopyRun(from: again, to: DirectoryEnd(path)).run().gone == 1)
    #expect(try CopySubject.content(of: path).count == names.count)
  }

  @Test func aVaultThatGoesIsNoCopy() throws {
    let (vault, names) = (subject.path.string, subject.names)
    let source = HookedEnd(subject.end) { (name) throws(CopyError) in
      if name == names[3] { HostFile.remove(vault) }
    }
    #expect(throws: CopyError.self) { try CopyRun(from: source, to: DirectoryEnd(path)).run() }
    #expect(DirectoryCopyTarget.isUnfinished(at: path))
  }

  @Test func aCanceledCopyIsResumed() throws {
    #expect(throws: CopyError.cancelled) {
      try CopyRun(from: subject.end, to: DirectoryEnd(path)).run { _ in false }
    }
    var last = CopyProgress()
    try CopyRun(from: subject.end, to: DirectoryEnd(path)).run { progress in
      last = progress
      return true
    }
    #expect(last.done == last.total && last.total > CopySubject.segmentSize)
    #expect(try CopySubject.content(of: path) == subject.content)
  }

  @Test func aLimitHoldsForAllThreads() throws {
    let limit = BandwidthLimit(bytesPerSecond: 1_000_000)
    let start = preciseMonotonicTime()
    try inThreads(4) { _ in limit.take(100_000) }
    limit.take(0)
    #expect(preciseMonotonicTime() - start >= 390_000_000)
    limit.take(1_000_000_000)
    let waiting = try TestThread { limit.take(1) }
    limit.stop()
    try waiting.join(within: .seconds(60))
  }
}
