#!/usr/bin/env python3
"""Copies a vault of photos to an object store, and once more after 100 new photos, over lines of different length:
agonyfs sync and agonyfs copy, rclone sync of the same vault, and restic backup of the photos themselves."""

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from urllib.parse import urlsplit

import report
from importing import PHOTO
from materials import noise_picture
from remote_programs import PROGRAMS, Place, measured
from remote_proxy import Proxy
from systems import System, run
from turns import forget

MIB = 1 << 20
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# The bytes on the disk for each byte of photos: the photos, two vaults and a cache. Those of Ceph's disk.
STORED, CEPH_DISK = 4, 8 << 30
# The most bytes of the empty vault, which has 32 MiB at least.
MOST_EMPTY = 50 * MIB
COLUMNS = ("s", "requests", "for each photo", "connections", "MiB sent", "KiB received", "MiB in the bucket",
           "most memory, MiB")


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench --remote", description=__doc__,
        epilog="A proxy on this machine delays the bytes and counts the requests, without TLS. It does not limit the rate: a "
        "true line also takes the time of the bytes. All share the processors with the server and the proxy, so only ratios "
        "within one run mean something. The server is a Ceph that the run starts.")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), help=f"any of {', '.join(PROGRAMS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: 3)")
    parser.add_argument("--size", type=int, default=1024, help="MiB of photos in the first copy (default: 1024)")
    parser.add_argument("--new", type=int, default=100, help="number of new photos (default: 100)")
    parser.add_argument("--delays", default="0,10,40,100", metavar="MS,MS,…",
                        help="milliseconds to the server and back (default: 0,10,40,100)")
    parser.add_argument("--jobs", type=int, default=4, help="transfers at once, of each program (default: 4)")
    parser.add_argument("--s3", nargs=3, metavar=("ENDPOINT", "KEY", "SECRET"),
                        help="use this running server, http://HOST:PORT, in place of Ceph")
    parser.add_argument("--folder", help="working folder (default: a new temporary one)")
    parser.add_argument("--json", help="also write all results to this file")
    parser.add_argument("--agonyfs", required=True, help=argparse.SUPPRESS)
    parser.set_defaults(floor=None, before=None)
    options = parser.parse_args()
    for name in options.programs:
        if name not in PROGRAMS:
            parser.error(f"there is no program {name}; there are {', '.join(PROGRAMS)}")
    if min(options.rounds, options.size, options.new, options.jobs) < 1:
        parser.error("--rounds, --size, --new and --jobs take a number above 0")
    try:
        options.delays = [float(each) for each in options.delays.split(",")]
    except ValueError:
        parser.error("--delays takes milliseconds with commas between them, such as 0,40")
    if not all(0 <= each <= 10_000 for each in options.delays):
        parser.error("--delays takes milliseconds from 0 to 10000")
    if options.s3 and not is_server(options.s3[0]):
        parser.error("--s3 takes http://HOST:PORT first; the proxy does not speak TLS")
    return options


def is_server(endpoint):
    parts = urlsplit(endpoint)
    try:
        return parts.scheme == "http" and bool(parts.hostname and parts.port) and parts.path in ("", "/")
    except ValueError:
        return False


def say(text):
    print(text, file=sys.stderr, flush=True)


def ceph_server():
    """Starts Ceph, as `scripts/test --engine ceph` does."""
    sys.path.insert(0, f"{ROOT}/Tests/Ceph")
    from ceph import Ceph, Failure  # pylint: disable=import-outside-toplevel
    try:
        return Ceph()
    except Failure as failure:
        raise SystemExit(f"Ceph cannot be started: {failure}") from None


