#!/usr/bin/env python3
"""Makes some sixty photos and videos whose metadata exiftool writes: always the same.

library.py FOLDER
"""

import os
import random
import subprocess
import sys

PLACES = {
    "paris": (48.8584, 2.2945, 35.0),
    "rome": (41.8902, 12.4922, 21.0),
    "tokyo": (35.6586, 139.7454, 18.0),
    "sydney": (-33.8688, 151.2093, 3.0),
    "newyork": (40.7580, -73.9855, 10.0),
    "ocean": (-45.0, -130.0, 0.0),
    "montblanc": (45.8326, 6.8652, 4805.0),
}
ZONES = {
    "paris": "+02:00", "rome": "+02:00", "tokyo": "+09:00", "sydney": "+10:00", "newyork": "-04:00",
    "ocean": None, "montblanc": "+02:00",
}
CAMERAS = [
    ("Canon", "Canon EOS 5D Mark III", "EF24-70mm f/2.8L II USM"),
    ("NIKON CORPORATION", "NIKON D750", "AF-S Nikkor 50mm f/1.8G"),
    ("Apple", "iPhone 12", "iPhone 12 back camera 4.2mm f/1.6"),
    ("SONY", "ILCE-7M3", None),
]
TAGS = ["Family", "Places/Paris", "Places/Rome", "Beach", "Fireworks", "Café"]
PEOPLE = ["Anna Schmidt", "Bob", "Zoë Miller"]
TITLES = ["Eiffel Tower at night", "The old harbour", "Été en ville", "Sunset"]
SIZES = [(64, 48), (96, 72), (48, 64), (200, 150), (400, 300)]
FOLDERS = ["2018/Trip", "2019/Paris", "2019/Rome", "2021", "Archive/Old scans", "Café"]


def run(*words, **more):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **more)


def bases(folder):
    """One file for each size and format; metadata makes copies of it differ."""
    made = {}
    noise = os.path.join(folder, "noise.v")
    for number, (width, height) in enumerate(SIZES):
        run("vips", "gaussnoise", noise, str(width), str(height), "--seed", str(number + 1))
        for ending in ("jpg", "png", "tif"):
            path = os.path.join(folder, f"base{number}.{ending}")
            run("vips", "cast", noise, path, "uchar")
            made[number, ending] = path
    os.remove(noise)
    for seconds, ending, rate in ((1, "mp4", 10), (3, "mov", 25), (7, "mp4", 30)):
        path = os.path.join(folder, f"clip{seconds}.{ending}")
        run("ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", f"testsrc=d={seconds}:s=64x48:r={rate}", "-c:v",
            "libx264", "-pix_fmt", "yuv420p", "-fflags", "+bitexact", path)
        made[seconds, "video"] = path
    return made


