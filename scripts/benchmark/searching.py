"""Measures the cost of simultaneous searches for a verified import: a question at each typed key.

1. Before each import, the space has half as many small photos with facts. The import adds other photos.
2. The questions are heavier than those of the page, which asks for photos only when the query is entered, and for
   suggestions at most every 30 seconds. Here each key asks for the photos, and the first key of each query also for all
   possible suggestions.
"""

import itertools
import json
import os
import random
import shutil
import statistics
import sys
import threading
import time

from catalog_files import make_photos
from importing import PHOTO, Measure
from report import verdict
from systems import run
from turns import forget

# Words that occur in the photos of make_photos, and some that do not. A word that is being typed is searched as a
# prefix.
QUERIES = ("family trip 3", "paris", "album0001 img", "tokyo japan", "before beach", "berlin family", "jpg sydney", "rome")
# The kinds of suggestions.
KINDS = ("tag", "person", "place", "camera", "album")
MOST_GROUPS = 5000
# The seconds between two keys.
KEY = 0.15
# The bytes of each read, as in the page's server.
BLOCK = 512 << 10
# The bound of an import with searches ÷ without.
BOUND = 1.05
ALONE, SEARCHED = "verified import", "the same while somebody searches"


def asked(path, options, query=""):
    """The number of entries in the catalog's answer. If the answer breaks off, the rest is requested, as programs
    do."""
    rest = []
    while True:
        door = os.open(f"{path}/.agonyfs/query", os.O_RDWR)
        try:
            os.write(door, "\n".join([*options, *rest, "", query]).encode())
            answer = b"".join(iter(lambda: os.read(door, BLOCK), b""))
        finally:
            os.close(door)
        if not answer.startswith(b"ok\n"):
            raise RuntimeError(f"{query}: {answer.decode(errors='replace')}")
        end = json.loads(answer[answer.rindex(b'{"end":'):])
        if end["end"] is not False:
            return end["count"]
        if "next" not in end:
            raise RuntimeError(f"{query}: {end}")
        rest = [f"after {end['next']}"]


class Searcher(threading.Thread):
    """Types one query after the other, and records the time of each answer. A key waits for the answer to the previous
    one."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path = path
        self.waits, self.found, self.failure = [], 0, None
        self.is_ending = threading.Event()

    def run(self):
        due = time.perf_counter()
        typed = (query[:length] for query in itertools.cycle(QUERIES) for length in range(1, len(query) + 1))
        try:
            while not self.is_ending.wait(max(0, due - time.perf_counter())):
                due = max(due, time.perf_counter()) + KEY
                self.search(next(typed))
        except (OSError, RuntimeError, ValueError) as error:
            self.failure = error

    def search(self, typed):
        if len(typed) == 1:
            for kind in KINDS:
                self.ask(["format groups", f"limit {MOST_GROUPS}", f"group {kind}"])
        self.found += self.ask(["format tiles", "sort time"], typed if typed.endswith(" ") else typed + "*")

    def ask(self, options, query=""):
        start = time.perf_counter()
        count = asked(self.path, options, query)
        self.waits.append(time.perf_counter() - start)
        return count

    def end(self):
        """Stops, and returns the seconds of each question."""
        self.is_ending.set()
        self.join()
        if self.failure:
            raise SystemExit(f"A search failed: {self.failure}")
        if not self.found:
            raise SystemExit("No search found a photo.")
        return self.waits


def make(options, folder, measure):
    """Makes a vault with half of the photos, which are small, and a source of all photos with other bytes after their
    end."""
    made = f"{measure.source}/made"
    os.makedirs(made)
    photos = make_photos(made, options.files)
    names = sorted(os.path.join(place, name) for place, _, files in os.walk(photos) for name in files)
    system, kept = measure.system, f"{folder}/kept"
    system.create("--kdf", "interactive")
    system.mount()
    for name in names[:max(1, len(names) // 2)]:
        target = f"{system.path}/Before{name.removeprefix(photos)}"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(name, target)
    # Returns when all photos are examined.
    run(options.agonyfs, "thumbnails", system.path)
    system.unmount()
    shutil.copytree(system.store, kept)
    system.delete()
    chance = random.Random(5)
    for name in names:
        with open(name, "ab") as file:
            file.write(chance.randbytes(max(1, int(PHOTO * chance.uniform(0.75, 1.25)) - file.tell())))
    os.rename(photos, f"{measure.source}/Card")
    shutil.rmtree(made)
    measure.source += "/Card"
    return kept


def imported(measure, kept, mode, waits=None):
    """The seconds of an import into a copy of the vault, with cold caches. `waits` collects the times of questions."""
    system = measure.system
    with system:
        shutil.copytree(kept, system.store)
        os.mkdir(system.path)
        system.mount(*mode)
        forget()
        if waits is None:
            return measure.importing()[0]
        searcher = Searcher(system.path)
        searcher.start()
        seconds = measure.importing()[0]
        waits += searcher.end()
        return seconds


def measure(options, folder):
    """Prints the medians, the ratios of the medians, the rounds, and the times of the questions."""
    measure = Measure(options, folder)
    source = measure.source
    times, waits = {}, {}
    # The usual mount, whose decoders use the processors that the import leaves; and a mount without decoders.
    modes = {"": [], ", nothumbs": ["-o", "nothumbs"]}
    try:
        print(f"making {options.files} photos", file=sys.stderr)
        kept = make(options, folder, measure)
        ways = [(name, is_searched) for name in modes for is_searched in (False, True)]
        for number in range(options.rounds):
            for name, is_searched in ways[:: -1 if number % 2 else 1]:
                row = (SEARCHED if is_searched else ALONE) + name
                print(f"round {number + 1} of {options.rounds}: {row}", file=sys.stderr, flush=True)
                seconds = imported(measure, kept, modes[name], waits.setdefault(row, []) if is_searched else None)
                times.setdefault(row, []).append(seconds)
    finally:
        measure.system.delete()
        shutil.rmtree(source)
    medians = {row: statistics.median(values) for row, values in times.items()}
    print(f"{options.files} photos of {PHOTO / 1e6} MB on average into a space with {max(1, options.files // 2)}, medians of "
          f"{options.rounds} rounds, in seconds")
    for row, values in times.items():
        print(f"{row}: {medians[row]:.2f} ({', '.join(f'{value:.2f}' for value in values)})")
    for name in modes:
        row, other = SEARCHED + name, ALONE + name
        print(f"{row} ÷ {other}: {verdict(medians[row] / medians[other], BOUND)}")
        print(f"{len(waits[row])} questions, which waited {statistics.median(waits[row]) * 1e3:.0f} ms (median), "
              f"{max(waits[row]) * 1e3:.0f} ms (longest)", flush=True)
    return {"seconds": times, "questions": waits}
