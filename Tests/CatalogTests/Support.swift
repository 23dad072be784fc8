import TestSupport

@testable import Catalog

/// The bytes of a file of this machine; nil if there is none.
func hostFile(_ path: String) -> [UInt8]? { try? HostFile.read(path) }

/// A path of the package, from the path of a file of the tests.
func packagePath(_ relative: String, file: String = #filePath) -> String {
  file.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/" + relative
}

/// Random numbers that a seed repeats.
typealias SeededNumbers = SplitMix64

extension SplitMix64 {
  mutating func chance(_ one: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &self) < one }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }

  /// Some bytes changed, cut out, doubled or put in.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let end = min(bytes.count, place + Int.random(in: 0...8, using: &self))
      switch Int.random(in: 0..<5, using: &self) {
      case 0: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &self) }
      case 1: bytes.removeSubrange(place..<end)
      case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
      case 3: bytes.insert(contentsOf: self.bytes(2), at: place)
      default: bytes = Array(bytes[..<place])
      }
    }
    return bytes
  }
}

extension SortOrder {
  /// Items in this order.
  func sorted(_ items: [MediaItem]) -> [MediaItem] {
    items.sorted { position(of: $0).precedes(position(of: $1), in: self) }
  }
}

/// A time for tests: "2024-08-15T10:30:05+02:00".
func captured(_ text: String, from source: FactSource = .exif) -> CapturedTime? {
  TimeText.parse(text.utf8).flatMap { CapturedTime.resolve([TimeCandidate($0, from: source)]) }
}
