"""Compares SQLite databases in the form of digiKam and Shotwell with the catalog of a space, on the same records.

The tables and indexes that the questions need have the programs' names, columns and types: digiKam's from
core/data/database/dbconfig.xml.cmake.in and a database of version 16, which digiKam 8 creates; Shotwell's from
src/db/PhotoTable.vala, VideoTable.vala and TagTable.vala of 2026. The questions favour them: only a page of an answer
is read, although digiKam reads the whole answer and Shotwell all rows when it starts, and paths may come in any order,
although ours are sorted. They use SQLite's default settings, and their pages are in the kernel's cache.
"""

import collections
import datetime
import json
import math
import random
import sqlite3
import subprocess
import sys
import time

import catalog_commands

ROUNDS = 5
PER_FOLDER = 350
PAGE = 100
MASK = (1 << 64) - 1
CENTRE = (48.85, 2.35)
METRES = 1000
RADIUS = 6_371_008.8

# The names in the output of catalog-space-bench.
PATHS = "list -0 of all paths (bytes)"
YEAR = "first 100: date:2019"
RATED = "first 100: date:2019 rating:>=3"
MONTHS = "groups by month"
CAMERAS = "groups by camera"
TAG = "first 100: tag:family"
NEAR = "first 100: near:48.85,2.35,1km"
NAME = "first 100: name:*7777*"
COUNT = "count: date:2019"
QUESTIONS = [PATHS, YEAR, RATED, MONTHS, CAMERAS, TAG, NEAR, NAME, COUNT]

# Bounds in milliseconds for 100,000 records, by the beginnings of catalog-space-bench's names; full scans have none.
BOUNDS = {"list -0": 100, "JSON": 400, "groups by": 30, "first 100": 20, "words, first 100": 10, "pictures": 2000}
LOOKED_AT = ("near:", "size:>100M", "camera:none", "name:*", "is:favourite", 'camera:"camera 3"')
BOUND_OF_MEMORY, BOUND_OF_ROW = 96, 700


class Numbers:
    """The random numbers of Tests/CatalogSpaceBench (SplitMix64), mapped to ranges as Swift does."""

    def __init__(self, skipped):
        # Every number advances the state by the same amount, so the numbers already used are skipped at once.
        self.state = (1 + skipped * 0x9E37_79B9_7F4A_7C15) & MASK

    def next(self):
        self.state = (self.state + 0x9E37_79B9_7F4A_7C15) & MASK
        value = self.state
        value = ((value ^ value >> 30) * 0xBF58_476D_1CE4_E5B9) & MASK
        value = ((value ^ value >> 27) * 0x94D0_49BB_1331_11EB) & MASK
        return value ^ value >> 31

    def below(self, bound):
        product = self.next() * bound
        if product & MASK < bound:
            while product & MASK < (1 << 64) % bound:
                product = self.next() * bound
        return product >> 64

    def between(self, lowest, highest):
        part = self.below((1 << 53) + 1)
        return highest if part == 1 << 53 else (highest - lowest) * (part * 2.0 ** -53) + lowest


Record = collections.namedtuple(
    "Record", "number album name video raw taken size model lens iso exposure position rating tags title")


def make_records(count):
    """The records of Tests/CatalogSpaceBench/main.swift, with the fields that the questions need."""
    # The bench draws the hashes of the contents first.
    numbers = Numbers(32 * count)
    albums = {}
    for number in range(count):
        second = 1_262_304_000 + number * 473_000_000 // count + numbers.below(4000)
        size = 1_000_000 + numbers.below(19_000_000)
        if number % 20 != 1:
            # Skips the number for the look of the picture.
            numbers.next()
        position = None
        if number % 2 == 0:
            position = (48.85 + numbers.between(-0.2, 0.2), 2.35 + numbers.between(-0.2, 0.2))
        folder = number // PER_FOLDER
        album = albums.setdefault(folder, f"{2010 + number * 15 // count} Album {folder}")
        video = number % 12 == 0
        yield Record(
            number, album, f"IMG_{number}.jpg", video, not video and number % 40 == 1, second, size,
            f"Camera {number // 20_000 % 8}", f"Lens {number % 3}", 100 << number % 5, 1 / (50 << number % 4), position,
            number % 5 + 1 if number % 7 == 0 else None,
            ["Family", f"Trips/{number // 500 % 200}"] if number % 5 == 0 else [],
            f"A title with some words {number % 1000}" if number % 25 == 0 else None)


