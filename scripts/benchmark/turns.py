"""Runs short workloads in turn on two mounted builds of agonyfs, to see differences that noise hides between whole
runs."""

import os
import random
import shutil
import statistics
import subprocess
import time

import thumbnails
import workloads
from materials import Materials
from systems import BEFORE, System, timed


def forget():
    """Drops the kernel's caches, if this user may."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
    except OSError:
        pass


def remove(path, name):
    shutil.rmtree(f"{path}/{name}", ignore_errors=True)
    for suffix in ("", "-wal", "-shm"):
        if os.path.isfile(f"{path}/{name}{suffix}"):
            os.remove(f"{path}/{name}{suffix}")


# Each workload, whether it starts with cold caches, and the file or folder that it leaves.
ROWS = {
    "create 2,000 x 4 KiB": (workloads.create_small, False, None),
    "rm -r of 2,000 files": (workloads.remove_small, False, None),
    "200 x (append + fsync)": (workloads.append_and_sync, False, "log"),
    "tar x, 2,000 files": (workloads.unpack, False, "tree"),
    "SQLite WAL, 100 commits": (workloads.database, False, "catalog.db"),
    "walk + lstat": (workloads.walk, True, None),
    "read large": (workloads.read_big, True, None),
    "read, four readers": (workloads.read_in_parallel, True, None),
    "git status": (workloads.status, True, None),
    "4,000 random 4 KiB reads": (workloads.random_reads, True, None),
}

# The pictures whose thumbnails are made during --busy: enough for a round of all rows.
PICTURES = 360


def alone(systems, names, materials):
    """A round: each row on both systems, one after the other. Yields the row and the seconds of each system."""
    for row in names:
        function, is_cold, left = ROWS[row]
        taken = {}
        for system in random.sample(systems, 2):
            forget() if is_cold else os.sync()
            taken[system.name] = timed(function, system.path, materials)
            if left:
                remove(system.path, left)
        yield row, taken


def busy(systems, names, materials):
    """A round while thumbnails are made: all rows on one system, then all on the other."""
    taken = {row: {} for row in names}
    for system in random.sample(systems, 2):
        os.sync()
        making = subprocess.Popen(
            [system.agonyfs, "thumbnails", "--rebuild", system.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Waits until the work has started.
        time.sleep(0.5)
        for row in names:
            function, _, left = ROWS[row]
            taken[row][system.name] = timed(function, system.path, materials)
            if left:
                remove(system.path, left)
        if making.poll() is not None:
            raise SystemExit("All thumbnails were made before all rows were measured; there are too few pictures.")
        making.wait()
    yield from taken.items()


def run(options, folder):
    """Prints the medians of the times, their ratio, and the median of the ratios of all rounds."""
    options.size, options.photos = min(options.size, 64), min(options.photos, 24)
    materials = Materials(f"{folder}/materials", options.size, options.photos)
    systems = []
    try:
        for name in ("agonyfs", BEFORE):
            systems.append(System(name, folder, options))
            systems[-1].create()
            systems[-1].mount(*([] if options.busy else ["-o", "nothumbs"]))
        for system in systems:
            workloads.write_big(system.path, materials)
            workloads.import_in_parallel(system.path, materials)
            workloads.clone(system.path, materials)
        if options.busy:
            thumbnails.pictures(f"{folder}/noise", PICTURES)
            for system in systems:
                thumbnails.ready(system, f"{folder}/noise")
        # Git reads files again that are as new as its index.
        time.sleep(2)
        for system in systems:
            workloads.status(system.path, materials)
        times = {row: [] for row in ROWS if options.only in row}
        for _ in range(options.rounds):
            for row, taken in (busy if options.busy else alone)(systems, list(times), materials):
                times[row].append((taken[BEFORE], taken["agonyfs"]))
        print(f"| medians of {options.rounds} rounds, ms | before | agonyfs | before ÷ agonyfs | median of the ratios |")
        print("|---|---|---|---|---|")
        for row, pairs in times.items():
            before, now = (statistics.median(column) for column in zip(*pairs))
            ratio = statistics.median(one / other for one, other in pairs)
            print(f"| {row} | {before * 1e3:.1f} | {now * 1e3:.1f} | {before / now:.2f} | {ratio:.2f} |")
        return times
    finally:
        for system in systems:
            system.delete()
