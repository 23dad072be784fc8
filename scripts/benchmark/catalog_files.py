"""Compares the program's commands on a mounted vault with exiftool and find on the same photos."""

import collections
import csv
import datetime
import json
import os
import random
import shutil
import subprocess
import sys
import time

from systems import run as run_quietly, wait

ROUNDS = 3
PER_FOLDER = 50
PER_BATCH = 1000
BASES = 24
# No model is the end of another model's name, so the name of a group identifies the model.
CAMERAS = [
    ("Canon", "Canon EOS R5"), ("NIKON CORPORATION", "NIKON Z 6"), ("SONY", "ILCE-7M3"), ("FUJIFILM", "X-T4"),
    ("Apple", "iPhone 12"), ("Google", "Pixel 7"), ("samsung", "SM-G991B"), ("Panasonic", "DC-GX9"),
]
LENSES = ["24-105mm F4", "50mm F1.8", "", "18-55mm F2.8-4"]
CITIES = [(48.85, 2.35), (35.68, 139.69), (-33.87, 151.21), (45.76, 4.84), (52.52, 13.40), (41.90, 12.50)]
COLUMNS = [
    "SourceFile", "EXIF:DateTimeOriginal", "EXIF:CreateDate", "EXIF:Make", "EXIF:Model", "EXIF:LensModel", "EXIF:ISO",
    "EXIF:ExposureTime", "EXIF:FNumber", "EXIF:FocalLength", "EXIF:GPSLatitude", "EXIF:GPSLatitudeRef",
    "EXIF:GPSLongitude", "EXIF:GPSLongitudeRef", "XMP-xmp:Rating", "XMP-dc:Subject",
]


def facts(numbers, number):
    """The values that exiftool writes into a photo, in the order of `COLUMNS` without the path. Empty ones are not
    written."""
    taken = datetime.datetime(2010, 1, 1) + datetime.timedelta(seconds=numbers.randrange(15 * 365 * 86_400))
    date = taken.strftime("%Y:%m:%d %H:%M:%S")
    make, model = numbers.choice(CAMERAS)
    position = [""] * 4
    if number % 3 == 0:
        latitude, longitude = (part + numbers.uniform(-0.1, 0.1) for part in numbers.choice(CITIES))
        position = [
            f"{abs(latitude):.6f}", "N" if latitude >= 0 else "S", f"{abs(longitude):.6f}",
            "E" if longitude >= 0 else "W",
        ]
    rating = numbers.randrange(1, 6) if numbers.random() < 0.4 else ""
    tags = f"Family, Trip {number // 100}" if number % 5 == 0 else ""
    return [
        date, date, make, model, numbers.choice(LENSES), 100 << numbers.randrange(6), 1 / (25 << numbers.randrange(6)),
        numbers.choice([1.8, 2.8, 4, 5.6]), numbers.choice([24, 35, 50, 85]), *position, rating, tags,
    ]


def make_photos(folder, count):
    """Makes small JPEGs with different facts, in directories of 50."""
    photos = f"{folder}/photos"
    bases = []
    for number in range(min(BASES, count)):
        base = f"{folder}/base{number}.jpg"
        run_quietly("vips", "gaussnoise", base + "[Q=60]", "320", "240", "--sigma", str(4 + number))
        bases.append(base)
    numbers = random.Random(7)
    for start in range(0, count, PER_BATCH):
        table, names = f"{folder}/facts.csv", f"{folder}/names"
        with open(table, "w", newline="") as rows, open(names, "w") as list_of_names:
            writer = csv.writer(rows)
            writer.writerow(COLUMNS)
            for number in range(start, min(start + PER_BATCH, count)):
                album = f"{photos}/album{number // PER_FOLDER:04}"
                os.makedirs(album, exist_ok=True)
                path = f"{album}/IMG_{number:06}.jpg"
                shutil.copyfile(bases[number % len(bases)], path)
                writer.writerow([path, *facts(numbers, number)])
                list_of_names.write(path + "\n")
        # One call for many photos, because starting exiftool takes longer than a photo.
        run_quietly("exiftool", "-q", "-overwrite_original", "-sep", ", ", f"-csv={table}", "-@", names)
    return photos


def pipeline(output, *commands, good=(0,)):
    """Runs commands as a pipeline, with the output in a file. Returns the seconds."""
    processes = []
    start = time.perf_counter()
    try:
        with open(output, "wb") as file:
            source = subprocess.DEVNULL
            for command in commands:
                last = command is commands[-1]
                process = subprocess.Popen(command, stdin=source, stdout=file if last else subprocess.PIPE)
                processes.append(process)
                if source is not subprocess.DEVNULL:
                    source.close()
                source = process.stdout
            for process in processes:
                process.wait()
        seconds = time.perf_counter() - start
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
    for process, command in zip(processes, commands):
        if process.returncode not in good:
            raise SystemExit(f"{' '.join(command)} failed with status {process.returncode}")
    return seconds


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# These functions convert the output of commands for comparison. `place` is the directory that was asked about.

def paths_of(text, place):
    """Relative paths, each ended by a zero byte or a newline."""
    return sorted(os.path.relpath(path, place) for path in text.replace("\0", "\n").split("\n") if path)


