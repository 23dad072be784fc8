@testable import Media

/// A decoded picture, three bytes a pixel.
struct Pixels {
  var width: Int
  var height: Int
  var bytes: [UInt8]

  /// Decodes a picture by the libvips of the machine, not by our decoder.
  init(_ picture: [UInt8], in bench: Bench) throws {
    try bench.write(picture, to: "pixels-in")
    let ppm = try bench.shell("vips ppmsave pixels-in pixels.ppm --strip && cat pixels.ppm")
    // "P6", width, height, 255, then the bytes.
    var fields: [Int] = []
    var at = 2
    while fields.count < 3 {
      if ppm[at] == 0x23 { while ppm[at] != 0x0a { at += 1 } }
      if (0x30...0x39).contains(ppm[at]) {
        var value = 0
        while (0x30...0x39).contains(ppm[at]) {
          value = value * 10 + Int(ppm[at] - 0x30)
          at += 1
        }
        fields.append(value)
      } else {
        at += 1
      }
    }
    width = fields[0]
    height = fields[1]
    bytes = Array(ppm[(at + 1)...])
  }

  /// Red, green and blue of a pixel.
  subscript(x: Int, y: Int) -> [Int] { (0..<3).map { Int(bytes[(y * width + x) * 3 + $0]) } }

  /// The mean difference of two pictures' bytes; nil where their sizes differ.
  func difference(from other: Pixels) -> Double? {
    guard width == other.width, height == other.height, bytes.count == other.bytes.count else { return nil }
    return Double(zip(bytes, other.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(bytes.count)
  }
}

extension Bench {
  /// Writes a PPM with four quarters of different colours: red, green over blue, yellow.
  func writeQuarters(width: Int = 1600, height: Int = 1200, to name: String = "quarters.ppm") throws {
    var bytes = Array("P6 \(width) \(height) 255\n".utf8)
    for (left, right): ([UInt8], [UInt8]) in [([230, 30, 30], [30, 200, 30]), ([30, 30, 220], [220, 210, 30])] {
      let row = (0..<width).flatMap { $0 < width / 2 ? left : right }
      for _ in 0..<(height / 2) { bytes += row }
    }
    try write(bytes, to: name)
  }

  /// Has a shell script make a file of `quarters.ppm`, which is a copy without one; the file's bytes.
  func quarters(_ name: String, width: Int = 1600, height: Int = 1200, by script: String? = nil) throws -> [UInt8] {
    try writeQuarters(width: width, height: height)
    try shell(script ?? "vips copy quarters.ppm \(name)")
    return try file(name)
  }
}
