"""The programs of scripts/bench --remote: how each makes a first copy in a bucket and brings it up to date, and what it
takes.

1. Memory is the sum over a program and all processes that it started and that live at one moment. Pages that processes
   share are divided among them (Pss), so a program of several processes is not charged twice for a library.
2. It is looked at fifty times a second. Shorter peaks are not seen.
"""

import os
import subprocess
import time

from library_memory import Sampler, tree

PASSWORD = "correct horse battery"


def memory(process):
    """The memory of a process in MiB; 0 if it has ended."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="utf-8", errors="replace") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("Pss:")), 0)
    except OSError:
        return 0


class TreeMemory(Sampler):
    """Samples a process and its descendants. `most` is in MiB."""

    def __init__(self, root):
        super().__init__()
        self.root, self.most, self.seen = root, 0, set()

    def look(self):
        found = tree([self.root])
        # A process seen for the first time may still have the memory of the one that it was forked from.
        self.most = max(self.most, sum(memory(each) for each in found & (self.seen | {self.root})))
        self.seen = found


def measured(commands, environment, errors):
    """The seconds that commands take one after the other, and the most memory of any. What they say is in the file
    `errors`."""
    most, start = 0, time.perf_counter()
    for command in commands:
        with open(errors, "wb") as file:
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        try:
            with TreeMemory(process.pid) as memory:
                status = process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if status != 0:
            with open(errors, encoding="utf-8", errors="replace") as file:
                raise SystemExit(f"{' '.join(command)} failed with status {status}: {file.read()[-2000:].strip()}")
        most = max(most, memory.most)
    return time.perf_counter() - start, most


class Place:
    """A bucket at an endpoint, with the credentials."""

    def __init__(self, endpoint, key, secret, bucket, region="us-east-1"):
        self.endpoint, self.key, self.secret, self.bucket, self.region = endpoint, key, secret, bucket, region

    def at(self, endpoint):
        """The same bucket at another endpoint."""
        return Place(endpoint, self.key, self.secret, self.bucket, self.region)

    def environment(self, **more):
        """The variables for programs. None of the user's, which may name other places, is passed on."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_", "RESTIC_"))}
        remote = {
            "TYPE": "s3", "PROVIDER": "Ceph", "ENDPOINT": self.endpoint, "REGION": self.region, "ACCESS_KEY_ID": self.key,
            "SECRET_ACCESS_KEY": self.secret}
        return {**own, "AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret, **more,
                **{f"RCLONE_CONFIG_BENCH_{name}": value for name, value in remote.items()}}


class Agonyfs:
    """The vault, by `agonyfs sync`."""

    name, word = "agonyfs", "sync"

    def __init__(self, options, materials, folder):
        self.options, self.materials, self.folder = options, materials, folder

    def commands(self, vault, place, prefix):
        return [[self.options.agonyfs, self.word, "--endpoint", place.endpoint, "--region", place.region,
                 "--jobs", str(self.options.jobs), vault, f"s3://{place.bucket}/{prefix}"]]

    def first(self, place, prefix):
        return self.commands(self.materials.first, place, prefix), place.environment()

    def again(self, place, prefix):
        self.materials.keep_synced()
        return self.commands(self.materials.second, place, prefix), place.environment()

    def least_bytes(self, is_second):
        """The bytes that the bucket must have."""
        return self.materials.vault_bytes[is_second]


class AgonyfsCopy(Agonyfs):
    """The vault, by `agonyfs copy`."""

    name, word = "agonyfs copy", "copy"


class Rclone(Agonyfs):
    """The vault, by `rclone sync`, which asks for the time of each object that is there."""

    name = "rclone"
    words = ()

    def commands(self, vault, place, prefix):
        return [["rclone", "sync", "--config=", *self.words, "--transfers", str(self.options.jobs), vault,
                 f"bench:{place.bucket}/{prefix}"]]


class RcloneChecksum(Rclone):
    """With the options that its manual advises for few requests: it reads all files instead, and lists the bucket at once."""

    name = "rclone --checksum"
    words = ("--checksum", "--fast-list")


class Restic(Agonyfs):
    """The photos themselves, by `restic backup`."""

    name = "restic"

    def given(self, place, prefix):
        variables = place.environment(
            RESTIC_PASSWORD=PASSWORD, RESTIC_CACHE_DIR=f"{self.folder}/cache-{prefix}",
            RESTIC_REPOSITORY=f"s3:{place.endpoint}/{place.bucket}/{prefix}")
        return ["restic", "-o", f"s3.connections={self.options.jobs}", "-o", f"s3.region={place.region}",
                "-o", "s3.bucket-lookup=path"], variables

    def first(self, place, prefix):
        restic, variables = self.given(place, prefix)
        self.materials.show_new(False)
        return [[*restic, "init"], [*restic, "backup", self.materials.photos]], variables

    def again(self, place, prefix):
        restic, variables = self.given(place, prefix)
        self.materials.show_new(True)
        return [[*restic, "backup", self.materials.photos]], variables

    def least_bytes(self, is_second):
        # It stores equal parts of photos once.
        return self.materials.photo_bytes[is_second] * 0.9


PROGRAMS = {program.name: program for program in (Agonyfs, AgonyfsCopy, Rclone, RcloneChecksum, Restic)}
