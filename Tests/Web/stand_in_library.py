"""Photos that the stand-in server shows: any number, made of a few pictures, with dates, albums, edits and a trash."""

import array
import colorsys
import datetime
import io
import os
import random
import struct

from PIL import Image, ImageDraw, ImageFilter, ImageOps

from page_photos import OTHERS

VIDEO, LIVE, MOTION, RAW = 1, 2, 3, 4
EPOCH = datetime.date(1900, 1, 1)
ALBUMS = ["2024", "2024/Summer at the sea", "2024/Alps", "2025", "2025/Paris", "Family", "Family/Garden", "Scans",
          "<b>not bold \u202egnp.exe"]
TAGS = ["Family", "Places/Paris", "Fireworks", "<img src=x onerror=alert(1)>"]


class OtherFile:
    """What is neither a photo nor a video."""

    def __init__(self, album, name, content):
        self.album, self.name, self.content, self.is_trashed = album, name, content, False


class Picture:
    """One picture in all sizes, each made when it is first asked for."""

    def __init__(self, image):
        self.image = image.convert("RGB")
        self.aspect = self.image.width / self.image.height
        self.colour = self.image.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
        self.sizes = {}

    def jpeg(self, size):
        if size not in self.sizes:
            copy = self.image.copy()
            if size:
                copy.thumbnail((size, size))
            out = io.BytesIO()
            copy.save(out, "JPEG", quality=82)
            self.sizes[size] = out.getvalue()
        return self.sizes[size]


def painted(seed):
    """A landscape that nobody took."""
    chance = random.Random(seed)
    width, height = chance.choice([(1536, 1024), (1024, 1536), (1440, 1080), (1080, 1440), (1600, 900), (2400, 800)])
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    hue = chance.random()
    for y in range(height):
        part = y / height
        colour = colorsys.hsv_to_rgb((hue + part * 0.12) % 1, 0.25 + 0.35 * part, 0.95 - 0.35 * part)
        draw.line([(0, y), (width, y)], fill=tuple(int(255 * c) for c in colour))
    sun = (chance.randrange(width), chance.randrange(height // 3))
    draw.ellipse([sun[0] - 60, sun[1] - 60, sun[0] + 60, sun[1] + 60], fill=(255, 246, 220))
    for layer in range(4):
        base = height * (0.45 + 0.14 * layer)
        points = [(0, height)]
        for x in range(0, width + 120, 120):
            points.append((x, base + chance.randint(-90, 90)))
        points.append((width, height))
        colour = colorsys.hsv_to_rgb((hue + 0.4 + layer * 0.03) % 1, 0.35, 0.6 - layer * 0.12)
        draw.polygon(points, fill=tuple(int(255 * c) for c in colour))
    return image.filter(ImageFilter.GaussianBlur(1.5))


def pictures(folder):
    found = []
    for top, _, names in sorted(os.walk(folder)) if folder else []:
        for name in sorted(names):
            try:
                image = ImageOps.exif_transpose(Image.open(os.path.join(top, name)))
                if min(image.size) >= 300:
                    image.thumbnail((3000, 3000))
                    found.append(Picture(image))
            except Exception:  # what Pillow does not know is no picture here
                pass
    return found + [Picture(painted(seed)) for seed in range(24)]


class Library:
    """Items 0 to count - 1, the newest first. Facts follow from the number, until somebody edits them."""

    def __init__(self, count, folder=None, seed=1):
        self.pictures = pictures(folder)
        chance = random.Random(seed)
        self.count = count
        self.which = array.array("H", (chance.randrange(len(self.pictures)) for _ in range(count)))
        self.kinds = bytearray(chance.choices([0, VIDEO, LIVE, MOTION, RAW], [90, 4, 3, 2, 1], k=count))
        self.days = array.array("H")
        day = (datetime.date(2026, 11, 20) - EPOCH).days
        step = min(1.0, 8000 / max(count, 1))
        undated = count // 200
        for number in range(count):
            if chance.random() < step * 0.8:
                day -= chance.choice([1, 1, 1, 2, 3]) if step == 1.0 else 1
            self.days.append(max(day, 20000) if number < count - undated else 0)
        self.edits, self.trash, self.added, self.gone = {}, set(), {}, set()
        self.albums = list(ALBUMS)
        self.others = [OtherFile("2024", name, content) for name, content in sorted(OTHERS.items())]

    def edit(self, number):
        return self.edits.setdefault(number, {
            "title": "", "caption": "", "rating": number % 6 if number % 7 == 0 else 0,
            "favourite": number % 23 == 0, "tags": [TAGS[number % len(TAGS)]] if number % 5 == 0 else []})

    def date(self, number):
        return EPOCH + datetime.timedelta(days=self.days[number]) if self.days[number] else None

    def album(self, number):
        return self.added.get(number, ALBUMS[number % len(ALBUMS)])

    def name(self, number):
        return f"IMG_{number:07d}" + {VIDEO: ".mp4", RAW: ".CR2"}.get(self.kinds[number], ".jpg")

    def item(self, position, number):
        edit, date, picture = self.edit(number), self.date(number), self.pictures[self.which[number]]
        return {
            "i": position, "name": self.name(number), "taken": f"{date}T12:{number % 60:02d}:00+02:00" if date else None,
            "type": {VIDEO: "mp4", RAW: "raw"}.get(self.kinds[number], "jpeg"), "size": 2_000_000 + number % 999_983,
            "duration": 5 + number % 90 if self.kinds[number] == VIDEO else None, "gps": number % 3 != 0,
            "width": picture.image.width, "height": picture.image.height, "displayable": True,
            **{name: value or None for name, value in edit.items() if name not in ("favourite", "tags")},
            "favourite": edit["favourite"], "tags": edit["tags"]}

    def matching(self, query, album=None, trash=False):
        """A stand-in for the query language: words of names, tag:, is:favourite, type:video."""
        numbers = (n for n in range(self.count) if (n in self.trash) == trash and n not in self.gone)
        if album is not None:
            numbers = (n for n in numbers if self.album(n) == album)
        for word in query.split():
            if word == "is:favourite":
                numbers = (n for n in numbers if self.edit(n)["favourite"])
            elif word == "type:video":
                numbers = (n for n in numbers if self.kinds[n] == VIDEO)
            elif word.startswith("tag:"):
                numbers = (n for n, t in [(n, word[4:].strip('="').lower()) for n in numbers]
                           if any(t in tag.lower() for tag in self.edit(n)["tags"]))
            else:
                numbers = (n for n, w in [(n, word.lower()) for n in numbers] if w in self.name(n).lower())
        return array.array("I", numbers)

    def title(self, number, group):
        date = self.date(number)
        if group == "tag":
            return (self.edit(number)["tags"] or [""])[0]
        if group == "place":
            return ["Paris, Île-de-France, France", "Tokyo, Tokyo, Japan", ""][number // 40 % 3]
        if not date or group == "none":
            return ""
        return str(date) if group == "day" else str(date)[:7]

    def geometry(self, numbers):
        out = bytearray()
        for number in numbers:
            picture = self.pictures[self.which[number]]
            edit = self.edits.get(number)
            favourite = edit["favourite"] if edit else number % 23 == 0
            out += struct.pack("<H3BBH", int(picture.aspect * 1000), *picture.colour,
                               self.kinds[number] | favourite << 4, self.days[number])
        return bytes(out)
