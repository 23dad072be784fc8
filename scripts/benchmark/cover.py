"""Measures the cost of owned cover: creating a vault with it, and writing into a space that owns some."""

import os
import random
import shutil
import statistics
import subprocess
import sys

from report import verdict
from systems import System, run, timed

MIB = 1 << 20
# The bounds of the ratios.
BOUNDS = {"create": 1.25, "write": 1.1, "rewrite": 1.1}


def compare(name, pairs, results):
    """Prints the medians of paired times and of their ratios."""
    ratio = statistics.median(one / other for one, other in pairs)
    one, other = (statistics.median(times) for times in zip(*pairs))
    bound = BOUNDS[name.split(",")[0]]
    rounds = ", ".join(f"{one:.2f}/{other:.2f}" for one, other in pairs)
    print(f"{name}: {one:.2f} s ÷ {other:.2f} s = {verdict(one / other, bound)}; median of the ratios {ratio:.2f}; "
          f"rounds: {rounds}", flush=True)
    results[name] = {"pairs": pairs, "ratio of medians": one / other, "median of ratios": ratio}


def measure_creation(options, folder, results):
    """Compares creating a vault with cover to dd(1) of the same size from a file in memory."""
    source = f"/dev/shm/agonyfs-bench-{os.getpid()}"
    system = System("agonyfs", folder, options)

    def create():
        run(system.agonyfs, "create", "--cover", f"{options.cover}G", "--password-file", system.password_file,
            system.store)

    def copy():
        subprocess.run(
            ["dd", f"if={source}", f"of={folder}/copy", "bs=4M", "conv=fsync", "status=none"], check=True)

    try:
        system.delete()
        create()
        size = system.stored_bytes()
        system.delete()
        noise = os.urandom(64 * MIB)
        with open(source, "wb") as file:
            while file.tell() < size:
                file.write(noise[:size - file.tell()])
        pairs = []
        for number in range(options.rounds):
            # The order alternates.
            times = {}
            for function in (create, copy)[:: -1 if number % 2 else 1]:
                os.sync()
                times[function] = timed(function)
                if function is create:
                    # Scaled to the same size, because the number of files is random.
                    times[function] *= size / system.stored_bytes()
                    system.delete()
                else:
                    os.remove(f"{folder}/copy")
            pairs.append((times[create], times[copy]))
        print(f"{size / MIB:.0f} MiB")
        compare("create, flushed, beside dd conv=fsync", pairs, results)
    finally:
        system.delete()
        if os.path.exists(source):
            os.remove(source)


class Space:
    """A mounted space with or without owned cover."""

    def __init__(self, options, folder, owns):
        self.folder = f"{folder}/{'with' if owns else 'without'}"
        os.mkdir(self.folder)
        self.system = System("agonyfs", self.folder, options)
        self.system.create()
        if owns:
            with open(self.system.password_file, "w") as file:
                file.write("the space that owns cover\n")
            run(self.system.agonyfs, "space", "add", "--cover", f"{options.cover}G", "--password-file",
                self.system.password_file, self.system.store)
        self.system.mount("-o", "nothumbs")

    def write(self, names, sizes, noise):
        """Writes or overwrites photos; returns when they are durable."""
        for name, size in zip(names, sizes):
            with open(f"{self.system.path}/{name}", "wb", buffering=0) as file:
                start = size * 7919 % (len(noise) - size)
                file.write(noise[start:start + size])
        for name in names:
            file = os.open(f"{self.system.path}/{name}", os.O_RDONLY)
            os.fsync(file)
            os.close(file)

    def free(self):
        status = os.statvfs(self.system.path)
        return status.f_bavail * status.f_frsize

    def delete(self):
        self.system.delete()
        shutil.rmtree(self.folder, ignore_errors=True)


def measure_writing(options, folder, results):
    """Writes photos into both spaces in turn: into unused room, and a quarter of them again at 90 %."""
    noise = os.urandom(64 * MIB)
    chance = random.Random(7)
    spaces = []
    try:
        spaces.append(Space(options, folder, True))
        spaces.append(Space(options, folder, False))
        total = spaces[0].free()

        def photos(prefix, amount):
            names, sizes = [], []
            while sum(sizes) < amount:
                sizes.append(int(min(12e6, max(3e5, chance.lognormvariate(14.6, 0.6)))))
                names.append(f"{prefix}{len(names):05}")
            return names, sizes

        def both(number, names, sizes):
            times = {}
            for space in spaces[::-1] if number % 2 else spaces:
                os.sync()
                times[space] = timed(space.write, names, sizes, noise)
            return tuple(times[space] for space in spaces)

        written = ([], [])
        pairs = []
        for number in range(options.rounds):
            new = photos(f"new{number}-", 0.5 * total / options.rounds)
            pairs.append(both(number, *new))
            for whole, part in zip(written, new):
                whole.extend(part)
        compare("write, photos + fsync", pairs, results)
        rest = photos("rest", spaces[0].free() - 0.1 * total)
        both(0, *rest)
        for whole, part in zip(written, rest):
            whole.extend(part)
        print(f"filled to {1 - spaces[0].free() / total:.0%} of {total / MIB:.0f} MiB", flush=True)
        pairs = []
        for number in range(options.rounds):
            quarter = chance.sample(range(len(written[0])), len(written[0]) // 4)
            pairs.append(both(number, *([whole[index] for index in quarter] for whole in written)))
        compare("rewrite, a quarter at 90 %", pairs, results)
    finally:
        for space in spaces:
            space.delete()


def measure(options, folder):
    results = {}
    print(f"cover of {options.cover} GiB, {options.rounds} rounds", file=sys.stderr)
    measure_creation(options, folder, results)
    measure_writing(options, folder, results)
    return results