class Materials:
    """Photos, and a vault with them before and after the new ones were imported."""

    def __init__(self, options, folder):
        self.options, self.chance = options, random.Random(11)
        self.photos, self.first, self.second = f"{folder}/photos", f"{folder}/first", f"{folder}/second"
        self.hidden = f"{folder}/hidden"
        os.makedirs(self.photos)
        self.count = max(1, options.size * MIB // PHOTO)
        say(f"making {self.count + options.new} photos")
        picture = noise_picture(folder, 1600, 1200)
        old = self.make(f"{self.photos}/old", self.count, picture)
        new = self.make(f"{self.photos}/new", options.new, picture)
        self.photo_bytes = (old, old + new)
        say("importing them")
        with System("agonyfs", folder, options) as system:
            system.create("--kdf", "interactive")
            # The amount of cover is random, and in some vaults large; requests for each photo would depend on it.
            while stored(system.store) > MOST_EMPTY:
                system.create("--kdf", "interactive")
            self.add(system, "old")
            run("cp", "-a", system.store, self.first)
            self.add(system, "new")
            os.rename(system.store, self.second)
        self.vault_bytes = (stored(self.first), stored(self.second))

    def make(self, folder, count, picture):
        """Makes photos of different lengths; returns their bytes. Decoders ignore the bytes after the end of a picture,
        which make all photos differ."""
        os.mkdir(folder)
        total = 0
        for number in range(count):
            size = max(len(picture) + 64, int(PHOTO * self.chance.uniform(0.75, 1.25)))
            with open(f"{folder}/IMG_{number:05}.JPG", "wb") as file:
                file.write(picture + self.chance.randbytes(size - len(picture)))
            total += size
        return total

    def add(self, system, name):
        """Imports a folder, and waits for the last thumbnail."""
        system.mount()
        run(system.agonyfs, "import", f"{self.photos}/{name}", f"{system.path}/{name}")
        run(system.agonyfs, "thumbnails", system.path)
        system.unmount()

    def keep_synced(self):
        """The second vault is a later state of the first, with its file of what was synced."""
        if os.path.exists(f"{self.first}/synced"):
            os.rename(f"{self.first}/synced", f"{self.second}/synced")

    def forget_synced(self):
        """Other programs would copy the file."""
        for vault in (self.first, self.second):
            if os.path.exists(f"{vault}/synced"):
                os.remove(f"{vault}/synced")

    def show_new(self, is_there):
        """Puts the new photos beside the old ones, or takes them away."""
        away, here = self.hidden, f"{self.photos}/new"
        if is_there != os.path.exists(here):
            os.rename(*((away, here) if is_there else (here, away)))


def stored(folder):
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


class Bench:
    """A run. `found` has the figures of all rounds, by step, program and delay."""

    def __init__(self, options, folder, place, proxy, ceph):
        """`ceph` is the Ceph that is started for the run; None for a server that was running."""
        self.options, self.folder, self.place, self.proxy, self.ceph = options, folder, place, proxy, ceph
        self.materials = Materials(options, folder)
        self.found, self.kinds = {}, {}

    def rclone(self, *words):
        """Runs rclone past the proxy, for work that is not measured."""
        done = subprocess.run(["rclone", "--config=", *words], env=self.place.environment(), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"rclone {' '.join(words)} failed: {done.stderr.strip()}")
        return done.stdout

    def step(self, step, program, delay, prefix):
        place = self.place.at(f"http://127.0.0.1:{self.proxy.port}")
        is_second = step != "first copy"
        commands, environment = (program.again if is_second else program.first)(place, prefix)
        forget()
        self.proxy.begin(delay / 1000)
        seconds, memory = measured(commands, environment, f"{self.folder}/said")
        counted = self.proxy.found()
        there = json.loads(self.rclone("size", "--json", f"bench:{self.place.bucket}/{prefix}"))["bytes"]
        if there < program.least_bytes(is_second):
            raise SystemExit(f"{program.name} ended well, but the bucket has only {there:,} bytes.")
        requests = sum(counted["kinds"].values())
        photos = self.options.new if is_second else self.materials.count
        row = (seconds, requests, requests / photos, counted["connections"], counted["sent"] / MIB,
               counted["received"] / 1024, there / MIB, memory)
        self.found.setdefault((step, program.name, delay), []).append(row)
        self.kinds[step, program.name, delay] = counted["kinds"]

    def run(self):
        self.rclone("mkdir", f"bench:{self.place.bucket}")
        try:
            for number in range(self.options.rounds):
                for delay in self.options.delays:
                    # Alternate rounds reverse the order, so that no program always follows the same one.
                    for name in self.options.programs[:: -1 if number % 2 else 1]:
                        say(f"round {number + 1} of {self.options.rounds}, {delay:g} ms: {name}")
                        self.both(PROGRAMS[name](self.options, self.materials, self.folder), delay, number)
        finally:
            if not self.ceph:
                self.rclone("purge", f"bench:{self.place.bucket}")

    def both(self, program, delay, number):
        prefix = f"{list(PROGRAMS).index(program.name)}-{delay:g}-{number}"
        self.step("first copy", program, delay, prefix)
        self.step("new photos", program, delay, prefix)
        self.materials.forget_synced()
        self.rclone("purge", f"bench:{self.place.bucket}/{prefix}")
        if self.ceph:
            # Otherwise Ceph keeps what follows the first 4 MiB of each object for two hours more.
            self.ceph.tool("radosgw-admin", "gc", "process", "--include-all")

    def show(self):
        """Prints a table of each step, and the requests by kind."""
        old, new = (size / MIB for size in self.materials.vault_bytes)
        photos = [size / MIB for size in self.materials.photo_bytes]
        print(f"{self.materials.count} photos of {photos[0]:.0f} MiB in a vault of {old:.0f} MiB; then {self.options.new} more "
              f"of {photos[1] - photos[0]:.0f} MiB, vault of {new:.0f} MiB; {self.options.jobs} transfers at once; medians of "
              f"{self.options.rounds} rounds")
        for step in ("first copy", "new photos"):
            print(f"\n| {step} | ms | {' | '.join(COLUMNS)} |\n|---{'|---' * (len(COLUMNS) + 1)}|")
            for name in self.options.programs:
                for delay in self.options.delays:
                    if rows := self.found.get((step, name, delay)):
                        print(table_row(name, delay, rows))
        for (step, name, delay), kinds in self.kinds.items():
            counted = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items(), key=lambda each: -each[1]))
            print(f"requests of {name}, {step}, {delay:g} ms: {counted}")

    def results(self):
        rows = [{"step": step, "program": name, "ms": delay, "rounds": [dict(zip(COLUMNS, row)) for row in rows],
                 "kinds": self.kinds[step, name, delay]} for (step, name, delay), rows in self.found.items()]
        return {"photos": self.materials.count, "new": self.options.new, "jobs": self.options.jobs,
                "photo bytes": self.materials.photo_bytes, "vault bytes": self.materials.vault_bytes, "rows": rows}