def facts(source, index, is_video):
    """What exiftool is told to write, and the ending of the file."""
    words = []
    place = source.choice(list(PLACES) + [None, None])
    year = source.choice([2017, 2018, 2019, 2019, 2019, 2021, 2023])
    # No two are of the same second, so that there is one order.
    when = f"{year}:{source.randint(6, 8):02}:{source.randint(1, 28):02} {source.randint(0, 23):02}:" \
           f"{source.randint(0, 59):02}:{index % 60:02}"
    if is_video:
        zone = ZONES.get(place) or "+01:00"
        words += [f"-Keys:CreationDate={when}{zone}"]
        if place:
            latitude, longitude, altitude = PLACES[place]
            words += [f"-Keys:GPSCoordinates={latitude}, {longitude}, {altitude}"]
        return words
    kind = source.choice(["exif", "exif", "exif", "exif", "xmp", "none"])
    if kind == "exif":
        words += [f"-ExifIFD:DateTimeOriginal={when}"]
        if source.random() < 0.4:
            words += [f"-ExifIFD:OffsetTimeOriginal={ZONES.get(place) or '+01:00'}"]
        if source.random() < 0.3:
            words += ["-ExifIFD:SubSecTimeOriginal=25"]
    elif kind == "xmp":
        words += [f"-XMP-exif:DateTimeOriginal={when}"]
    if place:
        latitude, longitude, altitude = PLACES[place]
        words += [
            f"-GPS:GPSLatitude={abs(latitude)}", f"-GPS:GPSLatitudeRef={'N' if latitude >= 0 else 'S'}",
            f"-GPS:GPSLongitude={abs(longitude)}", f"-GPS:GPSLongitudeRef={'E' if longitude >= 0 else 'W'}",
        ]
        if altitude:
            words += [f"-GPS:GPSAltitude={altitude}", "-GPS:GPSAltitudeRef=0"]
    if source.random() < 0.7:
        make, model, lens = source.choice(CAMERAS)
        words += [f"-IFD0:Make={make}", f"-IFD0:Model={model}"]
        if lens:
            words += [f"-ExifIFD:LensModel={lens}"]
        words += [
            f"-ExifIFD:ISO={source.choice([100, 200, 400, 800, 3200])}",
            f"-ExifIFD:FNumber={source.choice([1.8, 2.8, 4, 8])}",
            f"-ExifIFD:ExposureTime={source.choice(['1/1000', '1/250', '1/60', '2'])}",
            f"-ExifIFD:FocalLength={source.choice([24, 50, 70])}",
        ]
    if source.random() < 0.6:
        words += [f"-XMP-xmp:Rating={source.choice([1, 2, 3, 4, 5, 5])}"]
    if source.random() < 0.5:
        for tag in source.sample(TAGS, source.randint(1, 2)):
            field = source.choice(["XMP-dc:Subject", "IPTC:Keywords", "XMP-digiKam:TagsList"])
            if "/" in tag:
                # The others have no levels.
                field = "XMP-digiKam:TagsList"
            words += [f"-{field}+={tag}"]
    if source.random() < 0.3:
        words += [f"-XMP-dc:Title={source.choice(TITLES)}"]
    if source.random() < 0.3:
        field = source.choice(["XMP-dc:Description", "IPTC:Caption-Abstract"])
        words += [f"-{field}=At the lake, number {index}"]
    if source.random() < 0.25:
        words += [f"-XMP-iptcExt:PersonInImage+={source.choice(PEOPLE)}"]
    if source.random() < 0.2:
        words += [f"-IFD0:Orientation#={source.choice([6, 8, 3])}"]
    return words


def main(folder):
    source = random.Random(16)
    os.makedirs(folder)
    made = bases(folder)
    lines = ["-charset", "iptc=utf8", "-IPTC:CodedCharacterSet=UTF8"]
    for index in range(60):
        is_video = index % 10 == 9
        if is_video:
            base = made[source.choice([1, 3, 7]), "video"]
        else:
            ending = source.choice(["jpg", "jpg", "jpg", "jpg", "png", "tif"])
            base = made[source.randrange(len(SIZES)), ending]
        words = facts(source, index, is_video)
        target = os.path.join(folder, source.choice(FOLDERS), f"DSC{index:04}{os.path.splitext(base)[1]}")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not base.endswith((".jpg", ".tif")):
            words = [word for word in words if not word.startswith("-IPTC")]
        lines = []
        if any(word.startswith("-IPTC") for word in words):
            lines += ["-codedcharacterset=utf8"]
        lines += words + ["-q", "-o", target, base, "-execute"]
        arguments.extend(lines)
        targets.append(target)
    with open(os.path.join(folder, "arguments"), "w", encoding="utf-8") as file:
        file.write("\n".join(arguments) + "\n")
    run("exiftool", "-charset", "filename=utf8", "-@", os.path.join(folder, "arguments"))
    for index, target in enumerate(targets):
        if not os.path.exists(target):
            sys.exit(f"{target} was not made")
        # Long ago, so that no file's own time is that of another fact; and each another one.
        os.utime(target, (1_000_000_000 + index, 1_000_000_000 + index))
    for path in list(made.values()) + [os.path.join(folder, "arguments")]:
        os.remove(path)


arguments, targets = [], []
main(sys.argv[1])