def utc(second):
    return datetime.datetime.fromtimestamp(second, datetime.timezone.utc)


def is_near(position):
    """Whether a position is near, by the program's formula: the distance in metres on a sphere."""
    one, two = math.radians(CENTRE[0]), math.radians(position[0])
    northward = math.sin((two - one) / 2)
    eastward = math.sin(math.radians(position[1] - CENTRE[1]) / 2)
    square = northward * northward + math.cos(one) * math.cos(two) * eastward * eastward
    return 2 * RADIUS * math.asin(min(1, math.sqrt(square))) <= METRES


# A rectangle that contains everything near, with some margin.
NORTH = METRES / RADIUS * 180 / math.pi * 1.01
EAST = NORTH / math.cos(math.radians(CENTRE[0]))
BOX = (CENTRE[0] - NORTH, CENTRE[0] + NORTH, CENTRE[1] - EAST, CENTRE[1] + EAST)
START, END = (int(datetime.datetime(year, 1, 1, tzinfo=datetime.timezone.utc).timestamp()) for year in (2019, 2020))


def expected(records, without_videos=False):
    """The expected result of every question, computed without a database."""
    year = [record for record in records if START <= record.taken < END]
    near = [
        record for record in records
        if record.position and is_near(record.position) and not (without_videos and record.video)]
    return {
        PATHS: sum(len(record.album) + len(record.name) + 2 for record in records),
        YEAR: min(PAGE, len(year)),
        RATED: min(PAGE, sum((record.rating or 0) >= 3 for record in year)),
        MONTHS: len({utc(record.taken).strftime("%Y-%m") for record in records}),
        CAMERAS: len({record.model for record in records}),
        TAG: min(PAGE, sum("Family" in record.tags for record in records)),
        NEAR: min(PAGE, len(near)),
        NAME: min(PAGE, sum("7777" in record.name for record in records)),
        COUNT: len(year),
    }


class Database:
    """A database in a file. Each question returns its rows."""

    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.filler = random.Random(7)

    def ask(self, text, *values):
        return self.connection.execute(text, values).fetchall()

    def hash(self):
        return self.filler.randbytes(16).hex()

    def create(self, tables, indexes):
        for name, columns in tables.items():
            self.connection.execute(f"CREATE TABLE {name} ({columns})")
        for name, place in indexes.items():
            self.connection.execute(f"CREATE INDEX {name} ON {place}")

    def insert(self, table, rows):
        for row in rows:
            self.connection.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)


