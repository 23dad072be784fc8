"""The input of the workloads: made once per run, and the same for all systems."""

import os
import random
import subprocess
import sys


class Materials:
    """Files in a folder on the host: `big`, `photos`, `tree.tar`, `repository`, `pictures`."""

    def __init__(self, folder, megabytes, photos):
        print("making the materials", file=sys.stderr)
        os.mkdir(folder)
        self.folder = folder
        self.random = random.Random(7)
        self.big = f"{folder}/big"
        with open(self.big, "wb") as file:
            for _ in range(megabytes):
                file.write(self.random.randbytes(1 << 20))
        self.photos = f"{folder}/photos"
        self.count = photos
        albums = 8
        for album in range(albums):
            os.makedirs(f"{self.photos}/album{album}")
            for number in range(photos // albums):
                # Typical sizes of camera photos: 0.3 to 12 MB, about 2.6 MB on average.
                size = int(min(12e6, max(3e5, self.random.lognormvariate(14.6, 0.6))))
                with open(f"{self.photos}/album{album}/IMG_{album:02}{number:03}.dat", "wb") as file:
                    file.write(self.random.randbytes(size))
        self.make_tree()
        self.make_pictures()

    def make_tree(self):
        """A source tree of 2,000 files, as an archive and as a repository."""
        tree = f"{self.folder}/tree"
        words = ["inode", "extent", "segment", "nonce", "album", "cipher", "commit", "lookup"]
        for number in range(2000):
            directory = f"{tree}/part{number % 40}/sub{number % 7}"
            os.makedirs(directory, exist_ok=True)
            lines = int(self.random.lognormvariate(5, 1)) + 1
            text = "".join(" ".join(self.random.choices(words, k=6)) + "\n" for _ in range(lines))
            with open(f"{directory}/file{number}.c", "w") as file:
                file.write(text)
        self.archive = f"{self.folder}/tree.tar"
        subprocess.run(["tar", "-C", self.folder, "-cf", self.archive, "tree"], check=True)
        self.repository = f"{self.folder}/repository"
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-C", tree]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "all"], check=True)
        subprocess.run(["git", "clone", "-q", "--bare", tree, self.repository], check=True)

    def make_pictures(self):
        """Real JPEGs, for thumbnails: noise, 12 megapixels and about 3 MB each."""
        self.pictures = f"{self.folder}/pictures"
        os.makedirs(self.pictures)
        picture = noise_picture(self.folder, 4000, 3000)
        for number in range(self.count):
            with open(f"{self.pictures}/IMG_{number:04}.jpg", "wb") as file:
                # Decoders ignore bytes after the end. They make the contents differ, so that none is a duplicate.
                file.write(picture + number.to_bytes(4, "big"))


def noise_picture(folder, width, height):
    """The bytes of a JPEG of noise in all colours."""
    path = f"{folder}/first.jpg"
    bands = [f"{folder}/band{number}.v" for number in range(3)]
    for seed, band in enumerate(bands):
        subprocess.run(
            ["vips", "gaussnoise", band, str(width), str(height), "--sigma", "12", "--seed", str(seed)], check=True)
    subprocess.run(["vips", "bandjoin", " ".join(bands), f"{folder}/joined.v"], check=True)
    subprocess.run(["vips", "copy", f"{folder}/joined.v", path + "[Q=60]", "--interpretation", "srgb"], check=True)
    for made in [*bands, f"{folder}/joined.v"]:
        os.remove(made)
    with open(path, "rb") as file:
        picture = file.read()
    os.remove(path)
    return picture
