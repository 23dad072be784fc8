import Dispatch
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Media

/// What a decoder that breaks, hangs or lies costs: that job, and nothing else.
@Suite(.timeLimit(.minutes(5))) struct ProcessTests {
  private static func misbehaving(timeout: Duration = Decoder.timeout) -> Decoder {
    Bench.decoder("misbehaving-decoder", timeout: timeout)
  }

  private static func run(_ text: String, on decoder: Decoder) throws(DecoderError) -> Derivatives {
    // The small one is asked for by those who misbehave in it.
    let sizes: Set<DerivativeSize> =
      ["unasked", "too wide", "turned", "too many facts"].contains(text) ? [] : [.small]
    return try decoder.derive(sizes, eagerly: false, from: MemorySource(Array(text.utf8)))
  }

  @Test(arguments: [
    "crash", "exit", "huge", "unknown", "short", "long", "outside", "too much", "unasked", "large picture", "metadata",
    "comment", "behind the end", "no jpeg", "too wide", "turned", "too many facts", "part", "asks for little",
    "asks for less than none", "asks shortly", "asks twice",
  ])
  func whatBreaksTheRulesCostsOneJob(behaviour: String) throws {
    let decoder = Self.misbehaving()
    let before = try Self.run("good", on: decoder).facts.width
    #expect(throws: DecoderError.crashed) { try Self.run(behaviour, on: decoder) }
    // Another process, since nobody knows what became of the first.
    #expect(try Self.run("good", on: decoder).facts.width != before)
  }

  @Test(arguments: ["hang", "endless", "endless text"])
  func whatDoesNotEndIsEnded(behaviour: String) throws {
    let isText = behaviour == "endless text"
    let decoder = Self.misbehaving(timeout: isText ? Decoder.timeout : .milliseconds(1500))
    let outcome = #expect(throws: DecoderError.self) { try Self.run(behaviour, on: decoder) }
    #expect(outcome == (isText ? .crashed : .timedOut))
    // On a busy machine a good job may take longer as well.
    try waitUntil("a good job is done") { (try? Self.run("good", on: decoder)) != nil }
  }

  @Test func reasonsAreBoundedAndPrintable() throws {
    let decoder = Self.misbehaving()
    #expect(throws: DecoderError.undecodable("")) { try Self.run("reason", on: decoder) }
    let failure = try DecoderError(
      decoding: DecoderError.undecodable("a\u{1b}[2Jb\nc" + String(repeating: "é", count: 200)).encoded)
    #expect(failure == .undecodable("a [2Jb c"))
  }

  /// A process that was taken over would see the next file. Only the one that all are copies of stays.
  @Test func everyFileThatIsDecodedHasItsProcess() throws {
    let bench = try Bench()
    let decoder = try bench.linked("misbehaving-decoder")
    var processes: [Int] = []
    for number in 0..<6 {
      processes.append(try Self.run("good", on: decoder).facts.width)
      if number == 2 { #expect(throws: DecoderError.notMedia) { try Self.run("no medium", on: decoder) } }
      #expect(try bench.processes().count == 1)
    }
    #expect(Set(processes).count == processes.count)
    decoder.stop()
    #expect(try bench.processes() == [])
  }

  /// A file that is decoded has no process that read the metadata of another.
  @Test func metadataJobsShareAProcess() throws {
    let bench = try Bench()
    let content = try bench.quarters("picture.jpg")
    let picture = MemorySource(content)
    let decoder = try bench.linked("agonyfs-decoder")
    _ = try decoder.startedState()
    let first = try bench.processes()
    #expect(first.count == 2, "the one that is copied, and a copy")
    for _ in 1..<Decoder.lightJobs { _ = try decoder.facts(of: picture, small: nil) }
    #expect(try bench.processes() == first)
    _ = try decoder.facts(of: picture, small: nil)
    let template = try bench.processes()
    #expect(template.count == 1 && template.isSubset(of: first))
    _ = try decoder.facts(of: picture, small: nil)
    let second = try bench.processes()
    #expect(second.count == 2 && second != first)
    let (during, path) = (OrderedNames(), bench.path)
    let watched = BehavingSource(size: Int64(content.count)) { (offset, count) throws(Errno) in
      let found = (try? Bench.processes(in: path)) ?? []
      for process in found { during.note(String(process)) }
      let start = Int(min(offset, Int64(content.count)))
      return Array(content[start..<min(start + count, content.count)])
    }
    _ = try decoder.derive([.small], eagerly: false, from: watched)
    let decoding = Set(during.all.map { Substring($0) })
    #expect(decoding.count == 2 && decoding.intersection(second) == template)
    #expect(try bench.processes() == template)
    for _ in 0..<Decoder.lightJobs {
      #expect(throws: DecoderError.notMedia) { _ = try decoder.facts(of: MemorySource([1, 2, 3]), small: nil) }
    }
    #expect(try bench.processes() == template)
  }

  /// Files that break decoders one after another do not meet the same addresses.
  @Test func aBrokenCopyReplacesTheTemplate() throws {
    let bench = try Bench()
    let decoder = try bench.linked("misbehaving-decoder")
    _ = try Self.run("good", on: decoder)
    let first = try bench.processes()
    _ = try Self.run("good", on: decoder)
    #expect(try bench.processes() == first)
    #expect(throws: DecoderError.crashed) { try Self.run("crash", on: decoder) }
    _ = try Self.run("good", on: decoder)
    let second = try bench.processes()
    #expect(second.count == 1 && second != first)
    for _ in 0..<DecoderTemplate.mostCopies { _ = try Self.run("good", on: decoder) }
    #expect(try bench.processes() != second)
  }

  /// What a copy has is what a file that takes it over has.
  @Test func aCopyHasItsSocketOnly() throws {
    let decoder = Self.misbehaving()
    for _ in 0..<3 { #expect(try Self.run("descriptors", on: decoder).facts.height == 3) }
  }

  @Test func stoppingInterruptsAJob() throws {
    let decoder = Self.misbehaving(timeout: .seconds(200))
    let isReading = DispatchSemaphore(value: 0)
    let source = BehavingSource(size: 4) { (_, _) throws(Errno) in
      isReading.signal()
      return Array("hang".utf8)
    }
    let stopper = try TestThread {
      if isReading.wait(timeout: .now() + 100) == .timedOut { throw DeadlinePassed("the decoder read") }
      decoder.stop()
    }
    #expect(throws: DecoderError.unavailable("stopped")) { try decoder.derive([.small], eagerly: false, from: source) }
    try stopper.join()
    #expect(throws: DecoderError.unavailable("stopped")) { try Self.run("good", on: decoder) }
  }

  @Test func aKilledProcessLosesNoJob() throws {
    let bench = try Bench()
    let picture = try bench.quarters("picture.jpg")
    try bench.shell("ln -s '\(builtProgram("agonyfs-decoder"))' mine")
    let (reads, program) = (Counter(), bench.path + "/mine")
    let decoder = Bench.decoder(at: program)
    for _ in 0..<5 {
      let source = BehavingSource(size: Int64(picture.count)) { (offset, count) throws(Errno) in
        if reads.next() % 3 == 0 { _ = unsafe system("pkill -KILL -f '^\(program)'") }
        let start = Int(min(offset, Int64(picture.count)))
        return Array(picture[start..<min(start + count, picture.count)])
      }
      #expect(throws: Never.self) { try decoder.derive([.small], eagerly: false, from: source) }
    }
    #expect(reads.value > 5)
    decoder.stop()
    // Nothing is left.
    #expect(throws: ShellFailure.self) { try bench.shell("pgrep -f '^\(program)'") }
  }

  /// Where it is killed again in the second try, the file is not blamed.
  @Test(arguments: ["KILL", "TERM"]) func whoIsKilledAgainAndAgainIsNotBlamed(signal: String) throws {
    let bench = try Bench()
    let picture = try bench.quarters("picture.jpg")
    try bench.shell("ln -s '\(builtProgram("agonyfs-decoder"))' mine")
    let program = bench.path + "/mine"
    let decoder = Bench.decoder(at: program)
    let source = BehavingSource(size: Int64(picture.count)) { (_, _) throws(Errno) in
      _ = unsafe system("pkill -\(signal) -f '^\(program)'")
      return []
    }
    #expect(throws: DecoderError.killed) { try decoder.derive([.small], eagerly: false, from: source) }
    #expect(throws: Never.self) { try decoder.derive([.small], eagerly: false, from: MemorySource(picture)) }
  }

  /// Both ends of their sockets are closed with the daemon.
  @Test func decodersEndWithTheirDaemon() throws {
    let path = builtProgram("agonyfs-decoder")
    // One that is still greeting ends by a signal, but not by one that somebody sent.
    func hasEnded(_ process: ChildProcess) -> Bool { process.wait() != .killed(SIGKILL) }
    func template() throws -> ChildProcess {
      let (ours, theirs) = try Descriptor.socketPair()
      return try withExtendedLifetime(ours) {
        try ChildProcess(path, arguments: [path], descriptors: [theirs, nil, nil], inheriting: .nothing)
      }
    }
    #expect(try hasEnded(template()))
    func copy(of program: ForkingProgram) throws -> ChildProcess {
      let (process, socket) = try program.copy(within: 60_000)
      // It has greeted, so it waits for a job.
      #expect(try socket.readSome(most: 64).isEmpty == false)
      return process
    }
    let program = try ForkingProgram(path)
    defer { program.process.end() }
    #expect(try hasEnded(copy(of: program)))
  }

  @Test func failuresOfReadingAreTold() throws {
    let decoder = Bench.decoder()
    let source = BehavingSource(size: 1000) { (_, _) throws(Errno) in throw .ioError }
    #expect(throws: DecoderError.source(.ioError)) { try decoder.derive([.small], eagerly: false, from: source) }
  }

  @Test func confinementIsRequiredOrItsLackIsLoggedOnce() throws {
    let bench = try Bench()
    try bench.shell("ln -s '\(builtProgram("misbehaving-decoder"))' unconfined")
    let log = LogLines()
    let strict = Bench.decoder(at: bench.path + "/unconfined")
    let outcome = #expect(throws: DecoderError.self) { try Self.run("good", on: strict) }
    guard case .unavailable? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    let lenient = Bench.decoder(at: bench.path + "/unconfined", sandbox: .preferred, log: log)
    for behaviour in ["good", "crash", "good"] { _ = try? Self.run(behaviour, on: lenient) }
    #expect(lenient.sandboxState == .reported(landlock: nil, seccomp: false, threads: false))
    #expect(
      log.lines == [
        "warning: the decoder of pictures is not fully confined: no Landlock, no filter of system calls, "
          + "no bound on threads"
      ])
  }

  @Test func aMissingProgramIsNoFaultOfTheFile() throws {
    let decoder = Bench.decoder(at: "/nonexistent/agonyfs-decoder")
    let outcome = #expect(throws: DecoderError.self) { try Self.run("good", on: decoder) }
    #expect(outcome == .unavailable("/nonexistent/agonyfs-decoder: No such file or directory"))
  }
}
