import AlbumsSupport
import FaultyStorage
import Index
import Media
import System
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// A maker that makes thumbnails of four files at a time, and of one more that somebody waits for.
@Suite struct ThumbnailThreadTests {
  private let maker = TestMaker(jobsAtOnce: 4)
  private let vault: TestVault
  private var files: FileSystem { vault.files }

  init() throws { vault = try TestVault(thumbnails: maker) }

  private func photo(_ text: String) -> [UInt8] { Array("photo \(text)".utf8) }

  private func settle() throws { try files.waitUntilNothingIsPending() }

  /// Makes files of which each has another content.
  private func makeSome(_ count: Int, _ text: String) throws -> [InodeNumber] {
    try (0..<count).map { try files.make("\(text) \($0).jpg", with: photo("\(text) \($0)")) }
  }

  private func small(of file: InodeNumber) throws -> String {
    String(decoding: try files.get(try files.thumbnailer.derivative(.small, of: file)), as: UTF8.self)
  }

  private func waitForJobs(_ count: Int) throws {
    try waitUntil("\(count) were begun") { maker.jobs == count }
  }

  /// Waits until files were put aside since another with the same content is under way.
  private func waitForWaiting(_ count: Int) throws {
    try waitUntil("\(count) wait") { files.locked { $0.thumbnails.underWay.waitingCount } == count }
  }

  /// Starts a thread that asks for a small derivative, and waits until that is noted and no thread has taken it up.
  private func demand(_ file: InodeNumber, _ check: @escaping @Sendable (Result<String, any Error>) -> Void)
    throws -> TestThread
  {
    let thread = try startDemand(file, check)
    try waitUntil("a thumbnail is asked for") { files.locked { $0.thumbnails.demandCount } > 0 }
    return thread
  }

  /// The same, and waits until its job was begun.
  private func demandThatIsServed(_ file: InodeNumber, _ check: @escaping @Sendable (Result<String, any Error>) -> Void)
    throws -> TestThread
  {
    let jobs = maker.jobs
    let thread = try startDemand(file, check)
    try waitForJobs(jobs + 1)
    return thread
  }

  private func startDemand(_ file: InodeNumber, _ check: @escaping @Sendable (Result<String, any Error>) -> Void)
    throws -> TestThread
  {
    let files = vault.files
    return try TestThread {
      check(
        Result {
          String(decoding: try files.get(try files.thumbnailer.derivative(.small, of: file)), as: UTF8.self)
        })
    }
  }

