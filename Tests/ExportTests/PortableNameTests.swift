import HostFiles
import System
import TestSupport
import Testing

@testable import Export

/// Names for Windows and exFAT.
@Suite struct PortableNameTests {
  private static let names = [
    ("a:b?*\"<>|\\.jpg", "a_b_______.jpg"), ("new\nline\u{1}", "new_line_"), ("point.", "point_"), ("blank ", "blank_"),
    ("CON", "CON_"), ("con.jpg", "con_.jpg"), ("Lpt9.tar.gz", "Lpt9_.tar.gz"), ("com¹", "com¹_"), ("nul .x", "nul _.x"),
  ]

  @Test(arguments: names) func whatIsRefusedIsReplaced(name: String, portable: String) {
    #expect(PortableName.of(Array(name.utf8)) == Array(portable.utf8))
    #expect(!PortableName.isOne(Array(name.utf8)))
    #expect(PortableName.isOne(Array(portable.utf8)))
  }

  @Test func otherNamesStay() {
    for name in ["a.jpg", "CONE.jpg", "COM10", "COM0", "été 😀 \u{FFFD}.jpg", ".hidden", "a. b", "_"] {
      #expect(PortableName.isOne(Array(name.utf8)), "\(name)")
    }
    #expect(PortableName.of([0x61, 0xff, 0x62]) == Array("a_b".utf8))
  }

  /// Each file comes out once, beside what belongs to it, in an album of its own.
  @Test func anExportKeepsEverythingApart() throws {
    let space = MemorySpace()
    let files = [
      "a:b.jpg", "a:b.jpg.xmp", "a_b.jpg", "x?/1.jpg", "x_/1.jpg", "x_/AUX/c|d.mov", "plain.jpg", "resized:1.heic",
    ]
    for (number, path) in files.enumerated() { space.files[path] = [UInt8(number)] }
    var plan = ExportPlan(space, album: [])
    plan.addAll()
    let refused = Set(plan.refusedPaths.map { String(decoding: $0, as: UTF8.self) })
    #expect(
      refused == ["a:b.jpg", "a:b.jpg.xmp", "x?", "x_/AUX", "x_/AUX/c|d.mov", "resized:1.heic"])
    #expect(plan.refusedPaths.count == refused.count)
    plan.makePortable()
    #expect(plan.refusedPaths.isEmpty)
    let changes = NoChanges()
    changes.forms["resized:1.heic"] = .changed(
      MemoryContent([9]), name: Array("resized:1.jpg".utf8), hasTime: true)
    let observer = Observer()
    let summary = ExportRun(
      space, to: ZipWriter(to: Collected(), verifies: false), changes, observer: observer
    ).run(plan)
    #expect(summary.isWhole && summary.exported == files.count)
    let paths = observer.outcomes.compactMapValues { outcome -> String? in
      if case .exported(let path, _) = outcome { String(decoding: path, as: UTF8.self) } else { nil }
    }
    #expect(
      paths == [
        "a:b.jpg": "a_b (2).jpg", "a:b.jpg.xmp": "a_b (2).jpg.xmp", "a_b.jpg": "a_b.jpg", "x?/1.jpg": "x_ (2)/1.jpg",
        "x_/1.jpg": "x_/1.jpg", "x_/AUX/c|d.mov": "x_/AUX_/c_d.mov", "plain.jpg": "plain.jpg",
        "resized:1.heic": "resized_1.jpg",
      ])
  }
}