class DigiKam(Database):
    name = "digiKam"
    TABLES = {
        "AlbumRoots":
            "id INTEGER PRIMARY KEY, label TEXT, status INTEGER NOT NULL, type INTEGER NOT NULL, identifier TEXT, "
            "specificPath TEXT, caseSensitivity INTEGER, UNIQUE (identifier, specificPath)",
        "Albums":
            "id INTEGER PRIMARY KEY, albumRoot INTEGER NOT NULL, relativePath TEXT NOT NULL, date DATE, caption TEXT, "
            "collection TEXT, icon INTEGER, modificationDate DATETIME, UNIQUE (albumRoot, relativePath)",
        "Images":
            "id INTEGER PRIMARY KEY, album INTEGER, name TEXT NOT NULL, status INTEGER NOT NULL, "
            "category INTEGER NOT NULL, modificationDate DATETIME, fileSize INTEGER, uniqueHash TEXT, "
            "manualOrder INTEGER, UNIQUE (album, name)",
        "ImageInformation":
            "imageid INTEGER PRIMARY KEY, rating INTEGER, creationDate DATETIME, digitizationDate DATETIME, "
            "orientation INTEGER, width INTEGER, height INTEGER, format TEXT, colorDepth INTEGER, colorModel INTEGER",
        "ImageMetadata":
            "imageid INTEGER PRIMARY KEY, make TEXT, model TEXT, lens TEXT, aperture REAL, focalLength REAL, "
            "focalLength35 REAL, exposureTime REAL, exposureProgram INTEGER, exposureMode INTEGER, "
            "sensitivity INTEGER, flash INTEGER, whiteBalance INTEGER, whiteBalanceColorTemperature INTEGER, "
            "meteringMode INTEGER, subjectDistance REAL, subjectDistanceCategory INTEGER",
        "ImagePositions":
            "imageid INTEGER PRIMARY KEY, latitude TEXT, latitudeNumber REAL, longitude TEXT, longitudeNumber REAL, "
            "altitude REAL, orientation REAL, tilt REAL, roll REAL, accuracy REAL, description TEXT",
        "Tags":
            "id INTEGER PRIMARY KEY, pid INTEGER, name TEXT NOT NULL, icon INTEGER, iconkde TEXT, UNIQUE (name, pid)",
        "TagsTree": "id INTEGER NOT NULL, pid INTEGER NOT NULL, UNIQUE (id, pid)",
        "ImageTags": "imageid INTEGER NOT NULL, tagid INTEGER NOT NULL, UNIQUE (imageid, tagid)",
    }
    INDEXES = {
        "dir_index": "Images (album)", "hash_index": "Images (uniqueHash)", "image_name_index": "Images (name)",
        "tag_index": "ImageTags (tagid)", "tag_id_index": "ImageTags (imageid)",
        "creationdate_index": "ImageInformation (creationDate)",
    }
    # The columns that digiKam needs to list a photo.
    ITEMS = (
        "SELECT Images.id, Images.name, Images.album, Albums.albumRoot, rating, category, format, creationDate, "
        "Images.modificationDate, fileSize, width, height, latitudeNumber, longitudeNumber FROM Images "
        "JOIN ImageInformation ON ImageInformation.imageid = Images.id JOIN Albums ON Albums.id = Images.album "
        "LEFT JOIN ImagePositions ON ImagePositions.imageid = Images.id WHERE Images.status = 1 AND ")
    NEWEST = f" ORDER BY creationDate DESC LIMIT {PAGE}"

    def fill(self, records):
        self.create(self.TABLES, self.INDEXES)
        self.insert("AlbumRoots", [(1, "Pictures", 0, 1, "volumeid:?uuid=1", "/home/user/Pictures", 2)])
        albums, tags = {}, {}
        for record in records:
            number = record.number + 1
            date = utc(record.taken).isoformat(timespec="milliseconds")[:23]
            if record.album not in albums:
                album = albums[record.album] = len(albums) + 1
                self.insert("Albums", [(album, 1, "/" + record.album, date[:10], None, None, None, date)])
            kind = "MP4" if record.video else "RAW-CR2" if record.raw else "JPG"
            self.insert("Images", [(
                number, albums[record.album], record.name, 1, 2 if record.video else 1, date, record.size, self.hash(),
                None)])
            self.insert("ImageInformation", [(
                number, record.rating or -1, date, date, 1, 4032, 3024, kind, 8, 5)])
            self.insert("ImageMetadata", [(
                number, "Maker", record.model, record.lens, 2.8, 50.0, 75.0, record.exposure, 1, 1, record.iso, 16, 1,
                None, 5, None, 0)])
            if record.position:
                north, east = record.position
                self.insert("ImagePositions", [(
                    number, f"{int(north)},{north % 1 * 60:.8f}N", north, f"{int(east)},{east % 1 * 60:.8f}E", east,
                    None, None, None, None, None, None)])
            for tag in record.tags:
                above = 0
                for part in tag.split("/"):
                    if (part, above) not in tags:
                        made = tags[part, above] = len(tags) + 1
                        self.insert("Tags", [(made, above, part, None, None)])
                        # A trigger in digiKam writes these rows: a tag with each of its ancestors.
                        self.insert("TagsTree", [(made, 0)] + ([(made, above)] if above else []))
                    above = tags[part, above]
                self.insert("ImageTags", [(number, above)])
        self.family = tags.get(("Family", 0), 0)
        self.connection.commit()

    def answers(self):
        def items(condition, *values):
            return lambda: self.ask(self.ITEMS + condition + self.NEWEST, *values)

        of_year = "creationDate >= '2019-01-01T00:00:00.000' AND creationDate < '2020-01-01T00:00:00.000'"
        visible = "JOIN Images ON Images.id = imageid WHERE Images.status = 1"
        return {
            PATHS: lambda: self.ask(
                "SELECT relativePath || '/' || name FROM Images JOIN Albums ON Albums.id = album WHERE status = 1"),
            YEAR: items(of_year),
            RATED: items(f"{of_year} AND rating >= 3"),
            MONTHS: lambda: self.ask(
                f"SELECT substr(creationDate, 1, 7), count(*) FROM ImageInformation {visible} GROUP BY 1"),
            CAMERAS: lambda: self.ask(f"SELECT make, model, count(*) FROM ImageMetadata {visible} GROUP BY 1, 2"),
            TAG: items(
                "Images.id IN (SELECT imageid FROM ImageTags JOIN TagsTree ON tagid = TagsTree.id "
                "WHERE TagsTree.pid = ? OR tagid = ?)", self.family, self.family),
            NEAR: lambda: pages_of(self.connection.execute(
                self.ITEMS + "latitudeNumber > ? AND latitudeNumber < ? "
                "AND longitudeNumber > ? AND longitudeNumber < ? ORDER BY creationDate DESC", BOX)),
            NAME: items("name LIKE '%7777%'"),
            COUNT: lambda: self.ask(f"SELECT count(*) FROM ImageInformation {visible} AND {of_year}"),
        }


