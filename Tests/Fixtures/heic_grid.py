"""Makes a HEIC as phones do, of many tiles: heic_grid.py TILE OUTPUT WIDTH HEIGHT [THUMBNAIL]

TILE is a HEIC of one picture, as libheif writes it. Each tile of the grid has its bytes, so the file is small and the
picture large. THUMBNAIL is another one, which becomes the thumbnail of the grid. ISO/IEC 14496-12 (boxes) and 23008-12
(grids, thumbnails).
"""
import struct
import sys


def boxes(data, start, end):
    """Type, start and end of the content of each box."""
    while start < end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start + 8, start + size
        start += size


def find(data, place, *path):
    for kind in path:
        place = next((start, end) for found, start, end in boxes(data, *place) if found == kind)
    return place


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full(kind, version, content):
    return box(kind, struct.pack(">I", version << 24) + content)


def picture(path):
    """The box that configures the decoder, the width and height, and the coded bytes."""
    data = open(path, "rb").read()
    meta = find(data, (0, len(data)), b"meta")
    meta = (meta[0] + 4, meta[1])
    start, end = find(data, meta, b"iprp", b"ipco", b"hvcC")
    decoder = data[start - 8 : end]
    start, _ = find(data, meta, b"iprp", b"ipco", b"ispe")
    side = struct.unpack_from(">II", data, start + 4)
    # libheif's table of places: version 0, numbers of 4 bytes; the picture is the first.
    start, _ = find(data, meta, b"iloc")
    assert data[start] == 0 and data[start + 4 : start + 6] == b"\x44\x40"
    base, _, offset, size = struct.unpack_from(">IHII", data, start + 12)
    return decoder, side, data[base + offset : base + offset + size]


def main(tile, output, width, height, thumbnail=None):
    decoder, side, coded = picture(tile)
    columns, rows = -(-width // side[0]), -(-height // side[1])
    tiles = range(1, columns * rows + 1)
    grid = len(tiles) + 1
    described = struct.pack(">BBBBII", 0, 1, rows - 1, columns - 1, width, height)

    def entry(item, kind):
        return full(b"infe", 2, struct.pack(">HH4sx", item, 0, kind))

    def extent(where):
        return full(b"ispe", 0, struct.pack(">II", *where))

    entries = b"".join(entry(item, b"hvc1") for item in tiles) + entry(grid, b"grid")
    uses = b"".join(struct.pack(">HBBB", item, 2, 0x81, 2) for item in tiles) + struct.pack(">HBB", grid, 1, 3)
    parts = struct.pack(">HH", grid, len(tiles)) + b"".join(struct.pack(">H", item) for item in tiles)

    references = box(b"dimg", parts)
    properties = decoder + extent(side) + extent((width, height))
    items = grid
    shown = b""
    if thumbnail:
        configuration, shape, shown = picture(thumbnail)
        items = grid + 1
        entries += entry(items, b"hvc1")
        uses += struct.pack(">HBBB", items, 2, 0x84, 5)
        properties += configuration + extent(shape)
        references += box(b"thmb", struct.pack(">HHH", items, 1, grid))

    def metadata(at):
        places = b"".join(struct.pack(">HHHII", item, 0, 1, at, len(coded)) for item in tiles)
        places += struct.pack(">HHHII", grid, 0, 1, at + len(coded), len(described))
        if thumbnail:
            places += struct.pack(">HHHII", items, 0, 1, at + len(coded) + len(described), len(shown))
        return full(
            b"meta", 0,
            full(b"hdlr", 0, struct.pack(">I4s13x", 0, b"pict"))
            + full(b"pitm", 0, struct.pack(">H", grid))
            + full(b"iloc", 0, struct.pack(">BBH", 0x44, 0, items) + places)
            + full(b"iinf", 0, struct.pack(">H", items) + entries)
            + box(b"iprp", box(b"ipco", properties) + full(b"ipma", 0, struct.pack(">I", items) + uses))
            + full(b"iref", 0, references))

    kind = box(b"ftyp", b"heic" + struct.pack(">I", 0) + b"mif1heic")
    at = len(kind) + len(metadata(0)) + 8
    open(output, "wb").write(kind + metadata(at) + box(b"mdat", coded + described + shown))


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