def table_row(name, delay, rows):
    """A line of a table, with the medians of rounds."""
    seconds, requests, each, connections, *sizes = (statistics.median(column) for column in zip(*rows))
    cells = [name, f"{delay:g}", f"{seconds:.1f}", f"{requests:.0f}", f"{each:.2f}", f"{connections:.0f}",
             *(f"{size:.1f}" if size < 100 else f"{size:.0f}" for size in sizes)]
    return f"| {' | '.join(cells)} |"


def facts(options):
    """The machine, and the versions of the programs."""
    found = report.machine(options)
    del found["packages"]
    for command in (["rclone", "version"], ["restic", "version"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found[command[0]] = done.stdout.partition("\n")[0]
    return found


def main():
    options = arguments()
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    folder = tempfile.mkdtemp(prefix="agonyfs-bench-", dir=options.folder)
    ceph = bench = None
    try:
        needed = options.size * MIB * STORED + (0 if options.s3 else CEPH_DISK)
        if shutil.disk_usage(folder).free < needed:
            raise SystemExit(f"{folder} needs about {needed / 1e9:.0f} GB; give --folder or a smaller --size.")
        machine = facts(options)
        if options.s3:
            endpoint, key, secret = options.s3
        else:
            say("starting Ceph")
            ceph = ceph_server()
            endpoint, key, secret = ceph.endpoints[0], ceph.key, ceph.secret
        server = urlsplit(endpoint)
        place = Place(endpoint, key, secret, f"agonyfs-bench-{secrets.token_hex(4)}")
        with Proxy(server.hostname, server.port) as proxy:
            bench = Bench(options, folder, place, proxy, ceph)
            try:
                bench.run()
            finally:
                # What was measured is shown even if a later step fails.
                if bench.found:
                    bench.show()
    finally:
        if ceph:
            ceph.stop()
        shutil.rmtree(folder, ignore_errors=True)
    report.show(machine, options.rounds, bench.results(), options.json)


main()
