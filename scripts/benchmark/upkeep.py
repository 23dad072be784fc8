"""Measures the upkeep of a vault: updating a copy of it, and reading while the log is cleaned."""

import json
import mmap
import os
import random
import re
import shutil
import subprocess
import threading
import time

from systems import System

MIB = 1 << 20
# The allowance in addition to live data: eight segments that are open or not worth cleaning.
SLACK = 8 * 4 * MIB


def fill(path, prefix, mebibytes, size):
    """Makes files of `size` bytes of noise; returns their names."""
    noise = os.urandom(64 * MIB)
    names = []
    for number in range(mebibytes * MIB // size):
        names.append(f"{path}/{prefix}{number:06}")
        start = random.randrange(len(noise) - size)
        with open(names[-1], "wb") as file:
            # Every file has a different beginning.
            file.write(number.to_bytes(8, "little") + noise[start:start + size - 8])
    os.sync()
    return names


def copied_again(system, options, folder):
    """The bytes that rsync sends after a tenth was added to a vault that it had copied."""
    system.create()
    mebibytes = options.upkeep * 1024
    for prefix, amount in (("old", mebibytes), ("new", mebibytes // 10)):
        system.mount("-o", "nothumbs")
        fill(system.path, prefix, amount, 4 * MIB)
        system.unmount()
        done = subprocess.run(
            ["rsync", "-a", "--delete", "--stats", f"{system.store}/", f"{folder}/copy/"], check=True, text=True,
            stdout=subprocess.PIPE)
    sent = int(re.search(r"Total bytes sent: ([\d,]+)", done.stdout)[1].replace(",", ""))
    shutil.rmtree(f"{folder}/copy")
    print(f"{mebibytes} MiB copied by rsync, {mebibytes // 10} MiB added: rsync sends {sent / MIB:.0f} MiB, "
          f"{sent / MIB / (mebibytes // 10):.3f} times what was added", flush=True)
    return {"added MiB": mebibytes // 10, "sent MiB": sent / MIB}


class Reader(threading.Thread):
    """Reads at random positions past the kernel's cache, and records the time of each read."""

    def __init__(self, names):
        super().__init__(daemon=True)
        self.names = names
        self.waits = []
        self.is_ending = False

    def run(self):
        block = mmap.mmap(-1, 4096)
        while not self.is_ending:
            file = os.open(random.choice(self.names), os.O_RDONLY | os.O_DIRECT)
            size = os.fstat(file).st_size
            for _ in range(20):
                place = random.randrange(size // 4096) * 4096
                start = time.perf_counter()
                os.preadv(file, [block], place)
                self.waits.append(time.perf_counter() - start)
            os.close(file)
            time.sleep(0.002)

    def end(self):
        self.is_ending = True
        self.join()
        waits = sorted(self.waits)
        return {"reads": len(waits), "median ms": waits[len(waits) // 2] * 1e3,
                "99.9 % ms": waits[len(waits) * 999 // 1000] * 1e3, "longest ms": waits[-1] * 1e3}


def read_while_cleaning(system, options):
    """Measures how long readers wait while nine tenths of a space are cleaned away, and how much the store shrinks."""
    system.create()
    # With -o nothumbs there would be no status file.
    system.mount()
    names = fill(system.path, "file", options.upkeep * 256, MIB // 2)
    filled = system.stored_bytes()
    random.shuffle(names)
    kept, gone = names[:len(names) // 10], names[len(names) // 10:]
    reader = Reader(kept)
    reader.start()
    write_slowly(system.path, "before", 30)
    before = reader.end()
    for name in gone:
        os.remove(name)
    live = len(kept) * MIB // 2
    reader = Reader(kept)
    reader.start()
    end = time.monotonic() + 900
    written = 0
    while time.monotonic() < end and needed_bytes(system) > live * 1.25 + SLACK:
        written += write_slowly(system.path, f"during{written}", 10)
    during = reader.end()
    system.unmount()
    # Retired segments are deleted after two more checkpoints and the copy window: here, by two more mounts.
    for number in range(2):
        system.mount("-o", "nothumbs", "--copy-window", "0s")
        write_slowly(system.path, f"after{number}", 0.1)
        system.unmount()
    shrunk = system.stored_bytes()
    for label, waits in (("before", before), ("while cleaning", during)):
        print(f"readers {label}: " + ", ".join(
            f"{value:.0f} {name}" if name == "reads" else f"{name} {value:.2f}" for name, value in waits.items()))
    print(f"store: {filled / MIB:.0f} MiB filled, {live / MIB:.0f} MiB live, {shrunk / MIB:.0f} MiB after cleaning",
          flush=True)
    return {"before": before, "while cleaning": during, "live MiB": live / MIB, "shrunk MiB": shrunk / MIB}


def needed_bytes(system):
    """The bytes of the segments that are not retired."""
    with open(f"{system.path}/.agonyfs/status") as file:
        store = json.load(file)["store"]
    return store["segments"] * store["segmentSize"]


def write_slowly(path, prefix, seconds):
    """Writes slowly, so that the disk's queue stays short; returns the number of files written."""
    end = time.monotonic() + seconds
    count = 0
    data = os.urandom(4096)
    while time.monotonic() < end:
        with open(f"{path}/{prefix}-{count}", "wb") as file:
            file.write(data)
        os.remove(f"{path}/{prefix}-{count}")
        count += 1
        time.sleep(0.02)
    return count


def run(options, folder):
    with System("agonyfs", folder, options) as system:
        copied = copied_again(system, options, folder)
    with System("agonyfs", folder, options) as system:
        return {"copied again": copied, "cleaning": read_while_cleaning(system, options)}
