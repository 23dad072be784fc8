"""Photos that tests make: what the tests of the page show, and the parts of which others are made as well."""

import os
import random
import subprocess
from xml.sax.saxutils import escape

from PIL import Image

# Characters that mean something to addresses, to the language of queries or to forms, each in an album, a name, a title and a
# tag of its own.
ODD = ["Salt & Pepper", "C++ compiler", "#1 winner", "100% wool", "50%25 off + more", "Größe Übermaß", "🦘 leaps",
       'She said "hello"', "it's ours", "a=b?c"]
HOSTILE_ALBUM, HOSTILE_TAG = "<b>not bold \u202egnp.exe", "<img src=x onerror=alert(1)>"
# What is neither a photo nor a video, in one of the albums.
OTHERS = {"drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>window.harmed = 1</script></svg>',
          "notes.pdf": b"%PDF-1.4 notes"}
ALBUMS = ["", "2024", "2024/Summer at the sea", "2025", "Scans", HOSTILE_ALBUM]
COUNT = 96
PARIS, TOKYO = ("N", (48.0, 51.0, 24.0), "E", (2.0, 21.0, 8.0)), ("N", (35.0, 41.0, 24.0), "E", (139.0, 41.0, 30.0))


def noise(width, height, seed):
    """A picture whose bytes are in no other file."""
    small = Image.frombytes("RGB", (width // 4, height // 4), random.Random(seed).randbytes(width * height * 3 // 16))
    return small.resize((width, height), Image.Resampling.BILINEAR)


def ffmpeg(*words):
    subprocess.run(["ffmpeg", "-loglevel", "error", "-y", *words], check=True, stdin=subprocess.DEVNULL)


def packet(description):
    """XMP with one description."""
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" {description}</rdf:Description></rdf:RDF></x:xmpmeta>""".encode()


def motion_photo(picture, video, path, **words):
    """A JPEG with a video behind it, as phones write it."""
    with open(video, "rb") as file:
        clip = file.read()
    xmp = packet(f"""xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MicroVideo="1"
      GCamera:MicroVideoVersion="1" GCamera:MicroVideoOffset="{len(clip)}">""")
    picture.save(path, "JPEG", quality=85, xmp=xmp, **words)
    with open(path, "ab") as file:
        file.write(clip)


def words(title="", tags=()):
    """XMP that says a title and tags."""
    title = f'<rdf:li xml:lang="x-default">{escape(title)}</rdf:li>' if title else ""
    tags = "".join(f"<rdf:li>{escape(tag)}</rdf:li>" for tag in tags)
    return packet(f"""xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>{title}</rdf:Alt></dc:title>
      <dc:subject><rdf:Bag>{tags}</rdf:Bag></dc:subject>""")


def camera(taken, place=None):
    """What a camera says of a photo that it took at a time, in EXIF."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110], exif[0x0132] = "Canon", "EOS 5D", taken
    exif.get_ifd(0x8769).update({0x9003: taken, 0x9011: "+02:00", 0x829A: 0.004, 0x829D: 2.8, 0x8827: 800})
    if place:
        exif.get_ifd(0x8825).update(dict(enumerate(place, 1)))
    return exif


def make(folder):
    """Photos of two years in several albums, the first one the newest; older ones are a video, a motion photo, and last those
    of ODD; beside them OTHERS. The folder."""
    for album in ALBUMS:
        os.makedirs(f"{folder}/{album}", exist_ok=True)
    for number in range(COUNT):
        month = 23 - number // 4
        exif = camera(f"{2023 + month // 12}:{month % 12 + 1:02}:{28 - number % 4:02} 12:00:{number % 60:02}",
                      (PARIS, TOKYO, None)[number % 3])
        tags = [("Family", "Fireworks", HOSTILE_TAG)[number // 5 % 3]] if number % 5 == 0 else []
        size = (1600, 1200) if number < 24 else (800, 600)
        picture = noise(*(size if number % 3 else size[::-1]), number)
        path = f"{folder}/{ALBUMS[number % len(ALBUMS)]}/IMG_{number:04}.jpg"
        picture.save(path, quality=80, exif=exif, xmp=words(tags=tags))
        # 2024-08-15T12:00:05.123456789Z
        os.utime(path, ns=(1723723205123456789, 1723723205123456789))
    for name, content in OTHERS.items():
        with open(f"{folder}/2024/{name}", "wb") as file:
            file.write(content)
    for number, text in enumerate(ODD):
        album = f"{folder}/Odd/{text}"
        os.makedirs(album)
        noise(400, 300, 1000 + number).save(
            f"{album}/{text}.jpg", quality=80, exif=camera(f"2021:05:{number + 1:02} 12:00:00"), xmp=words(text, [text]))
    clip, video = f"{folder}/clip.mp4", f"{folder}/2025/video.mp4"
    for path, seconds, size in ((clip, 2, "320x240"), (video, 12, "640x360")):
        ffmpeg("-f", "lavfi", "-i", f"testsrc=size={size}:rate=25:duration={seconds}", "-c:v", "libx264", "-pix_fmt", "yuv420p",
               "-g", "25", "-movflags", "+faststart", "-metadata", "creation_time=2022-02-03T10:00:00Z", path)
    motion_photo(noise(1200, 900, 99), clip, f"{folder}/2025/motion.jpg", exif=camera("2022:01:02 12:00:00"))
    os.unlink(clip)
    return folder
