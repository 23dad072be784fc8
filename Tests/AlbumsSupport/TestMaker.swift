internal import Glibc
internal import Library
package import Media
internal import Synchronization
internal import SystemPackage
internal import TestSupport

/// Stands in for the decoder: a content that begins with "photo" is one, and its derivatives say what they were made
/// of.
package final class TestMaker: DerivativeMaker {
  private struct State {
    var jobs = 0
    var seen: [String] = []
    var failures: [DecoderError] = []
    var isStopped = false
    var isHeld = false
    var held: Set<String> = []
    var atOnce = 0
    var mostAtOnce = 0
    var longest: UInt32 = 0
    var leavesLargeOut = false
  }

  private let state = Mutex(State())
  package let jobsAtOnce: Int

  /// Takes so many jobs at once.
  package init(jobsAtOnce: Int = 1) { self.jobsAtOnce = jobsAtOnce }

  package var confinement: String { "none" }
  /// How many derivatives were asked for.
  package var jobs: Int { state.withLock { $0.jobs } }
  /// How many derivatives were under way at once, at most.
  package var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
  /// The contents that it was given, in their order.
  package var seen: [String] { state.withLock { $0.seen } }
  /// Fails with these errors, one after the other, before it makes anything again.
  package func failNext(_ errors: DecoderError...) { state.withLock { $0.failures += errors } }
  /// Makes nothing until `letGo()`.
  package func hold() { state.withLock { $0.isHeld = true } }
  /// Ends that.
  package func letGo() { state.withLock { $0.isHeld = false } }
  /// The same for contents with such a text.
  package func hold(_ text: String) { state.withLock { _ = $0.held.insert(text) } }
  /// Ends that.
  package func letGo(_ text: String) { state.withLock { _ = $0.held.remove(text) } }
  /// Takes up to so many microseconds for each, from now on.
  package func takeTime(_ longest: UInt32) { state.withLock { $0.longest = longest } }
  /// Makes large ones only when they are asked for, from now on.
  package func leaveLargeOut() { state.withLock { $0.leavesLargeOut = true } }
  package func stop() { state.withLock { $0.isStopped = true } }
  package func mayBegin(with bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe bytes.starts(with: Array("photo".utf8)) || MediaKind.mayBegin(with: bytes)
  }

  package func derive(
    _ sizes: Set<DerivativeSize>, eagerly: Bool, from source: any MediaSource
  ) throws(DecoderError) -> Derivatives {
    state.withLock {
      $0.jobs += 1
      $0.atOnce += 1
      $0.mostAtOnce = max($0.mostAtOnce, $0.atOnce)
    }
    defer { state.withLock { $0.atOnce -= 1 } }
    // What it is later counts, if it changes meanwhile.
    var text = ""
    if state.withLock({ !$0.held.isEmpty }) { text = String(decoding: try source.whole(), as: UTF8.self) }
    do {
      try waitUntil("the test let go") { [text] in
        state.withLock { state in
          state.isStopped || !state.isHeld && !state.held.contains { text.contains($0) }
        }
      }
    } catch {
      throw .unavailable("\(error)")
    }
    let longest = state.withLock { $0.longest }
    if longest > 0 { usleep(.random(in: 0...longest)) }
    if let error = state.withLock({ $0.failures.isEmpty ? nil : $0.failures.removeFirst() }) { throw error }
    let bytes = try source.whole()
    state.withLock { $0.seen.append(String(decoding: bytes, as: UTF8.self)) }
    guard bytes.starts(with: Array("photo".utf8)) else { throw .notMedia }
    let facts = MediaFacts(kind: .jpeg, width: 40, height: 30, orientation: 6)
    let wantsLarge = sizes.contains(.large) && !(eagerly && state.withLock { $0.leavesLargeOut })
    return Derivatives(
      facts: facts, small: sizes.contains(.small) ? Array("small ".utf8) + bytes : nil,
      large: wantsLarge ? Array("large ".utf8) + bytes : nil)
  }

  package func full(of source: any MediaSource) throws(DecoderError) -> [UInt8] { Array("full \(source.size)".utf8) }

  package func png(from jpeg: [UInt8], longerSide: Int, text: [(String, String)]) throws(DecoderError) -> [UInt8] {
    Array("png \(longerSide) \(text.map { "\($0.0)=\($0.1)" }.joined(separator: " ")) ".utf8) + jpeg
  }
}

extension MediaSource {
  /// All of its bytes, as a decoder gets them.
  package func whole() throws(DecoderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(size))
    var failure: Errno?
    unsafe bytes.withUnsafeMutableBytes { buffer in
      do throws(Errno) { _ = try unsafe read(at: 0, into: buffer) } catch { failure = error }
    }
    if let failure { throw .source(failure) }
    return bytes
  }
}
