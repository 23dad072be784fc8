#!/usr/bin/env python3
"""Runs the same workloads on each file system, in interleaved rounds, and prints medians and ratios."""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time

import cores
import cover
import importing
import kinds
import report
import scale
import searching
import thumbnails
import turns
import upkeep
import workloads as work
from materials import Materials
from systems import BEFORE, NAMES, System, timed


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__,
        epilog="Seconds, smaller is better; only ratios within one run mean something. Both rows of mounting include "
        "the work of a password; agonyfs speed shows it. scripts/bench --catalog measures the catalog instead, "
        "scripts/bench --remote copies to an object store, scripts/bench --import --searching what searching costs an import.")
    parser.add_argument("systems", nargs="*", default=NAMES, help=f"any of {' '.join(NAMES)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default: 5)")
    parser.add_argument("--size", type=int, default=256, help="MiB of the large file (default: 256)")
    parser.add_argument("--photos", type=int, default=200, help="number of imported photos (default: 200)")
    parser.add_argument("--only", default="", help="run only workloads whose names contain this, and what they need")
    parser.add_argument("--folder", help="working folder (default: a new temporary one)")
    parser.add_argument("--before", metavar="PROGRAM", help="also measure this other build of agonyfs in the same run")
    parser.add_argument("--json", help="also write all results to this file")
    parser.add_argument(
        "--scale", type=int, nargs="*", metavar="FILES", help="instead, measure agonyfs with these numbers of files")
    parser.add_argument(
        "--upkeep", type=int, nargs="?", const=10, metavar="GIB",
        help="instead, add a tenth to a vault of GIB (default: 10) and measure how much rsync sends; also clean away "
        "nine tenths of a space of a quarter of that and measure how long readers wait")
    parser.add_argument(
        "--cover", type=int, nargs="?", const=4, metavar="GIB",
        help="instead, measure what GIB of cover (default: 4) cost: creating it, and writing into a space that owns it")
    parser.add_argument(
        "--import", action="store_true", dest="importing",
        help="instead, measure a verified import beside cp and rsync into the same mount")
    parser.add_argument(
        "--searching", action="store_true",
        help="with --import, measure a verified import with and without somebody who searches meanwhile: a question at each "
        "key that is typed")
    parser.add_argument(
        "--cores", action="store_true",
        help="instead, measure check --read-data and password change --rekey with all processors and with one")
    parser.add_argument(
        "--files", type=int, default=2000,
        help="with --import and --cores, the number of photos of 1.3 MB (default: 2000)")
    parser.add_argument(
        "--source", default="/dev/shm", metavar="FOLDER",
        help="with --import, where the photos are made (default: in memory)")
    parser.add_argument(
        "--turns", action="store_true",
        help="instead, measure short workloads in turn on agonyfs and on the build that --before names")
    parser.add_argument(
        "--busy", action="store_true", help="with --turns, while thumbnails of 360 pictures are made, without cold caches")
    parser.add_argument(
        "--thumbnails", action="store_true",
        help="instead, measure how long --photos pictures of 1600 x 1200 take until all have thumbnails and facts, on one "
        "processor and on more")
    parser.add_argument(
        "--kinds", metavar="FOLDER",
        help="instead, measure what --photos copies of the largest file of each suffix in FOLDER cost until they have "
        "thumbnails")
    parser.add_argument("--perf", metavar="FOLDER", help="with --kinds, record where the time goes into this folder (perf)")
    parser.add_argument("--plot", help="with --scale, draw the curves into this SVG file")
    parser.add_argument("--agonyfs", help=argparse.SUPPRESS)
    parser.add_argument("--floor", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turns and not options.before:
        parser.error("--turns needs --before PROGRAM")
    if options.perf and not options.kinds:
        parser.error("--perf needs --kinds FOLDER")
    if options.searching and not options.importing:
        parser.error("--searching needs --import")
    if options.before:
        options.systems = [*options.systems, BEFORE]
    return options


class Bench:
    """A run."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.times = {}
        self.materials = Materials(f"{folder}/materials", options.size, options.photos)

    def note(self, name, system, value):
        self.times.setdefault(name, {}).setdefault(system.name, []).append(value)

    def time(self, name, system, function, needed=False):
        """Runs one workload and records its time."""
        wanted = self.options.only in name
        if not wanted and not needed:
            return
        seconds = timed(function, system.path, self.materials)
        if wanted:
            self.note(name, system, seconds)

    def timed_mount(self, name, system, *options):
        self.note(name, system, timed(system.mount, *options))

    def remount(self, system):
        system.unmount()
        system.mount()

    def processor(self, name, system, gigabytes, function):
        """Records processor seconds per gigabyte, of the system's process and this one."""
        before = system.processor_seconds() + sum(os.times()[:4])
        function(system.path, self.materials)
        if system.name != "plain":
            used = system.processor_seconds() + sum(os.times()[:4]) - before
            self.note(f"{name}, processor s/GB", system, used / gigabytes)

    def round(self, system):
        """Runs all workloads on one system."""
        system.create()
        self.timed_mount("mount, empty", system)
        gigabytes = self.options.size * (1 << 20) / 1e9
        self.processor(
            "write", system, gigabytes, lambda *both: self.time("write large + fsync", system, work.write_big, True))
        self.time("import photos + sync", system, work.import_photos, True)
        self.time("import, four writers + sync", system, work.import_in_parallel, True)
        self.time("create 2,000 x 4 KiB", system, work.create_small, True)
        self.time("200 x (append + fsync)", system, work.append_and_sync)
        self.time("tar x, 2,000 files", system, work.unpack)
        self.time("git clone", system, work.clone, "git" in self.options.only)
        self.time("SQLite WAL, 100 commits", system, work.database)
        if self.options.only in "open album of 5,000":
            work.fill_album(system.path, self.materials)
        system.unmount()
        self.timed_mount("mount, filled", system)
        self.time("walk + lstat", system, work.walk)
        self.time("walk + lstat again", system, work.walk)
        self.processor("read", system, gigabytes, lambda *both: self.time("read large", system, work.read_big, True))
        self.time("read photos", system, work.read_photos)
        self.time("read, four readers", system, work.read_in_parallel)
        if self.options.only in "git status":
            work.settle_clone(system.path, self.materials)
        self.remount(system)
        self.time("git status", system, work.status)
        self.time("open album of 5,000", system, work.open_album)
        self.time("4,000 random 4 KiB reads", system, work.random_reads)
        self.time("400 random 256 KiB reads", system, work.seek_in_video)
        self.time("4,000 random 4 KiB writes + fsync", system, work.random_writes)
        self.remount(system)
        self.time("read photos while importing", system, work.read_while_importing)
        self.time("rsync -a of a changed tree", system, work.synchronize_changes)
        self.time("rm -r of 2,000 files", system, work.remove_small)
        if system.name != "plain":
            self.note("resident MiB", system, system.resident_bytes() / (1 << 20))
        system.delete()
        self.pictures(system)

    def pictures(self, system):
        """Imports real pictures, for which agonyfs makes thumbnails. A second row measures agonyfs without
        thumbnails."""
        modes = [[], ["-o", "nothumbs"]] if system.agonyfs else [[]]
        for mode in modes:
            system.create()
            empty = system.stored_bytes()
            system.mount(*mode)
            name = "import pictures + sync" + (", nothumbs" if mode else "")
            self.time(name, system, work.import_pictures)
            system.unmount()
            size = sum(os.path.getsize(file) for file in work.files(self.materials.pictures))
            if mode and self.options.only in name:
                self.note("store overhead of pictures, %", system, ((system.stored_bytes() - empty) / size - 1) * 100)
            system.delete()

    def run(self):
        for number in range(self.options.rounds):
            # Alternate rounds reverse the order, so that no system always follows the same one.
            for name in self.options.systems[:: -1 if number % 2 else 1]:
                print(f"round {number + 1} of {self.options.rounds}: {name}", end="", file=sys.stderr, flush=True)
                start = time.monotonic()
                system = System(name, self.folder, self.options)
                try:
                    self.round(system)
                finally:
                    system.unmount()
                    print(f", {time.monotonic() - start:.0f} s", file=sys.stderr)


def main():
    options = arguments()
    # SIGTERM cleans up as an interrupt does: unmounts and deletes everything.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    unknown = [name for name in options.systems if name not in [*NAMES, BEFORE]]
    if unknown:
        raise SystemExit(f"There is no system {unknown[0]}; there are {', '.join(NAMES)}.")
    folder = tempfile.mkdtemp(prefix="agonyfs-bench-", dir=options.folder)
    try:
        facts = report.machine(options)
        if options.scale is not None:
            results = scale.run(options, folder)
        elif options.cover is not None:
            results = cover.measure(options, folder)
        elif options.cores:
            results = cores.measure(options, folder)
        elif options.importing:
            results = (searching if options.searching else importing).measure(options, folder)
        elif options.thumbnails:
            results = thumbnails.measure(options, folder)
        elif options.kinds:
            results = kinds.measure(options, folder)
        elif options.turns:
            results = turns.run(options, folder)
        elif options.upkeep is not None:
            results = upkeep.run(options, folder)
        else:
            bench = Bench(options, folder)
            bench.run()
            results = bench.times
            print(report.table(results, options.systems))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    report.show(facts, options.rounds, results, options.json)


main()