class Shotwell(Database):
    """Shotwell has separate tables of photos and videos, no cameras, and no positions of videos."""

    name = "Shotwell"
    TABLES = {
        "PhotoTable":
            "id INTEGER PRIMARY KEY, filename TEXT UNIQUE NOT NULL, width INTEGER, height INTEGER, filesize INTEGER, "
            "timestamp INTEGER, exposure_time INTEGER, orientation INTEGER, original_orientation INTEGER, "
            "import_id INTEGER, event_id INTEGER, transformations TEXT, md5 TEXT, thumbnail_md5 TEXT, exif_md5 TEXT, "
            "time_created INTEGER, flags INTEGER DEFAULT 0, rating INTEGER DEFAULT 0, file_format INTEGER DEFAULT 0, "
            "title TEXT, backlinks TEXT, time_reimported INTEGER, editable_id INTEGER DEFAULT -1, "
            "metadata_dirty INTEGER DEFAULT 0, developer TEXT, develop_shotwell_id INTEGER DEFAULT -1, "
            "develop_camera_id INTEGER DEFAULT -1, develop_embedded_id INTEGER DEFAULT -1, "
            "has_gps INTEGER DEFAULT -1, gps_lat REAL, gps_lon REAL, comment TEXT",
        "VideoTable":
            "id INTEGER PRIMARY KEY, filename TEXT UNIQUE NOT NULL, width INTEGER, height INTEGER, clip_duration REAL, "
            "is_interpretable INTEGER, filesize INTEGER, timestamp INTEGER, exposure_time INTEGER, import_id INTEGER, "
            "event_id INTEGER, md5 TEXT, time_created INTEGER, rating INTEGER DEFAULT 0, title TEXT, backlinks TEXT, "
            "time_reimported INTEGER, flags INTEGER DEFAULT 0, comment TEXT",
        "TagTable":
            "id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, photo_id_list TEXT, time_created INTEGER",
    }
    INDEXES = {
        "PhotoEventIDIndex": "PhotoTable (event_id)",
        "PhotoTableMD5FormatV2": "PhotoTable (md5, file_format)",
        "PhotoTableThumbnailMD5Format": "PhotoTable (thumbnail_md5, file_format)",
        "PhotoTableThumbnailMD5MD5": "PhotoTable (thumbnail_md5, md5)",
        "VideoEventIDIndex": "VideoTable (event_id)",
    }
    PICTURES = "/home/user/Pictures"

    def fill(self, records):
        self.create(self.TABLES, self.INDEXES)
        tags = {}
        for record in records:
            number = record.number + 1
            path = f"{self.PICTURES}/{record.album}/{record.name}"
            rating = record.rating or 0
            if record.video:
                self.insert("VideoTable", [(
                    number, path, 4032, 3024, float(record.number % 300), 1, record.size, record.taken, record.taken,
                    1, -1, self.hash(), record.taken, rating, record.title, None, None, 0, None)])
            else:
                north, east = record.position or (None, None)
                self.insert("PhotoTable", [(
                    number, path, 4032, 3024, record.size, record.taken, record.taken, 1, 1, 1, -1, None, self.hash(),
                    self.hash(), self.hash(), record.taken, 0, rating, 1 if record.raw else 0, record.title, None, None,
                    -1, 0, "SHOTWELL", -1, -1, -1, 1 if record.position else 0, north, east, None)])
            source = f"video-{number:016x}," if record.video else f"thumb{number:016x},"
            for tag in record.tags:
                # The table also contains each parent tag, with the photos of its children.
                names = ["/Trips", "/" + tag] if "/" in tag else [tag]
                for name in names:
                    tags.setdefault(name, []).append(source)
        self.insert("TagTable", [
            (number, name, "".join(sources), 0) for number, (name, sources) in enumerate(tags.items(), 1)])
        self.connection.commit()

    def newest(self, condition, *values, photos=None, videos=None):
        """The newest matching rows of both tables together."""
        rows = []
        for table, own in (("PhotoTable", photos), ("VideoTable", videos)):
            cursor = self.connection.execute(
                f"SELECT exposure_time, * FROM {table} WHERE {condition} ORDER BY exposure_time DESC LIMIT {PAGE}",
                values if own is None else own)
            rows += cursor
        rows.sort(key=lambda row: row[0], reverse=True)
        return rows[:PAGE]

    def tagged(self):
        # The photos of a tag are text in one row, which Shotwell parses as well.
        found = {"thumb": [], "video-": []}
        for (text,) in self.ask("SELECT photo_id_list FROM TagTable WHERE name = ?", "Family"):
            for source in text.split(",")[:-1]:
                found[source[:-16]].append(int(source[-16:], 16))
        return self.newest(
            "id IN (SELECT value FROM json_each(?))", photos=(json.dumps(found["thumb"]),),
            videos=(json.dumps(found["video-"]),))

    def near(self):
        cursor = self.connection.execute(
            "SELECT exposure_time, *, gps_lat, gps_lon FROM PhotoTable WHERE gps_lat > ? AND gps_lat < ? "
            "AND gps_lon > ? AND gps_lon < ? ORDER BY exposure_time DESC", BOX)
        return pages_of(cursor)

    def answers(self):
        of_year = f"exposure_time >= {START} AND exposure_time < {END}"
        both = "(SELECT exposure_time FROM PhotoTable UNION ALL SELECT exposure_time FROM VideoTable)"
        return {
            PATHS: lambda: self.ask("SELECT filename FROM PhotoTable UNION ALL SELECT filename FROM VideoTable"),
            YEAR: lambda: self.newest(of_year),
            RATED: lambda: self.newest(f"{of_year} AND rating >= 3"),
            MONTHS: lambda: self.ask(
                f"SELECT strftime('%Y-%m', exposure_time, 'unixepoch'), count(*) FROM {both} GROUP BY 1"),
            TAG: self.tagged,
            NEAR: self.near,
            # The name begins after the last directory; no directory has such a name.
            NAME: lambda: self.newest("filename LIKE '%/IMG_%7777%'"),
            COUNT: lambda: self.ask(f"SELECT count(*) FROM {both} WHERE {of_year}"),
        }