  @Test func asManyAreMadeAtOnceAsTheMakerTakes() throws {
    maker.hold()
    let photos = try makeSome(9, "a")
    try waitForJobs(4)
    #expect(try files.thumbnailer.mediaCounts().pending == 9)
    maker.letGo()
    try settle()
    #expect(maker.mostAtOnce == 4)
    #expect(maker.jobs == 9)
    for (number, file) in photos.enumerated() { #expect(try small(of: file) == "small photo a \(number)") }
    try vault.closeSound()
  }

  @Test func whileTheMountIsUsedOneIsMadeBesideWhatSomebodyWaitsFor() throws {
    // It is in use for an hour.
    let end = monotonicTime() + 3_600_000_000_000
    for tick: UInt64 in 0..<16 { files.recentUse.note(at: end + tick * RecentUse.tick) }
    maker.hold()
    let photos = try makeSome(9, "a")
    try waitForJobs(1)
    let thread = try demandThatIsServed(photos[8]) { #expect((try? $0.get()) == "small photo a 8") }
    maker.letGo()
    try thread.join()
    try settle()
    #expect(maker.mostAtOnce == 2)
    try vault.closeSound()
  }

  @Test func equalFilesThatAreTakenAtOnceAreDecodedOnce() throws {
    maker.hold()
    let twins = try (0..<6).map { try files.make("twin \($0).jpg", with: photo("twin")) }
    let other = try files.make("other.jpg", with: photo("other"))
    try waitForJobs(2)
    try waitForWaiting(5)
    // They wait, and whoever counts is told so.
    #expect(try files.thumbnailer.mediaCounts().pending == 7)
    maker.letGo()
    try settle()
    #expect(maker.jobs == 2)
    let made = try Set(twins.map { try files.thumbnailer.derivative(.small, of: $0) })
    #expect(made.count == 1)
    #expect(try small(of: other) == "small photo other")
    try waitForWaiting(0)
    try vault.closeSound()
  }

  @Test(arguments: [DecoderError.undecodable("it is cut short"), .killed, .unavailable("it was not there")])
  func whereTheFirstOfEqualFilesFailsTheNextIsDecoded(error: DecoderError) throws {
    maker.hold()
    for name in ["a.jpg", "b.jpg"] { try files.make(name, with: photo("twin")) }
    try waitForJobs(1)
    try waitForWaiting(1)
    maker.failNext(error)
    maker.letGo()
    try settle()
    let counts = try files.thumbnailer.mediaCounts()
    let failed: Int64 = if case .undecodable = error { 1 } else { 0 }
    #expect(counts.failed == failed && counts.known == 2 - failed)
    #expect(maker.jobs == 2)
    try vault.closeSound()
  }

  @Test func fileThatIsWrittenToMeanwhileIsLookedAtAgainByOneThread() throws {
    maker.hold()
    let file = try files.make("a.jpg", with: photo("a"))
    try waitForJobs(1)
    try files.put(photo("b"), file)
    // Whoever takes this one has passed over the other.
    try files.make("z.jpg", with: photo("z"))
    try waitForJobs(2)
    maker.letGo()
    try settle()
    #expect(maker.jobs == 3)
    #expect(try small(of: file) == "small photo b")
    try vault.closeSound()
  }

  @Test func fileThatWaitsForAnotherIsFreeWithNewContent() throws {
    maker.hold("house")
    let first = try files.make("a.jpg", with: photo("house"))
    try waitForJobs(1)
    let second = try files.make("b.jpg", with: photo("house"))
    try waitForWaiting(1)
    try files.put(photo("trees"), second)
    #expect(try small(of: second) == "small photo trees")
    #expect(try files.thumbnailer.mediaCounts().pending == 1)
    maker.letGo("house")
    try settle()
    #expect(try small(of: first) == "small photo house")
    try vault.closeSound()
  }

  @Test func oneThatTakesLongHoldsNoOtherUp() throws {
    maker.hold("slow")
    let slow = try files.make("slow.jpg", with: photo("slow"))
    try waitForJobs(1)
    let others = try makeSome(20, "other")
    try files.waitUntilNothingIsPending(but: 1)
    for (number, file) in others.enumerated() { #expect(try small(of: file) == "small photo other \(number)") }
    maker.letGo("slow")
    try settle()
    #expect(try small(of: slow) == "small photo slow")
    try vault.closeSound()
  }

  /// There is more in the background than the maker takes, and none of it ends.
  @Test func whatSomebodyWaitsForDoesNotWaitForTheOthers() throws {
    maker.hold("held")
    _ = try makeSome(8, "held")
    try waitForJobs(4)
    let wanted = try files.make("wanted.jpg", with: photo("wanted"))
    #expect(try small(of: wanted) == "small photo wanted")
    #expect(maker.seen == ["photo wanted"])
    #expect(try files.thumbnailer.mediaCounts().pending == 8)
    // None of the others was given up meanwhile.
    let pauses = files.locked { $0.thumbnails.pauses }
    #expect(pauses == 0)
    maker.letGo("held")
    try settle()
    #expect(maker.jobs == 9)
    try vault.closeSound()
  }

  /// All threads are busy, and there is more in the background than they can take.
  @Test func whatSomebodyWaitsForIsServedByTheFirstThatIsFree() throws {
    maker.hold("held")
    maker.hold("other")
    _ = try makeSome(4, "held")
    try waitForJobs(4)
    _ = try makeSome(20, "other")
    let last = try files.make("last.jpg", with: photo("other that is wanted"))
    let first = try demandThatIsServed(last) { result in #expect(throws: Never.self) { try result.get() } }
    let wanted = try files.make("wanted.jpg", with: photo("wanted"))
    let thread = try demand(wanted) { result in #expect(throws: Never.self) { try result.get() } }
    maker.letGo("held")
    try thread.join()
    #expect(try small(of: wanted) == "small photo wanted")
    try files.waitUntilNothingIsPending(but: 21)
    #expect(try files.thumbnailer.mediaCounts().pending == 21)
    maker.letGo("other")
    try first.join()
    try settle()
    try vault.closeSound()
  }

  /// A demand for a file that is under way, and one for a file that waits for that one, need no decoder of their own.
  @Test func demandsWaitUntilTheirFilesAreFree() throws {
    maker.hold()
    let first = try files.make("a.jpg", with: photo("twin"))
    try waitForJobs(1)
    let second = try files.make("b.jpg", with: photo("twin"))
    try waitForWaiting(1)
    let threads = try [first, second].map { file in
      try demand(file) { result in #expect((try? result.get()) == "small photo twin") }
    }
    try waitUntil("both are asked for") { files.locked { $0.thumbnails.demandCount } == 2 }
    maker.letGo()
    for thread in threads { try thread.join() }
    #expect(maker.jobs == 1)
    try vault.closeSound()
  }

  @Test func theEndLeavesWhatIsUnderWayToTheNextMount() throws {
    maker.hold()
    let photos = try makeSome(6, "a")
    try files.make("twin.jpg", with: photo("a 0"))
    try waitForJobs(4)
    let threads = [
      try demandThatIsServed(photos[4]) { result in #expect(throws: Errno.ioError) { try result.get() } },
      try demand(photos[5]) { result in #expect(throws: Errno.ioError) { try result.get() } },
    ]
    try files.close()
    for thread in threads { try thread.join() }
    try vault.mount()
    try settle()
    #expect(try files.thumbnailer.mediaCounts().known == 7)
    for (number, file) in photos.enumerated() { #expect(try small(of: file) == "small photo a \(number)") }
    try vault.closeSound()
  }

  /// Else it would wait for as many large files as there are threads.
  @Test func theEndWaitsForNothingThatIsRead() throws {
    let file = try files.make("a.jpg", with: photo("a"))
    try settle()
    let source = FileSource(fileSystem: files, inode: file, size: Int64(photo("a").count))
    _ = try files.thumbnailer.contentHash(of: file)
    _ = try #require(try files.library.contentMemory.hold(source))
    files.thumbnailer.end()
    expect(.interrupted) { _ = try files.thumbnailer.contentHash(of: file) }
    expect(.interrupted) { _ = try files.library.contentMemory.hold(source) }
    try vault.closeSound()
  }

  @Test func attemptsThatFailTogetherMakeOnePause() {
    var state = ThumbnailState()
    let first = ThumbnailState.retryDelays.lowerBound
    var told: [Bool] = []
    for now in 0..<UInt64(4) { told.append(state.pause("it is not there", of: 0, at: now)) }
    #expect(state.unavailable == nil)
    #expect(state.pauseEnd(after: 4) == first)
    // The next attempt.
    let attempt = state.pauses
    for _ in 0..<2 { told.append(state.pause("it is not there", of: attempt, at: first)) }
    #expect(told == [false, false, false, false, true, false])
    #expect(state.unavailable == "it is not there")
    #expect(state.pauseEnd(after: first) == 3 * first)
  }

  /// However many wait for one, the others are found quickly.
  @Test func onlySoManyWaitForOneContent() {
    var underWay = FilesUnderWay()
    let hash: [UInt8] = [1, 2, 3]
    var isReserved: [Bool] = []
    for number in 1...UInt64(FilesUnderWay.mostWaiting + 2) {
      let file = InodeNumber(rawValue: number)
      underWay.begin(file)
      isReserved.append(underWay.reserve(hash, for: file))
      if number > 1 { underWay.end(file) }
    }
    #expect(isReserved.filter { $0 }.count == 2)
    #expect(underWay.waitingCount == FilesUnderWay.mostWaiting)
    underWay.end(InodeNumber(rawValue: 1))
    #expect(underWay.isEmpty && underWay.waitingCount == 0)
  }

  /// Files come, change and go while thumbnails are made. In the end each has those of its content.
  @Test(arguments: TestLength.seedArguments(4))
  func everyFileGetsWhatItsContentSays(seed: UInt64) throws {
    maker.takeTime(2000)
    maker.failNext(.killed, .unavailable("it was not there"), .killed)
    let files = vault.files
    try inThreads(4) { thread in
      var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(thread))
      let folder = try files.folder("folder \(thread)")
      for _ in 0..<60 {
        // Few contents and few names, so that many are equal and many are taken.
        let number = Int.random(in: 0..<10, using: &generator)
        let content = Array("\(number < 8 ? "photo" : "plain") \(number) that is long enough to be known".utf8)
        let name = "\(Int.random(in: 0..<8, using: &generator)).jpg"
        let file = try? files.find(name, in: folder).inode
        guard let file else {
          try files.make(name, in: folder, with: content)
          continue
        }
        switch Int.random(in: 0..<11, using: &generator) {
        case 0..<3: try files.put(content, file)
        case 3: try files.resize(file, Int64.random(in: 0..<40, using: &generator))
        case 4: try files.delete(name, in: folder)
        case 5: try files.thumbnailer.remakeThumbnail(of: file)
        case 6:
          let other = "\(Int.random(in: 0..<8, using: &generator)).jpg"
          if (try? files.find(other, in: folder)) != nil { continue }
          try files.rename(.of(name), in: folder, to: .of(other), in: folder, flags: [])
        default:
          let size: DerivativeSize = Bool.random(using: &generator) ? .small : .large
          // What changes meanwhile, or is no photo, has none.
          _ = try? files.thumbnailer.derivative(size, of: file)
        }
      }
    }
    try settle()
    for thread in 0..<4 {
      for (name, file) in try files.names(of: try files.find("folder \(thread)").inode) {
        let content = try files.get(file)
        guard content.starts(with: Array("photo".utf8)) else {
          expect(.noSuchFileOrDirectory) { _ = try files.thumbnailer.derivative(.small, of: file) }
          continue
        }
        for (size, text) in [(DerivativeSize.small, "small "), (.large, "large ")] {
          let made = try files.get(try files.thumbnailer.derivative(size, of: file))
          #expect(made == Array(text.utf8) + content, "\(name) of thread \(thread)")
        }
      }
    }
    try vault.closeSound()
  }
}
