#!/usr/bin/env python3
"""Compares what `agonyfs list` finds with what exiftool says about the same files.

answers.py PROGRAM MOUNT FOLDER [real]

FOLDER has the files that were copied into MOUNT. Each query is answered here once more, in Python, from exiftool's
output alone; nothing is taken from the program under test. Prints each difference, and ends with status 1 if there is
one.
With `real` the photos are those of cameras, of which less is asked, and nothing that is a matter of opinion.
"""

import datetime
import json
import math
import os
import re
import subprocess
import sys
import unicodedata

TOWNS = {
    ("Paris", "Île-de-France", "France", "FR"): (48.8584, 2.2945),
    ("Rome", "Latium", "Italy", "IT"): (41.8902, 12.4922),
    ("Tokyo", "Tōkyō", "Japan", "JP"): (35.6586, 139.7454),
    ("Sydney", "New South Wales", "Australia", "AU"): (-33.8688, 151.2093),
    ("New York City", "New York", "United States", "US"): (40.7580, -73.9855),
}

# How far the clocks there were ahead of UTC in September 2001, in hours.
AHEAD = {
    (48.8584, 2.2945): 2, (41.8902, 12.4922): 2, (35.6586, 139.7454): 9, (-33.8688, 151.2093): 10,
    (40.7580, -73.9855): -4, (45.8326, 6.8652): 2,
}


def metres(one, other):
    """Along a ball with the Earth's mean radius."""
    (a, b), (c, d) = (map(math.radians, one), map(math.radians, other))
    half = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(half))


def folded(text):
    """Letters without accents, in lower case."""
    return "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))


def tokens(text):
    return re.findall(r"[^\W_]+", folded(text))


def listed(value):
    return [] if value is None else [str(v) for v in value] if isinstance(value, list) else [str(value)]


class Photo:
    """One file as exiftool sees it."""

    def __init__(self, facts, folder):
        self.facts = facts
        path = facts["SourceFile"]
        self.path = os.path.relpath(path, folder)
        self.name = os.path.basename(path)
        self.album = os.path.dirname(self.path)
        self.size = os.stat(path).st_size
        get = facts.get
        self.kind = {"JPEG": "jpeg", "PNG": "png", "TIFF": "tiff", "MP4": "mp4", "MOV": "mov"}[get("File:FileType")]
        self.is_video = self.kind in ("mp4", "mov")
        self.position = self.place()
        self.ahead = next((hours for at, hours in AHEAD.items() if near(self, at, 15_000)), None)
        self.has_zone = self.ahead is not None
        self.time = self.taken()
        self.altitude = get("GPS:GPSAltitude")
        self.town = None
        if self.position:
            close = [town for town, at in TOWNS.items() if metres(at, self.position) < 15_000]
            self.town = close[0] if close else None
        self.make, self.model = get("IFD0:Make"), get("IFD0:Model")
        self.lens = get("ExifIFD:LensModel")
        self.iso, self.aperture = get("ExifIFD:ISO"), get("ExifIFD:FNumber")
        self.exposure, self.focal = get("ExifIFD:ExposureTime"), get("ExifIFD:FocalLength")
        self.rating = get("XMP-xmp:Rating") or 0
        self.title = self.first(get("XMP-dc:Title"), get("IPTC:ObjectName"))
        self.caption = self.first(get("XMP-dc:Description"), get("IPTC:Caption-Abstract"))
        self.tags = set()
        for field in ("XMP-dc:Subject", "IPTC:Keywords", "XMP-digiKam:TagsList", "XMP-lr:HierarchicalSubject"):
            self.tags |= set(listed(get(field)))
        self.people = listed(get("XMP-iptcExt:PersonInImage"))
        width = self.first(get("File:ImageWidth"), get("PNG:ImageWidth"), get("IFD0:ImageWidth"),
                           get("Track1:ImageWidth"))
        height = self.first(get("File:ImageHeight"), get("PNG:ImageHeight"), get("IFD0:ImageHeight"),
                            get("Track1:ImageHeight"))
        turned = not self.is_video and (get("IFD0:Orientation") or 1) >= 5
        self.width, self.height = (height, width) if turned else (width, height)
        self.duration = get("QuickTime:Duration")

    @staticmethod
    def first(*values):
        return next((value for value in values if value is not None), None)

    def taken(self):
        """The clock on the wall, and the part of a second."""
        text = self.first(
            self.facts.get("ExifIFD:DateTimeOriginal"), self.facts.get("XMP-exif:DateTimeOriginal"),
            self.facts.get("Keys:CreationDate"))
        self.is_dated = text is not None
        if text is None:
            # The file's own time is UTC, and the zone of the place makes it a clock on the wall.
            self.has_zone = True
            zone = datetime.timezone(datetime.timedelta(hours=self.ahead or 0))
            when = datetime.datetime.fromtimestamp(os.stat(self.facts["SourceFile"]).st_mtime, zone)
            return when.strftime("%Y-%m-%dT%H:%M:%S"), 0.0
        if "ExifIFD:DateTimeOriginal" in self.facts and "ExifIFD:OffsetTimeOriginal" in self.facts:
            self.has_zone = True
        date, clock = text[:19].split(" ")
        part = self.facts.get("ExifIFD:SubSecTimeOriginal") if "ExifIFD:DateTimeOriginal" in self.facts else None
        return date.replace(":", "-") + "T" + clock, float(f"0.{part}") if part is not None else 0.0

    def place(self):
        latitude, longitude = self.facts.get("Composite:GPSLatitude"), self.facts.get("Composite:GPSLongitude")
        if latitude is not None:
            return latitude, longitude
        text = self.facts.get("Keys:GPSCoordinates")
        return tuple(map(float, text.split(" ")[:2])) if text else None

    def texts(self):
        return [self.path, self.title, self.caption, *self.tags, *self.people, *(self.town[:3] if self.town else [])]

    def has(self, *words):
        """Whether each word is in one of the texts."""
        known = {token for text in self.texts() if text for token in tokens(text)}
        return all(folded(word) in known for word in words)

    def tagged(self, tag):
        return any(folded(own) == folded(tag) or folded(own).startswith(folded(tag) + "/") for own in self.tags)

    def camera(self):
        if not (self.model and self.make):
            return self.model or self.make
        model, make = folded(self.model), folded(self.make)
        # NIKON CORPORATION calls a camera NIKON D750.
        if model.startswith(make) or model.split()[:1] == make.split()[:1]:
            return self.model
        return f"{self.make} {self.model}"


