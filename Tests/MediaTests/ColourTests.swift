import TestSupport
import Testing

@testable import Media

/// Colours that are stated by numbers (ITU-T H.273), not by a profile.
@Suite struct ColourTests {
  /// States colours in a file that is there.
  private static let state = """
    import struct, sys, zlib
    name, primaries, transfer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = open(name, "rb").read()
    if name.endswith("png"):
        chunk = b"cICP" + bytes([primaries, transfer, 0, 1])
        data = data[:33] + struct.pack(">I", 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) + data[33:]
    else:
        place = data.index(b"colrnclx") + 8
        data = data[:place] + struct.pack(">HH", primaries, transfer) + data[place + 4:]
    open(name, "wb").write(data)
    """

  /// States colours of the picture in a HEIC, the last of its items, which has none.
  private static let stateInHEIC = #"""
    import struct, sys
    name, primaries, transfer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    data = bytearray(open(name, "rb").read())
    number = lambda at, count=4: int.from_bytes(data[at:at + count], "big")
    size = lambda kind: number(data.index(kind) - 4)
    def grow(kind, by):
        at = data.index(kind) - 4
        data[at:at + 4] = struct.pack(">I", number(at) + by)
    colours = b"\0\0\0\x13colrnclx" + struct.pack(">HHHB", primaries, transfer, 6, 128)
    place = data.index(b"ipco") + 4
    end, properties = place - 8 + size(b"ipco"), 1
    while place < end:
        place, properties = place + number(place), properties + 1
    at = data.index(b"ipma")
    entry = at + 12
    for _ in range(number(at + 8) - 1):
        entry += 3 + data[entry + 2]
    data[entry + 2] += 1
    data.insert(at - 4 + size(b"ipma"), properties)
    data[end:end] = colours
    grow(b"ipma", 1)
    grow(b"ipco", len(colours))
    for kind in (b"iprp", b"meta"):
        grow(kind, len(colours) + 1)
    at = data.index(b"iloc") + 8
    # Version 0, which libheif writes from 1.23 on, knows no methods.
    methods = 2 if data[at - 4] else 0
    lengths, base, items, at = data[at], data[at + 1] >> 4, number(at + 2, 2), at + 4
    for _ in range(items):
        method, extents = number(at + 2, methods), number(at + 4 + methods + base, 2)
        at += 6 + methods + base
        for _ in range(extents):
            width = lengths >> 4
            if method == 0:
                data[at:at + width] = (number(at, width) + len(colours) + 1).to_bytes(width, "big")
            at += width + (lengths & 15)
    open(name, "wb").write(data)
    """#

  private typealias Case = (primaries: Int, transfer: Int, stored: [Int], shown: [Int])
  /// Display P3 and BT.2020 with the curve of sRGB and with that of BT.709; sRGB; what is not known; and HDR, in which
  /// the first is the reference white, by PQ 203 and 20 cd/m², by HLG three fourths and a half of the signal.
  private static let cases: [Case] = [
    (12, 13, [200, 80, 80], [216, 69, 75]), (9, 13, [200, 80, 80], [244, 37, 75]),
    (9, 1, [200, 80, 80], [244, 37, 75]),
    (1, 13, [200, 80, 80], [200, 80, 80]), (2, 2, [200, 80, 80], [200, 80, 80]),
    (99, 77, [200, 80, 80], [200, 80, 80]),
    (9, 16, [148, 148, 148], [243, 243, 243]), (9, 16, [90, 90, 90], [87, 87, 87]),
    (9, 18, [191, 191, 191], [243, 243, 243]), (9, 18, [128, 128, 128], [137, 137, 137]),
    (1, 8, [128, 128, 128], [188, 188, 188]),
  ]

  private func writePicture(_ colour: [Int], in bench: Bench) throws {
    let pixels = (0..<64 * 48).flatMap { _ in colour.map { UInt8($0) } }
    try bench.write(Array("P6 64 48 255\n".utf8) + pixels, to: "picture.ppm")
  }

  /// What is shown is within three of what is right: pictures and copies are JPEGs.
  private func expect(_ bytes: [UInt8], shows colour: [Int], x: Double = 0.5, in bench: Bench, _ what: String) throws {
    let pixels = try Pixels(bytes, in: bench)
    let found = pixels[Int(x * Double(pixels.width)), pixels.height / 2].map { Int($0) }
    #expect(zip(found, colour).allSatisfy { abs($0 - $1) <= 3 }, "\(what): \(found) for \(colour)")
  }

  /// Both derivatives of a file, and a copy.
  private func expectAll(
    _ file: String, show colour: [Int], by decoder: Decoder, in bench: Bench, _ what: String
  ) throws {
    let source = MemorySource(try bench.file(file))
    let made = try decoder.derive([.small, .large], eagerly: false, from: source)
    try expect(try #require(made.small), shows: colour, in: bench, "the small one of \(what)")
    try expect(try #require(made.large), shows: colour, in: bench, "the large one of \(what)")
    try expect(try decoder.resized(source, to: 48), shows: colour, in: bench, "a copy of \(what)")
  }

  @Test(arguments: ["a.png", "a.avif", "ten bits.avif", "a.heic"]) func picturesAreConverted(name: String) throws {
    let bench = try Bench()
    let isHEIC = name == "a.heic"
    try bench.write(Array((isHEIC ? Self.stateInHEIC : Self.state).utf8), to: "state.py")
    let decoder = Bench.decoder()
    // The curves of what is not HDR are one kind.
    for each in TestLength.sample(
      Self.cases, 5, kind: { [8, 16, 18].contains($0.transfer) ? $0.transfer : 0 }, name: name)
    {
      try writePicture(each.stored, in: bench)
      // libvips states colours in an AVIF in some of its versions only.
      let save =
        name == "a.png"
        ? "vips pngsave picture.ppm a.png"
        : isHEIC
          ? "vips heifsave picture.ppm a.heic --Q 98 --compression hevc"
          : """
          ffmpeg -v error -y -i picture.ppm -vf scale=out_color_matrix=bt709:out_range=full \
            -pix_fmt yuv444p\(name == "a.avif" ? "" : "10le") -c:v libaom-av1 -still-picture 1 -cpu-used 8 -crf 4 \
            -color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range pc '\(name)'
          """
      try bench.shell("\(save)\npython3 state.py '\(name)' \(each.primaries) \(each.transfer)")
      try expectAll(name, show: each.shown, by: decoder, in: bench, "\(name) \(each)")
    }
  }

  /// libjxl makes a profile of what a file states, of which libvips knows no more.
  @Test(arguments: ["rgb24", "rgb48le", "gray"]) func hdrInJXLIsConverted(format: String) throws {
    let bench = try Bench()
    let decoder = Bench.decoder()
    for each in Self.cases where [16, 18].contains(each.transfer) {
      try writePicture(each.stored, in: bench)
      let transfer = each.transfer == 16 ? "smpte2084" : "arib-std-b67"
      let stated = "color_primaries=bt2020:color_trc=\(transfer):colorspace=gbr:range=pc"
      try bench.shell(
        """
        ffmpeg -v error -y -i picture.ppm -vf 'format=\(format),setparams=\(stated)' -c:v libjxl -distance 0.1 a.jxl
        """)
      try expectAll("a.jxl", show: each.shown, by: decoder, in: bench, "\(format) \(each)")
    }
  }

  /// PNG has what it states before its profile, also where that says that the colours are those of sRGB; HEIF has the
  /// profile before what it states.
  @Test(arguments: [(9, [244, 37, 75]), (1, [200, 80, 80])])
  func whatAProfileIsPutBefore(primaries: Int, shown: [Int]) throws {
    let bench = try Bench()
    try bench.write(Array(Self.state.utf8), to: "state.py")
    try writePicture([200, 80, 80], in: bench)
    try bench.shell("vips pngsave picture.ppm a.png --profile p3\npython3 state.py a.png \(primaries) 13")
    try expectAll("a.png", show: shown, by: Bench.decoder(), in: bench, "a PNG with both")
  }

  /// A picture with a gain map shows what stands first, its SDR picture.
  @Test func ofAGainMapThePictureIsShown() throws {
    let bench = try Bench()
    try writePicture([200, 80, 80], in: bench)
    try bench.shell("vips jpegsave picture.ppm a.jpg\nvips black map.v 64 48\nvips jpegsave map.v map.jpg")
    let description = """
      <rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" hdrgm:GainMapMax="3"/>
      """
    let map = try bench.file("map.jpg").adding(xmp: description)
    let picture = try bench.file("a.jpg").adding(xmp: description) + map
    try expect(try #require(try Bench.decoder().derive(picture).large), shows: [200, 80, 80], in: bench, "a gain map")
  }

  /// Gives the second picture of a HEIC, which was its transparency, the name that phones give to a gain map: the boxes
  /// around it, and the places of pictures, move (ISO/IEC 14496-12, 8.11.3; ISO/IEC 23008-12, 6.5.8).
  private static let naming = #"""
    import struct
    data = bytearray(open("alpha.heic", "rb").read())
    old, new = b"urn:mpeg:hevc:2015:auxid:1\0", b"urn:com:apple:photo:2020:aux:hdrgainmap\0"
    place, growth = data.index(old), len(new) - len(old)
    boxes, start, end, found = [], 0, len(data), {}
    def walk(start, end):
        while start < end:
            size, kind = struct.unpack_from(">I4s", data, start)
            if kind == b"iloc": found["iloc"] = start
            if start < place < start + size: boxes.append(start)
            if kind in (b"meta", b"iprp", b"ipco"): walk(start + (12 if kind == b"meta" else 8), start + size)
            start += size
    walk(0, len(data))
    at = found["iloc"] + 8
    version = data[at]
    sizes, bases = data[at + 4], data[at + 5]
    at += 6
    count, = struct.unpack_from(">I" if version == 2 else ">H", data, at)
    at += 4 if version == 2 else 2
    for _ in range(count):
        at += 4 if version == 2 else 2
        # What is in the box of items itself stays where it is.
        method = data[at + 1] & 15 if version else 0
        at += (4 if version else 2) + (bases >> 4)
        extents, = struct.unpack_from(">H", data, at)
        at += 2
        for _ in range(extents):
            at += bases & 15 if version else 0
            width = sizes >> 4
            offset = int.from_bytes(data[at:at + width], "big")
            data[at:at + width] = (offset + (0 if method else growth)).to_bytes(width, "big")
            at += width + (sizes & 15)
    for box in boxes: struct.pack_into(">I", data, box, struct.unpack_from(">I", data, box)[0] + growth)
    data[place:place + len(old)] = new
    open("gain.heic", "wb").write(data)
    """#

  /// All of it is transparent; nothing of it is, once that is a gain map.
  @Test func ofAHEICWithAGainMapThePictureIsShown() throws {
    let bench = try Bench()
    try writePicture([200, 80, 80], in: bench)
    try bench.write(Array(Self.naming.utf8), to: "gain.py")
    try bench.shell(
      """
      vips copy picture.ppm colours.v
      vips black clear.v $(vipsheader -f width picture.ppm) $(vipsheader -f height picture.ppm)
      vips bandjoin "colours.v clear.v" both.v
      vips copy both.v named.v --interpretation srgb
      vips heifsave named.v alpha.heic --compression hevc --Q 90
      python3 gain.py
      """)
    let decoder = Bench.decoder()
    for (name, colour) in [("alpha.heic", [255, 255, 255]), ("gain.heic", [200, 80, 80])] {
      let made = try decoder.derive([.large], eagerly: false, from: MemorySource(try bench.file(name)))
      try expect(try #require(made.large), shows: colour, in: bench, "\(name)")
    }
  }

  @Test func picturesThatAreConvertedAreUpright() throws {
    let bench = try Bench()
    try bench.write(Array(Self.state.utf8), to: "state.py")
    try writePicture([200, 80, 80], in: bench)
    try bench.shell(
      """
      vips pngsave picture.ppm a.png
      exiftool -q -overwrite_original -Orientation#=6 a.png
      python3 state.py a.png 9 13
      """)
    let decoder = Bench.decoder()
    let source = MemorySource(try bench.file("a.png"))
    let made = try decoder.derive([.large], eagerly: false, from: source)
    for picture in [try #require(made.large), try decoder.resized(source, to: 48)] {
      let pixels = try Pixels(picture, in: bench)
      #expect(pixels.height > pixels.width)
      try expect(picture, shows: [244, 37, 75], in: bench, "a picture on its side")
    }
  }

  /// As phones record by default: the left half has the reference white, the right one is dark.
  @Test(arguments: [
    ("smpte2084", "bt2020", "bt2020nc", [573, 374], [243, 87]),
    ("arib-std-b67", "bt2020", "bt2020nc", [721, 502], [243, 137]),
    ("bt709", "bt709", "bt709", [721, 502], [191, 127]),
  ])
  func videosAreConverted(
    transfer: String, primaries: String, matrix: String, stored: [Int], shown: [Int]
  ) throws {
    let bench = try Bench()
    try bench.shell(
      """
      ffmpeg -v error -f lavfi -i 'nullsrc=size=320x180:rate=10:duration=1,format=yuv420p10,\
      geq=lum=if(lt(X\\,160)\\,\(stored[0])\\,\(stored[1])):cb=512:cr=512' -c:v libx265 -crf 4 -x265-params \
      log-level=none:colorprim=\(primaries):transfer=\(transfer):colormatrix=\(matrix) \
      -color_primaries \(primaries) -color_trc \(transfer) -colorspace \(matrix) video.mp4
      """)
    let made = try Bench.decoder().derive(try bench.file("video.mp4"))
    for picture in [made.small, made.large] {
      for (x, grey) in [(0.25, shown[0]), (0.75, shown[1])] {
        try expect(try #require(picture), shows: [grey, grey, grey], x: x, in: bench, transfer)
      }
    }
  }
}
