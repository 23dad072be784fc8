internal import CDecoder
internal import Media
internal import System

/// An archive that is read from its start to its end.
protocol ArchiveFormat {
  /// The next entry; nil at the end.
  mutating func next() throws(ArchiveFailure) -> ArchiveEntry?

  /// The next bytes of the entry: at most `most`, and fewer only at its end. `end` is nil before the end.
  mutating func read(most: Int) -> (bytes: [UInt8], end: ArchiveVerdict?)

  /// Skips at most `most` bytes of the rest of the entry. Returns the number of skipped bytes; nil at its end.
  mutating func skip(most: Int) -> Int?

  /// Whether the archive was whole; valid after `next()` returned nil.
  var verdict: ArchiveVerdict { get }
}

/// The rest of the archive cannot be read.
struct ArchiveFailure: Error {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// A job that sends the entries of an archive. The daemon asks for each step, so it sets the pace.
enum ArchiveJob {
  /// Serves the archive until its end. A tar starts with an entry's name, so libarchive has to recognize it.
  static func run(fileSize: Int64) throws(DecoderError) {
    let input = FileInput(size: fileSize)
    guard let start = input.bytes(at: 0, count: 4), start.count == 4 else { throw .notMedia }
    if start == ZipArchive.header || start == ZipArchive.end {
      let archive: ZipArchive
      do throws(ArchiveFailure) { archive = try ZipArchive(input) } catch { throw .undecodable(error.reason) }
      serve(archive)
    } else {
      let isArchive = unsafe InputRange(input).withInput { input in
        guard let archive = unsafe TarArchive(input) else { return false }
        serve(archive)
        return true
      }
      if !isArchive { throw .notMedia }
    }
  }

  private static func serve(_ archive: some ArchiveFormat) {
    var archive = archive
    do throws(ArchiveFailure) {
      while let entry = try archive.next() {
        Channel.send(.entry, entry.encoded)
        if entry.kind == .file { serveData(of: &archive) }
        _ = step()
      }
      Channel.send(.archiveEnd, archive.verdict.encoded)
    } catch {
      Channel.send(.archiveEnd, ArchiveVerdict.damaged(error.reason).encoded)
    }
  }

  private static func serveData(of archive: inout some ArchiveFormat) {
    while true {
      if step() {
        guard let left = archive.skip(most: WireMessage.mostSkippedBytes) else {
          Channel.send(.entryEnd, ArchiveVerdict.skipped.encoded)
          return
        }
        var count = ByteWriter()
        count.append(UInt32(left))
        Channel.send(.skipped, count.bytes)
      } else {
        var (bytes, end) = archive.read(most: WireMessage.mostPieceBytes)
        if !bytes.isEmpty {
          bytes.append(end == nil ? 0 : 1)
          Channel.send(.piece, bytes)
        }
        if let end {
          Channel.send(.entryEnd, end.encoded)
          return
        }
      }
    }
  }

  /// Waits for the daemon's next request. Returns whether the daemon wants to skip the entry.
  private static func step() -> Bool {
    let (message, body) = Channel.receive()
    guard message == .next, let flag = body.first, body.count == 1 else { Channel.end() }
    Program.allowProcessorTime()
    return flag != 0
  }
}