def year(photo):
    return photo.time[0][:4]


def near(photo, at, distance):
    return photo.position is not None and metres(photo.position, at) <= distance


def newest(photo):
    return photo.time


# The query, and who answers it.
SETS = [
    ("", lambda p: True),
    ("paris date:2019 rating:>3 -type:video",
     lambda p: p.has("paris") and year(p) == "2019" and p.rating > 3 and not p.is_video),
    ("cafe", lambda p: p.has("café")),
    ("lake number", lambda p: p.has("lake", "number")),
    ("\"old harbour\"", lambda p: any("the old harbour" in folded(t) for t in p.texts() if t)),
    ("eiff*", lambda p: any(t.startswith("eiff") for x in p.texts() if x for t in tokens(x))),
    ("rome | tokyo", lambda p: p.has("rome") or p.has("tokyo")),
    ("(rome | tokyo) type:jpeg", lambda p: (p.has("rome") or p.has("tokyo")) and p.kind == "jpeg"),
    ("-(rome | paris)", lambda p: not p.has("rome") and not p.has("paris")),
    ("name:dsc001*", lambda p: p.name.lower().startswith("dsc001")),
    ("name:*.tif", lambda p: p.name.endswith(".tif")),
    ("title:eiffel", lambda p: p.title is not None and "eiffel" in tokens(p.title)),
    ("-title:*", lambda p: p.title is None),
    ("caption:\"number 12\"", lambda p: p.caption is not None and p.caption.endswith("number 12")),
    ("person:anna", lambda p: "Anna Schmidt" in p.people),
    ("person:=\"Zoe Miller\"", lambda p: "Zoë Miller" in p.people),
    ("camera:canon", lambda p: p.make == "Canon"),
    ("camera:\"iphone 12\"", lambda p: p.model == "iPhone 12"),
    ("lens:50mm", lambda p: p.lens is not None and "50mm" in tokens(p.lens)),
    ("has:camera -has:lens", lambda p: p.model is not None and p.lens is None),
    ("place:paris", lambda p: p.town is not None and p.town[0] == "Paris"),
    ("country:jp | country:italy", lambda p: p.town is not None and p.town[3] in ("JP", "IT")),
    ("region:\"new south wales\"", lambda p: p.town is not None and p.town[1] == "New South Wales"),
    ("has:gps -has:place", lambda p: p.position is not None and near(p, (-45, -130), 50_000)),
    ("near:48.85,2.35,5km", lambda p: near(p, (48.85, 2.35), 5000)),
    ("near:45.83,6.86,1mi", lambda p: near(p, (45.83, 6.86), 1609.344)),
    ("altitude:>2km", lambda p: p.altitude is not None and p.altitude > 2000),
    ("tag:places", lambda p: p.tagged("Places")),
    ("tag:=\"Places/Paris\"", lambda p: "Places/Paris" in p.tags),
    ("tag:beach|fireworks", lambda p: p.tagged("Beach") or p.tagged("Fireworks")),
    ("-has:tags", lambda p: not p.tags),
    ("album:2019", lambda p: p.path.startswith("2019/")),
    ("album:=\"Archive/Old scans\"", lambda p: p.album == "Archive/Old scans"),
    ("type:video", lambda p: p.is_video),
    ("type:png|tiff", lambda p: p.kind in ("png", "tiff")),
    ("rating:4..5", lambda p: 4 <= p.rating <= 5),
    ("rating:0 type:photo", lambda p: p.rating == 0 and not p.is_video),
    ("date:2019-07", lambda p: p.time[0].startswith("2019-07")),
    ("date:2017..2018", lambda p: "2017" <= year(p) <= "2018"),
    ("after:2019-06-30 before:2023", lambda p: "2019-07-01" <= p.time[0] < "2023"),
    ("date:*-08", lambda p: p.time[0][5:7] == "08"),
    ("-has:time type:photo", lambda p: not p.is_dated and not p.is_video),
    ("-has:zone type:photo", lambda p: not p.has_zone and not p.is_video),
    ("iso:>=800", lambda p: p.iso is not None and p.iso >= 800),
    ("aperture:<4", lambda p: p.aperture is not None and p.aperture < 3.9999),
    ("exposure:1/250", lambda p: p.exposure is not None and abs(p.exposure - 0.004) < 1e-6),
    ("focal:50", lambda p: p.focal == 50),
    ("width:48", lambda p: p.width == 48),
    ("height:>=150", lambda p: p.height >= 150),
    ("size:<6000", lambda p: p.size < 6000),
    ("duration:>2.5", lambda p: p.duration is not None and p.duration > 2.5),
    ("duration:<2s", lambda p: p.duration is not None and p.duration < 2),
]

