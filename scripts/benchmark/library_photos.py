"""Photos for scripts/bench --library: rotated cuts of a few pictures, each with different bytes, as cameras store them.

1. Photo N has the same cut, rotation, quality, date and place in every run with the same pictures.
2. Memory holds at most one decoded picture for each processor, in addition to the generated ones.
"""

import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from PIL import Image, ImageChops, ImageOps

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Tests/Web"))

from page_photos import camera  # pylint: disable=wrong-import-position

# The size of a photo in pixels: 12 megapixels, and with --small.
SIZE, SMALL = (4000, 3000), (800, 600)
# The estimated bytes of a photo, until the first ones are made.
BYTES, SMALL_BYTES = 3_500_000, 140_000
PICTURES = 6
# The strength of the noise, with which a photo of 12 megapixels has 2 to 5 MB.
GRAIN = 9
ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff")
# The part of a given picture that is cut out, in each direction.
PART = 0.9
# The times of the first and the last photo, ten years apart.
FIRST, LAST = 1420070400, 1735603200
# The latitude and longitude of towns near which a third of the photos are taken.
TOWNS = ((48.86, 2.35), (35.69, 139.69), (-33.87, 151.21), (40.71, -74.01), (52.52, 13.40), (-22.91, -43.17))
TURNS = (None, None, None, *Image.Transpose)


def made_picture(size, grain):
    """A picture with large and small shapes and noise, which takes as many bytes as a camera's picture."""
    def channel():
        image = grain
        for part, strength in ((size[0] // 8, 90), (size[0] // 60, 40), (size[0] // 500 or 1, 14)):
            shapes = Image.effect_noise((size[0] // part + 1, size[1] // part + 1), strength)
            image = ImageChops.add(image, shapes.resize(size, Image.Resampling.BICUBIC), 1, -128)
        return image

    return Image.merge("RGB", [channel() for _ in range(3)])


def position(latitude, longitude):
    """A position in the form of EXIF: for each axis the hemisphere, degrees, minutes and seconds."""
    found = []
    for value, names in ((latitude, "NS"), (longitude, "EW")):
        seconds = round(abs(value) * 3600)
        found += [names[value < 0], (float(seconds // 3600), float(seconds // 60 % 60), float(seconds % 60))]
    return tuple(found)


class Photos:
    """Makes the photos of a library of `count`, from the pictures of a folder or from generated ones."""

    def __init__(self, count, folder=None, is_small=False):
        self.count, self.size = count, SMALL if is_small else SIZE
        self.bytes = SMALL_BYTES if is_small else BYTES
        self.paths = []
        if folder:
            self.paths = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
                                if name.lower().endswith(ENDINGS))
            self.paths = [path for path in self.paths if self.is_readable(path)]
            if not self.paths:
                raise SystemExit(f"{folder} has no picture that can be read; pictures are {', '.join(ENDINGS)}.")
            self.bytes = sum(map(os.path.getsize, self.paths)) // len(self.paths)
        else:
            size = tuple(side * 11 // 10 for side in self.size)
            grain = Image.effect_noise(size, GRAIN)
            self.pictures = [made_picture(size, grain) for _ in range(PICTURES)]

    @staticmethod
    def is_readable(path):
        try:
            with Image.open(path):
                return True
        except (OSError, Image.DecompressionBombError):
            return False

    def picture(self, number):
        """The picture for a photo, upright."""
        if not self.paths:
            return self.pictures[number % PICTURES]
        with Image.open(self.paths[number % len(self.paths)]) as image:
            return ImageOps.exif_transpose(image).convert("RGB")

    def make(self, number, path):
        """Writes a photo, with its date."""
        chance = random.Random(number)
        picture = self.picture(number)
        width, height = self.size
        if self.paths:
            width, height = (max(1, int(side * PART)) for side in picture.size)
        left, top = chance.randint(0, picture.width - width), chance.randint(0, picture.height - height)
        photo = picture.crop((left, top, left + width, top + height))
        turn = chance.choice(TURNS)
        if turn is not None:
            photo = photo.transpose(turn)
        taken = FIRST + (LAST - FIRST) * number // self.count
        place = None
        if number % 3 == 0:
            place = position(*(value + chance.uniform(-0.05, 0.05) for value in chance.choice(TOWNS)))
        text = time.strftime("%Y:%m:%d %H:%M:%S", time.gmtime(taken))
        photo.save(path, "JPEG", quality=chance.randint(80, 91), exif=camera(text, place))
        os.utime(path, (taken, taken))

    def batch(self, folder, numbers):
        """Makes photos in a new folder; returns their bytes. Threads suffice, because Pillow uses all processors from
        them."""
        os.makedirs(folder)
        paths = [f"{folder}/IMG_{number:06}.JPG" for number in numbers]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.make, numbers, paths))
        return sum(map(os.path.getsize, paths))