def pages_of(cursor):
    """The first rows that are near; the last two columns are a position. The programs compute distances themselves as
    well."""
    rows = []
    for row in cursor:
        if is_near(row[-2:]):
            rows.append(row)
            if len(rows) == PAGE:
                break
    return rows


def found_by(database, question, rows):
    """A number to compare with the result of catalog-space-bench."""
    if question == COUNT:
        return rows[0][0]
    if question == PATHS:
        # Our paths are relative to the mount, and one byte ends each.
        before = len(Shotwell.PICTURES) + 1 if isinstance(database, Shotwell) else 1
        return sum(len(path) - before + 1 for path, in rows)
    return len(rows)


def measure(database):
    """The best time in milliseconds and the result, for each question that the database can answer."""
    figures = {}
    for question, answer in database.answers().items():
        best = math.inf
        for _ in range(ROUNDS):
            start = time.perf_counter()
            rows = answer()
            best = min(best, time.perf_counter() - start)
        figures[question] = (best * 1000, found_by(database, question, rows))
    return figures


def measure_ours(program, folder, count):
    """The figures of the catalog, from the output of catalog-space-bench."""
    done = subprocess.run([program, f"{folder}/space", str(count)], stdout=subprocess.PIPE, text=True, check=True)
    figures, missed = {}, []

    def compare(name, value, bound):
        if value >= bound:
            missed.append(f"{name}: {value:g}, and the bound is {bound}")

    for line in done.stdout.splitlines():
        parts = line.split("\t")
        if len(parts) != 4:
            if "bytes of the store" in line:
                compare("bytes of the store for each row", int(line.split()[0]), BOUND_OF_ROW)
            continue
        milliseconds, memory, name, found = float(parts[0]), int(parts[1]), parts[2], int(parts[3])
        if name in QUESTIONS:
            figures[name] = (milliseconds, found)
        compare(f"{name} (memory, MiB)", memory, BOUND_OF_MEMORY)
        bound = next((bound for start, bound in BOUNDS.items() if name.startswith(start)), None)
        if count == 100_000 and bound and not name.split(": ")[-1].startswith(LOOKED_AT):
            compare(f"{name} (ms)", milliseconds, bound)
    print("\n" + ("All figures are within their bounds." if not missed else "\n".join(["OVER THEIR BOUNDS:", *missed])))
    return figures