# A query, an order, what the program is told, and the key of the order here; None comes last.
ORDERS = [
    ("", newest, [], True),
    ("type:jpeg", newest, ["--reverse"], False),
    ("", lambda p: os.fsencode(p.path), ["--sort", "name"], False),
    ("place:paris | place:rome", lambda p: p.size, ["--sort", "size"], True),
    ("type:video", lambda p: p.duration, ["--sort", "duration"], True),
    ("date:2019", lambda p: p.rating, ["--sort", "rating"], True),
    ("", newest, ["--limit", "7"], True),
]

GROUPS = {
    "year": lambda p: [year(p)],
    "month": lambda p: [p.time[0][:7]],
    "day": lambda p: [p.time[0][:10]],
    "tag": lambda p: sorted(p.tags) or [""],
    "person": lambda p: p.people or [""],
    "camera": lambda p: [p.camera() or ""],
    "lens": lambda p: [p.lens or ""],
    "type": lambda p: [p.kind],
    "album": lambda p: [p.album],
    "rating": lambda p: [str(p.rating)],
    "place": lambda p: [", ".join(p.town[:3])] if p.town else None,
}


def exif(facts, name):
    return facts.get("ExifIFD:" + name)


def words_of(facts):
    return {token for name in ("Make", "Model") for token in tokens(str(facts.get("IFD0:" + name, "")))}


# Of photos as they come from cameras: only what EXIF says in one way.
REAL = [
    ("type:jpeg", lambda f: f["File:FileType"] == "JPEG"),
    ("type:video", lambda f: f["File:MIMEType"].startswith("video/")),
    ("type:heic|avif|jxl|webp|png",
     lambda f: f["File:MIMEType"] in ("image/heic", "image/avif", "image/jxl", "image/webp", "image/png")),
    ("camera:canon", lambda f: "canon" in words_of(f)),
    ("camera:apple type:photo", lambda f: "apple" in words_of(f)),
    ("camera:sony|nikon", lambda f: words_of(f) & {"sony", "nikon"}),
    ("iso:>=250", lambda f: (exif(f, "ISO") or 0) >= 250),
    ("aperture:<3 type:jpeg", lambda f: f["File:FileType"] == "JPEG" and 0 < (exif(f, "FNumber") or 9) < 2.9999),
    ("exposure:<=0.002", lambda f: 0 < (exif(f, "ExposureTime") or 9) <= 0.002),
    ("focal:>=10", lambda f: (exif(f, "FocalLength") or 0) >= 10),
    ("date:2003..2004", lambda f: (exif(f, "DateTimeOriginal") or "")[:4] in ("2003", "2004")),
    ("date:2019 type:photo", lambda f: (exif(f, "DateTimeOriginal") or "")[:4] == "2019"),
    ("size:>1048576", lambda f: f["System:FileSize"] > 1 << 20),
    ("name:*.jpg album:Cameras", lambda f: "/Cameras/" in f["SourceFile"]),
]


