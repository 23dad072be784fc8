import TestSupport
import Testing

@testable import System

/// Who traces this process, in folders like those of /proc.
@Suite struct TracerTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["self", "self/task", "self/task/20", "self/task/21", "30", "31"] { try folder.makeDirectory(name) }
    for (process, tracer, user) in [
      ("self", 0, 1000), ("self/task/20", 0, 1000), ("self/task/21", 0, 1000), ("30", 0, 0), ("31", 0, 1000),
    ] {
      try write(process, tracer: tracer, user: user)
    }
  }

  private func write(_ process: String, tracer: Int, user: Int) throws {
    let status = "Name:\tagonyfs\nTracerPid:\t\(tracer)\nUid:\t1000\t\(user)\t1000\t1000\n"
    try folder.write(status, to: "\(process)/status")
  }

  private var tracer: Int32? { ProcessHardening.tracer(in: folder.path) }

  @Test func nobodyTraces() throws {
    #expect(tracer == nil)
    #expect(ProcessHardening.tracer(in: folder.path("none")) == nil)
  }

  @Test(arguments: ["self", "self/task/20", "self/task/21"]) func aTracerOfOneThreadIsFound(_ thread: String) throws {
    try write(thread, tracer: 31, user: 1000)
    #expect(tracer == 31)
  }

  @Test func rootCountsAsNone() throws {
    try write("self/task/20", tracer: 30, user: 1000)
    #expect(tracer == nil)
    try write("self/task/21", tracer: 31, user: 1000)
    #expect(tracer == 31)
  }

  /// Whoever cannot be looked at is not root.
  @Test func aTracerThatDoesNotShowIsFound() throws {
    try write("self/task/21", tracer: 99, user: 1000)
    #expect(tracer == 99)
  }
}