def our_facts(text, place):
    found = {}
    for line in text.splitlines():
        item = json.loads(line)
        taken = item.get("taken", "")[:19].replace("-", ":").replace("T", " ")
        found[os.path.relpath(item["path"], place)] = (taken, item.get("model"), item.get("iso"), item.get("rating"))
    return found


def their_facts(text, place):
    return {
        os.path.relpath(item["SourceFile"], place):
            (item.get("DateTimeOriginal"), item.get("Model"), item.get("ISO"), item.get("Rating"))
        for item in json.loads(text)
    }


def our_groups(text, _):
    """The counts of our groups, whose names have the maker before the model."""
    groups = collections.Counter()
    for line in text.splitlines():
        count, name = line.split("\t")
        model = next((model for _, model in CAMERAS if name.endswith(model)), name)
        groups[model] += int(count)
    return groups


def their_groups(text, _):
    lines = (line.split(None, 1) for line in text.splitlines())
    return collections.Counter({name: int(count) for count, name in lines})


def questions(agonyfs, mount, disk):
    """By question, for agonyfs, others on disk and others on the mount: commands, place, reader, allowed exit
    statuses."""
    exiftool = ["exiftool", "-q", "-fast2", "-r"]
    condition = "$DateTimeOriginal =~ /^2019:/ and defined $Rating and $Rating >= 3"
    models, sort, count = [*exiftool, "-p", "$Model", disk], ["sort"], ["uniq", "-c"]

    def ours(reader, *command):
        return [[agonyfs, "list", *command]], mount, reader

    def json_of(place):
        return [[*exiftool, "-json", place]], place, their_facts

    def find(place):
        return [["find", place, "-type", "f", "-print0"]], place, paths_of

    return {
        "all facts as JSON; exiftool -json": (ours(our_facts, "--json", mount), json_of(disk), json_of(mount)),
        "all paths; find -print0": (ours(paths_of, "-0", mount), find(disk), find(mount)),
        "date:2019 rating:>=3; exiftool -if": (
            ours(paths_of, mount, "date:2019 rating:>=3", "-0"),
            # exiftool exits with 2 if nothing matches.
            ([[*exiftool, "-if", condition, "-p", "$Directory/$FileName", disk]], disk, paths_of, (0, 2)), None),
        "groups by camera; exiftool, sort, uniq -c": (
            ours(our_groups, mount, "--group", "camera"), ([models, sort, count], disk, their_groups), None),
    }


def run(system, folder, count):
    """Prints a table; returns the differences between the answers."""
    print(f"making {count} photos", file=sys.stderr)
    disk = make_photos(folder, count)
    # The cost of the key derivation does not matter here.
    system.create("--kdf", "interactive")
    system.mount()
    print("copying them into a vault", file=sys.stderr)
    shutil.copytree(disk, system.path, dirs_exist_ok=True)
    run_quietly(system.agonyfs, "thumbnails", system.path)

    def known():
        done = subprocess.run([system.agonyfs, "list", "--count", system.path], capture_output=True, text=True)
        return done.stdout.strip() == str(count)

    wait(known, "not all photos are in the catalog", 600)
    asked = questions(system.agonyfs, system.path, disk)
    best, answers = {}, {}
    for number in range(ROUNDS):
        print(f"round {number + 1} of {ROUNDS}", file=sys.stderr)
        for name, columns in asked.items():
            for column, (commands, place, reader, *good) in enumerate(filter(None, columns)):
                seconds = pipeline(f"{folder}/answer", *commands, good=good[0] if good else (0,))
                best[name, column] = min(best.get((name, column), seconds), seconds)
                answers[name, column] = reader(read(f"{folder}/answer"), place)
    system.delete()
    version = subprocess.run(["exiftool", "-ver"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{count} photos; best of {ROUNDS}, warm, with the start of the processes; exiftool {version}")
    heads = ["agonyfs", "on disk", "ratio", "on the mount", "ratio", "found"]
    print(f"{'milliseconds':<44}" + "".join(f"{head:>13}" for head in heads))
    wrong = []
    for name in asked:
        ours, *others = (best.get((name, column)) for column in range(3))
        line = f"{name:<44}{ours * 1000:13.1f}"
        for column, seconds in enumerate(others, 1):
            line += f"{'-':>13}" * 2 if seconds is None else f"{seconds * 1000:13.1f}{seconds / ours:12.1f}x"
            if seconds is not None and answers[name, column] != answers[name, 0]:
                wrong.append(differences(name, answers[name, 0], answers[name, column]))
        print(f"{line}{len(answers[name, 0]):13}")
    everything = answers[next(iter(asked)), 0]
    if len(everything) != count:
        wrong.append(f"{count} photos, but facts of {len(everything)}")
    return wrong


def differences(name, ours, theirs):
    """A line with the first differences."""
    if isinstance(ours, dict):
        ours, theirs = ours.items(), theirs.items()
    ours, theirs = set(ours), set(theirs)
    return f"{name}: only ours {sorted(ours - theirs, key=str)[:5]}, only theirs {sorted(theirs - ours, key=str)[:5]}"
