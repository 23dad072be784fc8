import CMount
import Glibc
import Synchronization
import System
import TestSupport
import Testing

@testable import Mount

/// More reads of answers than may take threads.
@Suite struct QuestionReadsTests {
  /// What was served, as the number of the read and the channel of its answer.
  private final class Log: Sendable {
    private let entries = Mutex<[[Int]]>([])
    func add(_ number: Int) { entries.withLock { $0.append([number, Int(agonyfs_channel_of_reply())]) } }
    var all: [[Int]] { entries.withLock { $0 } }
  }

  @Test func othersWaitInTheirOrderWithoutAThread() throws {
    let reads = QuestionReads(most: 2)
    let log = Log()
    let (gate, opener) = try Descriptor.pipe()
    // Two that take long, each in a thread.
    let threads = try (0..<2).map { number in
      try Thread {
        reads.serve(from: CInt(100 + number), takesLong: false) {
          var letter: UInt8 = 0
          _ = unsafe read(gate.number, &letter, 1)
          log.add(number)
        }
      }
    }
    while reads.servingCount < 2 { usleep(1000) }
    // These come back at once, although nothing is served.
    for number in 2..<6 {
      reads.serve(from: CInt(100 + number), takesLong: false) {
        log.add(number)
      }
    }
    #expect(reads.waitingCount == 4 && log.all.isEmpty)
    // One thread goes on with all that wait, and answers by the channel of each.
    try opener.writeAll([0])
    while log.all.count < 5 { usleep(1000) }
    #expect(log.all.dropFirst().map { $0 } == (2..<6).map { [$0, 100 + $0] })
    #expect(reads.waitingCount == 0)
    try opener.writeAll([0])
    reads.waitUntilIdle()
    #expect(Set(log.all) == Set((0..<6).map { [$0, 100 + $0] }))
    for thread in threads { thread.join() }
  }

  @Test func longReadsLeaveAThreadForShortOnes() throws {
    let reads = QuestionReads(most: 3)
    let log = Log()
    let (gate, opener) = try Descriptor.pipe()
    let threads = try (0..<2).map { number in
      try Thread {
        reads.serve(from: CInt(100 + number), takesLong: true) {
          var letter: UInt8 = 0
          _ = unsafe read(gate.number, &letter, 1)
          log.add(number)
        }
      }
    }
    while reads.servingCount < 2 { usleep(1000) }
    // A third long one waits, and a short one that comes behind it is served at once.
    reads.serve(from: 102, takesLong: true) { log.add(2) }
    #expect(reads.waitingCount == 1 && log.all.isEmpty)
    reads.serve(from: 103, takesLong: false) { log.add(3) }
    #expect(reads.waitingCount == 1 && log.all == [[3, 103]])
    try opener.writeAll([0, 0])
    reads.waitUntilIdle()
    #expect(reads.waitingCount == 0 && Set(log.all) == Set((0..<4).map { [$0, 100 + $0] }))
    for thread in threads { thread.join() }
  }

  @Test func whatIsAskedMeanwhileIsServedBehind() throws {
    // Long reads, of which two threads serve one at a time.
    let reads = QuestionReads(most: 2)
    let log = Log()
    reads.serve(from: 7, takesLong: true) {
      log.add(2)
      for number in 10..<12 { reads.serve(from: CInt(number), takesLong: true) { log.add(number) } }
      log.add(1)
    }
    #expect(log.all == [[2, 7], [1, 7], [10, 10], [11, 11]])
    reads.waitUntilIdle()
    // Nothing is left of it: the next one is served at once.
    reads.serve(from: 8, takesLong: true) { log.add(20) }
    #expect(log.all.last == [20, 8])
  }
}
