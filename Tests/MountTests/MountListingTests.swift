import CMount
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Mount

extension LiveMountTests {
  /// Listings bring the attributes of all that is listed, while it changes.
  @Suite struct MountListingTests {
    @Test func attributesFromListingsAreNeverOld() throws {
      let live = try LiveMount()
      try System.check(unsafe mkdir(live.path("album"), 0o755))
      let paths = (0..<40).map { live.path("album/photo \($0)") }
      for path in paths { try System.write([], to: path) }
      let lister = try Lister(of: live.path("album"), expecting: paths.count + 2)
      for round in 1...60 {
        for path in paths {
          let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .append)
          _ = try file.closeAfter { try file.writeAll([1]) }
          #expect(try System.status(path).st_size == round)
          try System.check(unsafe chmod(path, round % 2 == 0 ? 0o600 : 0o640))
          #expect(try System.status(path).st_mode & 0o777 == (round % 2 == 0 ? 0o600 : 0o640))
        }
      }
      #expect(try lister.stop() > 0)
    }
  }
}

/// Lists a directory again and again in its own thread. It changes the directory each time, so the kernel has no cached
/// listing.
private final class Lister: Sendable {
  private let directory: String
  private let expected: Int
  private let isStopping = Atomic<Bool>(false)
  private let complete = Atomic<Int>(0)
  private let thread = Mutex<TestThread?>(nil)

  init(of directory: String, expecting expected: Int) throws {
    self.directory = directory
    self.expected = expected
    let thread = try TestThread { self.run() }
    self.thread.withLock { $0 = thread }
  }

  private func run() {
    repeat {
      do {
        try System.write([], to: directory + "/passing")
        try System.check(unsafe unlink(directory + "/passing"))
        let names = try Listing.names(of: directory)
        #expect(names.count == expected)
        complete.add(1, ordering: .relaxed)
      } catch {
        Issue.record(error)
        return
      }
    } while !isStopping.load(ordering: .relaxed)
  }

  /// Ends the thread; gives how many listings it made.
  func stop() throws -> Int {
    isStopping.store(true, ordering: .relaxed)
    try thread.withLock { $0 }?.join()
    return complete.load(ordering: .relaxed)
  }
}