def real(program, mount, folder):
    text = subprocess.run(
        ["exiftool", "-json", "-n", "-G1", "-r", folder], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout
    photos = [facts for facts in json.loads(text) if facts.get("File:MIMEType", "").split("/")[0] in ("image", "video")]
    wrong = 0
    for query, answers in REAL:
        mine = sorted(os.path.relpath(facts["SourceFile"], folder) for facts in photos if answers(facts))
        found = subprocess.run([program, "list", "-0", mount, "--", query], check=True, stdout=subprocess.PIPE).stdout
        theirs = sorted(os.path.relpath(os.fsdecode(path), mount) for path in found.split(b"\0") if path)
        if mine != theirs or not mine:
            wrong += 1
            print(f"{query}\n  exiftool: {mine}\n  agonyfs:  {theirs}")
    print(f"{len(photos)} photos, {len(REAL)} queries, {wrong} differ")
    sys.exit(1 if wrong else 0)


def main(program, mount, folder):
    text = subprocess.run(
        ["exiftool", "-json", "-n", "-G1", "-r", "-api", "largefilesupport=1", folder], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    photos = {photo.path: photo for photo in (Photo(facts, folder) for facts in json.loads(text))}
    wrong = []

    def listed_by(query, *options):
        found = subprocess.run(
            [program, "list", "-0", *options, mount, "--", query], check=True, stdout=subprocess.PIPE).stdout
        return [os.path.relpath(os.fsdecode(path), mount) for path in found.split(b"\0") if path]

    def compare(what, mine, theirs):
        if mine != theirs:
            wrong.append(f"{what}\n  exiftool: {mine}\n  agonyfs:  {theirs}")

    empty = 0
    for query, answers in SETS:
        mine = sorted(path for path, photo in photos.items() if answers(photo))
        empty += not mine
        compare(query, mine, sorted(listed_by(query)))
        count = subprocess.run([program, "list", "--count", mount, "--", query], check=True, stdout=subprocess.PIPE)
        compare(f"number of: {query}", len(mine), int(count.stdout))
    # A query that finds nothing tells nothing.
    if empty > 2:
        wrong.append(f"{empty} queries find nothing")
    known = {query: answers for query, answers in SETS}
    known |= {
        "type:jpeg": lambda p: p.kind == "jpeg", "date:2019": lambda p: year(p) == "2019",
        "place:paris | place:rome": lambda p: p.town is not None and p.town[0] in ("Paris", "Rome"),
    }
    for query, key, options, descending in ORDERS:
        mine = [photo for photo in photos.values() if known[query](photo)]
        keys = sorted((key(photo) for photo in mine if key(photo) is not None), reverse=descending)
        keys += [None] * (len(mine) - len(keys))
        if "--limit" in options:
            keys = keys[:int(options[1])]
        compare(f"order of: {query} {options}", keys, [key(photos[path]) for path in listed_by(query, *options)])
    # All pages together are the whole.
    for size in (1, 7, 59):
        pages, after = [], []
        while True:
            done = subprocess.run(
                [program, "list", "-0", "--limit", str(size), *after, mount], check=True, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
            pages += [os.path.relpath(os.fsdecode(path), mount) for path in done.stdout.split(b"\0") if path]
            next_page = re.search(rb"--after (\S+)", done.stderr)
            if not next_page:
                break
            after = ["--after", next_page[1].decode()]
        compare(f"pages of {size}", listed_by(""), pages)
    for field, titles in GROUPS.items():
        counts = {}
        for photo in photos.values():
            for title in titles(photo) or []:
                counts[title] = counts.get(title, 0) + 1
        said = subprocess.run([program, "list", "--group", field, mount], check=True, stdout=subprocess.PIPE).stdout
        theirs = {}
        for line in said.decode().splitlines():
            number, title = line.split("\t", 1)
            theirs[title] = int(number)
        if field == "place":
            # The top of Mont Blanc is in a town, too; which one is a matter of opinion.
            theirs = {title: number for title, number in theirs.items() if title in counts}
        compare(f"groups of {field}", dict(sorted(counts.items())), dict(sorted(theirs.items())))
    print(f"{len(photos)} files, {len(SETS)} queries, {len(ORDERS)} orders, {len(GROUPS)} groups, {len(wrong)} differ")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[4:] == ["real"]:
        real(*sys.argv[1:4])
    main(*sys.argv[1:])
