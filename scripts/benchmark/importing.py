"""Compares a verified import with copying and comparing the same files by cp and rsync into the same mount."""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from report import verdict
from systems import BEFORE, System
from turns import forget

MIB = 1 << 20
# The average size of a photo in bytes.
PHOTO = 1_300_000
# The number of files in a folder, as cameras create them.
FOLDER = 500
# The bounds of the ratios.
BOUNDS = {
    "verified import ÷ cp -a, sync": 1.6, "verified import ÷ rsync -a, rsync -ac": 1.0,
    "unverified import ÷ cp -a, sync": 1.0, "second import ÷ verified import": 0.15, "memory": 1.25,
}


def make(folder, count, size):
    """Makes files of noise with mostly different lengths."""
    chance = random.Random(5)
    for number in range(count):
        directory = f"{folder}/DCIM/{100 + number // FOLDER}CANON"
        os.makedirs(directory, exist_ok=True)
        with open(f"{directory}/IMG_{number:05}.JPG", "wb") as file:
            file.write(chance.randbytes(int(size * chance.uniform(0.75, 1.25))))


class Measure:
    """Measures in new and empty spaces, one after the other."""

    def __init__(self, options, folder, name="agonyfs", source=None):
        self.options = options
        self.folder = folder
        self.system = System(name, folder, options)
        # The source is in memory by default, like a separate fast medium: if it is slow, or shares the vault's medium,
        # the ratio only reflects the number of bytes.
        self.source = source or tempfile.mkdtemp(prefix="agonyfs-bench-", dir=options.source)

    def run(self, *command):
        """The elapsed seconds and the peak memory of a command, in KiB."""
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed: {process.returncode}")
        return time.perf_counter() - start, usage.ru_maxrss

    def importing(self, *options):
        return self.run(self.system.agonyfs, "import", *options, self.source, f"{self.system.path}/Card")

    def copy(self):
        seconds, _ = self.run("cp", "-a", self.source, f"{self.system.path}/Card")
        # The file that cp copied last: the last one in the order of the directory.
        names = subprocess.run(["find", self.source, "-type", "f"], stdout=subprocess.PIPE, text=True, check=True)
        last = names.stdout.splitlines()[-1].removeprefix(self.source)
        return {"cp -a, sync": seconds + self.run("sync", f"{self.system.path}/Card{last}")[0]}

    def synchronize(self):
        target = f"{self.system.path}/Card/"
        seconds = self.run("rsync", "-a", f"{self.source}/", target)[0]
        return {"rsync -a, rsync -ac": seconds + self.run("rsync", "-ac", f"{self.source}/", target)[0]}

    def verified(self):
        first = self.importing()[0]
        forget()
        return {"verified import": first, "second import": self.importing()[0]}

    def unverified(self):
        return {"unverified import": self.importing("--no-verify")[0]}

    def round(self, function):
        """The times of one method, in a new space and with cold caches."""
        with self.system:
            self.system.create()
            self.system.mount("-o", "nothumbs")
            forget()
            return function()


def memory(options, folder):
    """The peak memory of the importer for some files and for ten times as many, all small."""
    found = {}
    for count in (options.files, 10 * options.files):
        measure = Measure(options, folder)
        try:
            make(measure.source, count, 6000)
            found[count] = measure.round(measure.importing)[1] / 1024
        finally:
            shutil.rmtree(measure.source)
    (few, least), (many, most) = found.items()
    print(f"memory of the importer, most: {least:.1f} MiB for {few:,} files, {most:.1f} MiB for {many:,}, "
          f"{verdict(most / least, BOUNDS['memory'])}", flush=True)
    return found


def measure(options, folder):
    """Prints the medians, the ratios of the medians, and the rounds."""
    measure = Measure(options, folder)
    try:
        times = compare(options, measure)
    finally:
        shutil.rmtree(measure.source)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"{options.files} files of {PHOTO / 1e6} MB on average, medians of {options.rounds} rounds, in seconds")
    for name, values in times.items():
        print(f"{name}: {medians[name]:.2f} ({', '.join(f'{value:.2f}' for value in values)})")
    for name in medians:
        if (before := f"{name}, before") in medians:
            print(f"{name} ÷ that of the program before: {medians[name] / medians[before]:.2f}")
    for name, bound in BOUNDS.items():
        one, _, other = name.partition(" ÷ ")
        if other:
            print(f"{name}: {verdict(medians[one] / medians[other], bound)}", flush=True)
    return {"seconds": times, "MiB": memory(options, folder)}


def compare(options, measure):
    print(f"making {options.files} files", file=sys.stderr)
    make(measure.source, options.files, PHOTO)
    ways = [measure.copy, measure.verified, measure.synchronize, measure.unverified]
    if options.before:
        before = Measure(options, measure.folder, BEFORE, measure.source)
        ways += [before.verified, before.unverified]
    times = {}
    for number in range(options.rounds):
        for way in ways[:: -1 if number % 2 else 1]:
            print(f"round {number + 1} of {options.rounds}: {way.__name__}", file=sys.stderr, flush=True)
            owner = way.__self__
            for name, seconds in owner.round(way).items():
                times.setdefault(name if owner is measure else f"{name}, before", []).append(seconds)
    return times
