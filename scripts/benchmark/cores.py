"""Measures checking all data and changing the key, with all processors and with one, and the speed of the disk and of
AES-256-GCM on one processor."""

import os
import re
import shutil
import statistics
import subprocess
import sys

from importing import PHOTO, make
from report import verdict
from systems import System, run, timed
from turns import forget

# The bound of all processors ÷ one. If the disk is the bottleneck, both are the same.
BOUND = 1.05


def sealing_rate():
    """The bytes per second that one processor encrypts or decrypts, in pages of 8 KiB."""
    found = subprocess.run(
        ["openssl", "speed", "-seconds", "2", "-bytes", "8192", "-evp", "aes-256-gcm"], check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return float(re.findall(r"([\d.]+)k\s*$", found)[-1]) * 1000


def read_store(store):
    """Reads all files of the vault, one after the other."""
    for folder, _, names in os.walk(store):
        for name in names:
            with open(os.path.join(folder, name), "rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass


def copy_store(store, target):
    """Copies all files of the vault durably."""
    shutil.copytree(store, target)
    subprocess.run(["sync", "-f", target], check=True)
    shutil.rmtree(target)


class Measure:
    """A vault that is checked and gets new keys."""

    def __init__(self, options, folder):
        self.system = System("agonyfs", folder, options)
        self.files = options.files
        self.folder = folder
        self.passwords = [self.system.password_file, f"{folder}/other"]
        with open(self.passwords[1], "w") as file:
            file.write("another horse battery\n")
        self.times = {}

    def fill(self):
        self.system.create()
        self.system.mount("-o", "nothumbs")
        make(self.system.path, self.files, PHOTO)
        self.system.unmount()

    def command(self, name, processors, *arguments):
        alone = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if processors == 1 else []
        forget()
        seconds = timed(lambda: run(*alone, self.system.agonyfs, *arguments, self.system.store))
        self.times.setdefault(f"{name}, {'one processor' if alone else 'all processors'}", []).append(seconds)

    def check(self, processors):
        self.command("check --read-data", processors, "check", "--read-data", "--password-file", self.passwords[0])

    def change(self, processors):
        old, new = self.passwords
        self.command(
            "password change --rekey", processors, "password", "change", "--rekey", "--yes", "--password-file", old,
            "--new-password-file", new)
        self.passwords.reverse()

    def floor(self, name, function):
        forget()
        self.times.setdefault(name, []).append(timed(function))


def measure(options, folder):
    """Prints the medians and the rounds."""
    measure = Measure(options, folder)
    with measure.system:
        print(f"making {options.files} files", file=sys.stderr, flush=True)
        measure.fill()
        size = measure.system.stored_bytes()
        password = statistics.median(measure.system.password_seconds() for _ in range(3))
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
            # Alternate rounds reverse the order, so that neither always follows the other.
            for processors in (1, 0)[:: -1 if number % 2 else 1]:
                measure.check(processors)
                measure.change(processors)
            measure.floor("reading the vault's files", lambda: read_store(measure.system.store))
            measure.floor("copying the vault's files, sync", lambda: copy_store(measure.system.store, f"{folder}/copy"))
    rate = sealing_rate()
    print(f"{size / 1e9:.2f} GB, {len(os.sched_getaffinity(0))} processors, medians of {options.rounds} rounds, in "
          f"seconds; the work of a password, {password:.2f} s, is in them (twice for a new key)")
    medians = {name: statistics.median(values) for name, values in measure.times.items()}
    for name, values in measure.times.items():
        print(f"{name}: {medians[name]:.2f} ({', '.join(f'{value:.2f}' for value in values)})")
    print(f"opening it on one processor, by openssl speed: {size / rate:.2f}; "
          f"opening and sealing: {2 * size / rate:.2f}")
    for name in ("check --read-data", "password change --rekey"):
        ratio = medians[f"{name}, all processors"] / medians[f"{name}, one processor"]
        print(f"{name}, all ÷ one: {verdict(ratio, BOUND)}", flush=True)
    return {"seconds": measure.times, "bytes": size, "openssl bytes/s": rate, "password": password}
