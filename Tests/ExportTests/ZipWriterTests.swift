import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Export

/// Archives, as other programs read them.
@Suite struct ZipWriterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func writer(_ calls: FileCalls = FileCalls(), verifies: Bool = true) throws -> ZipWriter {
    let directory = try Descriptor.open(folder.path, O_RDONLY | O_DIRECTORY)
    return ZipWriter(
      to: try FileOutput(calls, Array("a.zip".utf8), in: directory, verifies: verifies), verifies: verifies)
  }

  /// Runs a script of Python in which `z` is the archive, and `unzip -t`.
  private func check(_ script: String, unzips: Bool = true) throws {
    let start = "import zipfile, sys, hashlib\nz = zipfile.ZipFile('\(folder.path)/a.zip')\n"
    let outcome = try Outcome("/usr/bin/env", arguments: ["python3", "-c", start + script])
    #expect(outcome.status == 0, "\(outcome)")
    if unzips {
      let outcome = try Outcome("/usr/bin/env", arguments: ["unzip", "-tqq", folder.path + "/a.zip"])
      #expect(outcome.status == 0, "\(outcome)")
    }
  }

  @Test func otherProgramsReadIt() throws {
    let space = FolderWriterTests.sample()
    space.files["Été/naïve 😀.jpg"] = Array("bytes".utf8)
    space.files["empty"] = []
    let (summary, outcomes) = export(space, to: try writer())
    #expect(summary.isWhole && summary.exported == 9 && outcomes.count == 9)
    #expect(try Directory.names(in: folder.path) == [Array("a.zip".utf8)])
    try check(
      """
      assert z.testzip() is None
      names = z.namelist()
      assert 'Été/naïve 😀.jpg' in names and 'album 1/deep/' in names and len(names) == 9 + 5, names
      assert z.read('Été/naïve 😀.jpg') == b'bytes' and z.read('empty') == b''
      info = z.getinfo('root.txt')
      assert info.compress_type == 0 and info.external_attr >> 16 == 0o100640 and info.flag_bits == 0, info
      assert info.extra == b'UT\\x05\\x00\\x01' + (1500000000).to_bytes(4, 'little'), info.extra
      want = bytes((i * 7 + 3) & 255 for i in range(3 * 70001))
      assert z.read('album 1/deep/IMG_3.jpg') == want
      """)
  }

  @Test func manyEntries() throws {
    let output = Collected()
    let zip = ZipWriter(to: output, verifies: false)
    for number in 0..<70_000 {
      _ = try zip.add(ExportFile(folder: [], name: Array("\(number)".utf8), content: MemoryContent([1])))
    }
    try zip.finish()
    try Descriptor.open(folder.path + "/a.zip", O_WRONLY | O_CREAT).writeAll(output.bytes)
    try check("assert len(z.namelist()) == 70000 and z.read('69999') == b'\\x01'", unzips: false)
    let listed = try Outcome("/usr/bin/env", arguments: ["unzip", "-Zt", folder.path + "/a.zip"])
    #expect(listed.output.hasPrefix("70000 files"), "\(listed)")
  }

  /// One file of more than 4 GiB, and one that begins behind 4 GiB. Holes stay holes, so it takes no room.
  @Test(.timeLimit(.minutes(10))) func largeFiles() throws {
    let space = MemorySpace()
    space.files["a large one"] = Array("start".utf8)
    space.sizes["a large one"] = (4 << 30) + 12_345
    space.files["b"] = Array("behind".utf8)
    // The stored hash of so many bytes would be made in memory.
    let (summary, _) = export(space, to: try writer(verifies: false))
    #expect(summary.isWhole && summary.exported == 2)
    try check(
      """
      info = z.getinfo('a large one')
      assert info.file_size == (4 << 30) + 12345 and z.getinfo('b').header_offset > 4 << 30
      assert z.read('b') == b'behind'
      # What Python's zlib says of these bytes: reading all of them takes half a minute.
      assert info.CRC == 0xa6319d9c and info.compress_size == info.file_size
      """, unzips: false)
    var status = stat()
    try systemCall { unsafe stat(folder.path + "/a.zip", &status) }
    #expect(status.st_blocks * 512 < 64 << 20)
  }

  @Test func whatIsWrongNeverBegins() throws {
    let space = FolderWriterTests.sample()
    for (path, fault) in [("c", MemoryFile.Fault.unreadable), ("d", .short), ("e", .storedDiffers), ("f", .changes)] {
      space.files[path] = [UInt8](repeating: 1, count: 200_000)
      space.faults[path] = fault
    }
    let (summary, _) = export(space, to: try writer())
    #expect(summary.failed == 4 && summary.exported == 7 && summary.end == nil)
    try check("assert z.testzip() is None and len(z.namelist()) == 7 + 4, z.namelist()")
  }

  /// A file that gives other bytes the second time: the archive would be wrong, so there is none.
  @Test func aLieEndsIt() throws {
    let space = FolderWriterTests.sample()
    space.files["album 0/deep/lies"] = [1, 2, 3]
    space.faults["album 0/deep/lies"] = .lies
    let (summary, outcomes) = export(space, to: try writer())
    #expect(summary.end == .changed && outcomes["album 0/deep/lies"] == .failed(.changed) && outcomes.count == 8)
    #expect(try Directory.names(in: folder.path).isEmpty)
  }

  @Test func anArchiveThatIsThereStays() throws {
    let zip = try writer()
    try Descriptor.open(folder.path + "/a.zip", O_WRONLY | O_CREAT).writeAll([1])
    let (summary, _) = export(FolderWriterTests.sample(), to: zip)
    #expect(summary.end == .destination(EEXIST))
    #expect(try WholeFile.read(folder.path + "/a.zip") == [1])
    #expect(try Directory.names(in: folder.path).count == 1)
  }

  @Test func interruptedArchivesGo() throws {
    let observer = Observer()
    observer.most = 4
    let (summary, _) = export(FolderWriterTests.sample(), to: try writer(), observer: observer)
    #expect(summary.isInterrupted && !summary.isWhole)
    #expect(try Directory.names(in: folder.path).isEmpty)
  }

  /// Names that are no UTF-8 are kept as bytes, and names that changed copies would share get a number.
  @Test func names() throws {
    let output = Collected()
    let zip = ZipWriter(to: output, verifies: false)
    let first = try zip.add(ExportFile(folder: [], name: [0xff, 0x61], content: MemoryContent([1])))
    #expect(first.outcome == .exported(path: [0xff, 0x61], bytes: 1))
    for wanted in ["a.jpg", "a (2).jpg"] {
      let outcome = try zip.add(ExportFile(folder: [], name: Array("a.jpg".utf8), content: MemoryContent([1])))
      #expect(outcome.outcome == .exported(path: Array(wanted.utf8), bytes: 1))
    }
    try zip.finish()
    #expect(output.bytes[6..<8] == [0, 0] && output.bytes[30..<32] == [0xff, 0x61])
  }
}

/// An output in memory.
final class Collected: ZipOutput {
  var bytes: [UInt8] = []

  func write(_ bytes: UnsafeRawBufferPointer, isHole: Bool) throws(ExportFailure) { unsafe self.bytes += bytes }
  func finish() throws(ExportFailure) {}
  func abandon() {}
}

extension ExportStep {
  /// How it ended, if it did.
  fileprivate var outcome: ExportOutcome? { if case .ended(let outcome) = self { outcome } else { nil } }
}
