import Glibc
import SystemPackage
import Testing

@testable import agonyfs

/// Sizes and paths as people write them.
@Suite struct SizeAndPathTests {
  private static let understood: [(String, Int64)] = [
    ("0", 0), ("4194304", 4_194_304), ("4M", 4_194_304), ("4m", 4_194_304), ("4MB", 4_194_304), ("4MiB", 4_194_304),
    ("4mib", 4_194_304), ("1K", 1024), ("20G", 21_474_836_480), ("3T", 3_298_534_883_328), ("5B", 5),
  ]

  @Test(arguments: understood)
  func sizesAreUnderstood(_ text: String, _ bytes: Int64) {
    #expect(ByteSize(argument: text)?.bytes == bytes)
  }

  @Test(arguments: ["", "M", "4 M", "-1", "4X", "4MM", "1.5G", "9223372036854775808", "9000000T", "٤M"])
  func othersAreNot(_ text: String) {
    #expect(ByteSize(argument: text) == nil)
  }

  @Test func timeThatIsLeftIsNoGuess() {
    #expect(TransferProgress.timeLeft(after: 1.2, 500, of: 1000) == nil)
    #expect(TransferProgress.timeLeft(after: 60, 10, of: 1000) == nil)
    #expect(TransferProgress.timeLeft(after: 60, 0, of: 0) == nil)
    #expect(TransferProgress.timeLeft(after: 10, 250, of: 1000) == 30)
    #expect(TransferProgress.timeLeft(after: 10, 1000, of: 900) == 0)
  }

  private static let shown: [(Int64, String)] = [
    (0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (4_194_304, "4 MiB"),
    (2_748_779_069_440, "2.5 TiB"), (5_629_499_534_213_120, "5120 TiB"),
  ]

  @Test(arguments: shown)
  func sizesAreShown(_ bytes: Int64, _ text: String) {
    #expect(ByteSize(bytes: bytes).description == text)
  }

  @Test func absolutePathsStay() {
    #expect(AbsolutePath.of("/a/b") == "/a/b")
    #expect(AbsolutePath.of("/a/b//") == "/a/b")
    #expect(AbsolutePath.of("/") == "/")
  }

  @Test func relativePathsBeginHere() throws {
    let directory = try #require(unsafe getcwd(nil, 0).map { unsafe String(cString: $0) })
    #expect(AbsolutePath.of("a/b/") == FilePath(directory + "/a/b"))
    #expect(AbsolutePath.of("../a") == FilePath(directory + "/../a"))
  }
}
