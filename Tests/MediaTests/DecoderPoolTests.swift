import Glibc
import Logging
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Media

/// Several decoders at once: who gets one, what they share, and what one of them costs the others.
@Suite(.timeLimit(.minutes(5))) struct DecoderPoolTests {
  /// Decoders that would wait for longer than a test may take.
  private static func misbehaving(_ count: Int) -> DecoderPool {
    Bench.pool(count, "misbehaving-decoder", timeout: .seconds(1000))
  }

  @discardableResult
  private static func run(
    _ text: String, on pool: DecoderPool, hold: Hold? = nil, failure: Errno? = nil
  ) throws(DecoderError) -> Derivatives {
    try pool.derive([.small], eagerly: true, from: HeldSource(text: text, hold: hold, failure: failure))
  }

  /// Runs a job until the pool is stopped.
  private static func expectStop(of source: any MediaSource, on pool: DecoderPool) throws {
    do throws(DecoderError) {
      _ = try pool.derive([.small], eagerly: true, from: source)
    } catch {
      guard error == .unavailable("stopped") else { throw error }
      return
    }
    throw UnexpectedEnd()
  }

  @Test func asManyAreDecodedAtOnceAsThereAreDecoders() throws {
    let bench = try Bench()
    let picture = try bench.quarters("picture.jpg")
    let pool = Bench.pool(2)
    #expect(pool.jobsAtOnce == 2)
    let begun = Counter()
    try inThreads(2) { _ in
      let reads = Counter()
      let source = BehavingSource(size: Int64(picture.count)) { (offset, count) throws(Errno) in
        if reads.next() == 0 {
          _ = begun.next()
          // Each waits for the other.
          guard (try? waitUntil("both are read", { begun.value == 2 })) != nil else { throw .timedOut }
        }
        let start = Int(min(offset, Int64(picture.count)))
        return Array(picture[start..<min(start + count, picture.count)])
      }
      let made = try pool.derive([.small], eagerly: true, from: source)
      #expect(made.small != nil)
    }
    pool.stop()
  }

  /// No more processes run than there were jobs at once, and the one that all of them are copies of.
  @Test func theDecoderThatWasUsedLastIsUsedFirst() throws {
    let bench = try Bench()
    let picture = MemorySource(try bench.quarters("picture.jpg"))
    try bench.shell("ln -s '\(builtProgram("agonyfs-decoder"))' mine")
    let pool = Bench.pool(4, at: bench.path + "/mine")
    for _ in 0..<4 { _ = try pool.facts(of: picture, small: nil) }
    let processes = String(decoding: try bench.shell("pgrep -f '^\(bench.path)/mine'"), as: UTF8.self)
    #expect(processes.split(separator: "\n").count == 2)
    pool.stop()
  }

  @Test func whatSomebodyWaitsForWaitsForNoneOfTheOthers() throws {
    let pool = Self.misbehaving(1)
    let hold = Hold()
    let first = try TestThread { _ = try Self.run("needs 200", on: pool, hold: hold) }
    try waitUntil("the first job reads") { hold.isReached }
    let second = try TestThread { _ = try Self.run("good", on: pool) }
    try waitUntil("the second job waits") { pool.waiting.forDecoders == 1 }
    _ = try pool.derive([.small], eagerly: false, from: HeldSource(text: "good"))
    // The others still do.
    #expect(pool.waiting.forDecoders == 1)
    hold.letGo()
    for thread in [first, second] { try thread.join() }
  }

  @Test func whatSomebodyWaitsForComesFirst() throws {
    let pool = Self.misbehaving(1)
    let (hold, names) = (Hold(), OrderedNames())
    var threads = [try TestThread { _ = try Self.run("needs 200", on: pool, hold: hold) }]
    try waitUntil("the first job reads") { hold.isReached }
    // It has the decoder that is kept for it.
    let urgent = Hold()
    threads.append(
      try TestThread {
        _ = try pool.derive([.small], eagerly: false, from: HeldSource(text: "needs 150", hold: urgent))
      })
    try waitUntil("the second job reads") { urgent.isReached }
    for (index, name) in ["background", "urgent"].enumerated() {
      threads.append(
        try TestThread {
          let source = HeldSource(text: "good", begins: { names.note(name) })
          _ = try pool.derive([.small], eagerly: name == "background", from: source)
        })
      try waitUntil("the job waits") { pool.waiting.forDecoders == index + 1 }
    }
    urgent.letGo()
    try waitUntil("one of them begins") { !names.all.isEmpty }
    #expect(names.all == ["urgent"])
    hold.letGo()
    for thread in threads { try thread.join() }
    #expect(names.all == ["urgent", "background"])
  }

  @Test func oneThatHangsHoldsUpNoOther() throws {
    let pool = Self.misbehaving(2)
    let begun = Counter()
    let hanging = try TestThread {
      let source = HeldSource(text: "hang", begins: { _ = begun.next() })
      try Self.expectStop(of: source, on: pool)
    }
    try waitUntil("it is read") { begun.value > 0 }
    for _ in 0..<8 { try Self.run("good", on: pool) }
    #expect(throws: DecoderError.crashed) { try Self.run("crash", on: pool) }
    try Self.run("good", on: pool)
    pool.stop()
    try hanging.join()
  }

  @Test func stoppingEndsAllWaiting() throws {
    let pool = Self.misbehaving(2)
    let (first, third) = (Hold(), Hold())
    func start(_ text: String, _ hold: Hold? = nil) throws -> TestThread {
      try TestThread {
        try Self.expectStop(of: HeldSource(text: text, hold: hold), on: pool)
      }
    }
    var threads = [try start("needs 2000", first)]
    try waitUntil("the first has memory") { first.isReached }
    threads.append(try start("needs 2000"))
    try waitUntil("the second waits for memory") { pool.waiting.forMemory == 1 }
    threads.append(try start("needs 200", third))
    try waitUntil("the third has the other decoder") { third.isReached }
    threads.append(try start("good"))
    try waitUntil("the fourth waits for a decoder") { pool.waiting.forDecoders == 1 }
    threads.append(try TestThread { pool.stop() })
    // Nothing holds up those that wait.
    try waitUntil("nobody waits") { pool.waiting == DecoderTurns.Waiting() }
    first.letGo()
    third.letGo()
    for thread in threads { try thread.join() }
    #expect(throws: DecoderError.unavailable("stopped")) { try Self.run("good", on: pool) }
  }

  @Test func oneThatWaitsForTheDiskKeepsNoOtherFromEnding() throws {
    let pool = Self.misbehaving(2)
    let (hold, reads, begun) = (Hold(), Counter(), Counter())
    let first = try TestThread {
      let source = BehavingSource(size: 64) { (offset, _) throws(Errno) in
        if offset == 0 { return Array("needs 200".utf8) }
        guard offset >= 32 else { return [] }
        defer { _ = reads.next() }
        try hold.wait()
        return []
      }
      try Self.expectStop(of: source, on: pool)
    }
    try waitUntil("the first job reads") { hold.isReached }
    let second = try TestThread {
      try Self.expectStop(of: HeldSource(text: "hang", begins: { _ = begun.next() }), on: pool)
    }
    try waitUntil("the second job is read") { begun.value > 0 }
    let end = try TestThread { pool.stop() }
    try second.join()
    #expect(reads.value == 0)
    hold.letGo()
    for thread in [first, end] { try thread.join() }
  }

  /// Else the photo would count as one that has too many pixels.
  @Test func memoryThatIsRefusedAtTheEndIsNoFaultOfThePicture() throws {
    let turns = DecoderTurns(count: 1)
    var job = DecoderTurns.Job(isUrgent: false)
    let number = try #require(turns.borrow(for: job))
    turns.stop()
    #expect(!turns.admits(Decoder.freeMemory + 1, in: number))
    job = turns.takeBack(number, from: job)
    #expect(job.wanted != nil)
    let isGranted = turns.grantWanted(to: &job)
    #expect(!isGranted)
    turns.end(job)
    #expect(turns.waiting == DecoderTurns.Waiting())
  }

  @Test func aPictureThatWaitsForMemoryHoldsUpNoOther() throws {
    let pool = Self.misbehaving(2)
    let hold = Hold()
    // No process can have so much, so it counts as the most.
    let first = try TestThread { _ = try Self.run("needs 4000000", on: pool, hold: hold) }
    try waitUntil("the first has memory") { hold.isReached }
    let second = try TestThread { _ = try Self.run("needs 1500", on: pool) }
    try waitUntil("the second waits for memory") { pool.waiting.forMemory == 1 }
    // The first has one decoder; the other is free, and so is memory for what is not large.
    for text in ["good", "needs 384", "good"] { try Self.run(text, on: pool) }
    #expect(pool.waiting == DecoderTurns.Waiting(forMemory: 1))
    hold.letGo()
    try first.join()
    try second.join()
  }

  @Test func memoryIsGivenBackHoweverAJobEnds() throws {
    let pool = Self.misbehaving(1)
    // Each of these would wait for ever if one before it had kept its memory.
    for _ in 0..<2 {
      for need in ["needs 1500", "needs 256"] {
        try Self.run(need, on: pool)
        #expect(throws: DecoderError.crashed) { try Self.run("\(need) crash", on: pool) }
        #expect(throws: DecoderError.source(.ioError)) { try Self.run(need, on: pool, failure: .ioError) }
      }
    }
    #expect(pool.waiting == DecoderTurns.Waiting())
  }

  @Test func theLackOfConfinementIsLoggedOnceForAll() throws {
    let bench = try Bench()
    try bench.shell("ln -s '\(builtProgram("misbehaving-decoder"))' unconfined")
    let log = LogLines()
    let pool = Bench.pool(2, at: bench.path + "/unconfined", sandbox: .preferred, log: log)
    #expect(pool.sandboxState == .unknown)
    let hold = Hold()
    let first = try TestThread { _ = try Self.run("needs 200", on: pool, hold: hold) }
    try waitUntil("the first job reads") { hold.isReached }
    try Self.run("good", on: pool)
    hold.letGo()
    try first.join()
    #expect(log.lines.count == 1)
    let bare = SandboxState.reported(landlock: nil, seccomp: false, threads: false)
    #expect(pool.sandboxState == bare)
    #expect(try pool.startedState() == bare)
  }

  @Test func whatOneLacksAllLack() {
    let whole = SandboxState.reported(landlock: 6, seccomp: true, threads: true)
    #expect(whole.and(.unknown) == whole && SandboxState.unknown.and(whole) == whole)
    let older = SandboxState.reported(landlock: 3, seccomp: true, threads: false)
    #expect(whole.and(older) == older && older.and(whole) == older)
    let open = SandboxState.reported(landlock: nil, seccomp: false, threads: true)
    #expect(whole.and(open) == open && open.and(whole) == open)
  }

  /// The real decoder asks for what it needs before it decodes, and does not ask for the usual photo.
  @Test func largePicturesAreAskedFor() throws {
    let bench = try Bench()
    let photo = try bench.quarters("photo.jpg")
    let pixels = 6000 * 4000
    let large = try bench.quarters(
      "large.jpg", width: 6000, height: 4000,
      by: "vips copy quarters.ppm large.jpg; vips pngsave quarters.ppm interlaced.png --interlace --compression 1")
    let interlaced = try bench.file("interlaced.png")
    let asked = AskedMemory()
    let template = DecoderTemplate(builtProgram("agonyfs-decoder"), timeout: Decoder.timeout)
    let decoder = Decoder(
      template: template, ownsTemplate: true, sandbox: .required, timeout: Decoder.timeout,
      lightJobs: Decoder.lightJobs, notice: SandboxNotice(Logger(label: "test") { _ in LogLines.Handler() }),
      admits: { asked.note($0) })
    _ = try decoder.derive(photo)
    _ = try decoder.full(of: MemorySource(photo))
    // It is reduced while it is decoded.
    _ = try decoder.derive(large)
    #expect(asked.all == [])
    _ = try decoder.derive(interlaced)
    _ = try decoder.full(of: MemorySource(large))
    _ = try decoder.pixelDigest(of: MemorySource(large))
    #expect(asked.all.count == 3 && asked.all.allSatisfy { $0 >= 3 * pixels && $0 < Decoder.mostMemory })
    asked.refuse()
    #expect(throws: DecoderError.tooLarge) { try decoder.derive(interlaced) }
    #expect(try decoder.derive(photo).small != nil)
  }

  @Test func largePicturesAreDecodedByAPool() throws {
    let bench = try Bench()
    let large = try bench.quarters("large.jpg", width: 6000, height: 4000)
    for pool in [Bench.pool(1), Bench.pool(4)] {
      try inThreads(4) { _ in
        let made = try pool.full(of: MemorySource(large))
        #expect(!made.isEmpty)
      }
      #expect(pool.waiting == DecoderTurns.Waiting())
      pool.stop()
    }
  }
}

/// A job ended before the pool was stopped.
private struct UnexpectedEnd: Error {}

/// Grants memory, and keeps what was asked for.
private final class AskedMemory: Sendable {
  private struct State {
    var bytes: [Int] = []
    var refuses = false
  }

  private let state = Mutex(State())

  var all: [Int] { state.withLock { $0.bytes } }

  func refuse() { state.withLock { $0.refuses = true } }

  func note(_ bytes: Int) -> Bool {
    state.withLock {
      $0.bytes.append(bytes)
      return !$0.refuses
    }
  }
}