def run(folder, count, program, agonyfs):
    """Prints a table; returns the differences between the answers."""
    print(f"making {count} records", file=sys.stderr)
    records = list(make_records(count))
    wanted, without_videos = expected(records), expected(records, without_videos=True)
    columns, wrong = {}, []
    if program:
        print("filling a space", file=sys.stderr)
        columns["agonyfs"] = measure_ours(program, folder, count)
        catalog_commands.measure(agonyfs, folder, count, ROUNDS)
    for kind in (DigiKam, Shotwell):
        print(f"filling a database of {kind.name}", file=sys.stderr)
        database = kind(f"{folder}/{kind.name}.db")
        database.fill(records)
        columns[kind.name] = measure(database)
        database.connection.close()
    heads = ["agonyfs", "digiKam's", "ratio", "Shotwell's", "ratio", "found"]
    version = sqlite3.sqlite_version
    print(f"\n{count} records; best of {ROUNDS}, warm; the others' databases with SQLite {version} in Python")
    print("The programs themselves are not run, as they need a screen: these are their tables and indexes.")
    print(f"{'milliseconds':<44}" + "".join(f"{head:>13}" for head in heads))
    for question in QUESTIONS:
        ours = columns.get("agonyfs", {}).get(question, (None, None))[0]
        line = f"{question:<44}" + (f"{ours:13.2f}" if ours is not None else f"{'-':>13}")
        for name in ("digiKam", "Shotwell"):
            theirs = columns[name].get(question, (None, None))[0]
            line += f"{'-':>13}" if theirs is None else f"{theirs:13.2f}"
            line += f"{theirs / ours:12.1f}x" if theirs is not None and ours else f"{'-':>13}"
        print(f"{line}{wanted[question]:13}")
        for name, figures in columns.items():
            right = without_videos if name == "Shotwell" else wanted
            # Our answer has a head of less than a hundred bytes before the paths.
            room = 100 if (name, question) == ("agonyfs", PATHS) else 0
            found = figures.get(question, (None, right[question]))[1]
            if not right[question] <= found <= right[question] + room:
                wrong.append(f"{question}: {name} finds {found} instead of {right[question]}")
    print(f"Shotwell knows no cameras, and no positions of videos (so it finds {without_videos[NEAR]} near).")
    return wrong
