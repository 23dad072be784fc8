"""Measures the catalog's commands on the mounted space that catalog-space-bench filled: alone, and many at once."""

import math
import os
import secrets
import statistics
import subprocess
import time

from systems import most_memory

# Bounds in milliseconds for 100,000 records, including the start of the process and the way through the kernel.
COMMANDS = [("list -0", ["-0"], 100), ("list --json", ["--json"], 400)]
# The number of simultaneous processes with the longest question.
CROWD = 20
# The bound of the daemon's memory in MiB.
MEMORY = 96


def measure(agonyfs, folder, count, rounds):
    """Prints the times of the commands."""
    mount, password = f"{folder}/mounted", f"{folder}/password-of-bench"
    os.mkdir(mount)
    with open(os.open(password, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
        file.write("bench\n")
    daemon = subprocess.Popen(
        [agonyfs, "mount", "--foreground", "--thumbnails", "none", "--password-file", password, f"{folder}/space",
         mount])
    try:
        while not os.path.ismount(mount):
            assert daemon.poll() is None
            time.sleep(0.01)
        forget_memory(daemon.pid)
        for name, options, bound in COMMANDS:
            best = min(timed([agonyfs, "list", *options, mount]) for _ in range(rounds))
            note = f", OVER ITS BOUND of {bound}" if count == 100_000 and best >= bound else ""
            print(f"agonyfs {name} of all, ms: {best:.0f}{note}")
        print_memory(daemon.pid, "one question after the other")
        measure_crowd(agonyfs, mount, daemon.pid)
    finally:
        subprocess.run([agonyfs, "unmount", mount], check=False)
        daemon.wait()


def timed(command):
    """The milliseconds that a command takes."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - start) * 1000


def forget_memory(process):
    """Resets the peak memory of a process, because deriving the key from the password took more."""
    with open(f"/proc/{process}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


def print_memory(process, load):
    """Prints the peak memory of a process."""
    most = int(most_memory(process))
    print(f"memory of the daemon, {load}: {most} MiB{'' if most < MEMORY else f', OVER ITS BOUND of {MEMORY}'}")


def measure_crowd(agonyfs, mount, daemon):
    """Measures a short question and a lookup of a file while many processes ask for all paths by size."""
    short = [agonyfs, "list", "-0", "--limit", "100", mount]
    long = [agonyfs, "list", "-0", "--sort", "size", mount]
    alone = timed(long)
    print_memory(daemon, "that one and one by size")
    start = time.perf_counter()
    crowd = [subprocess.Popen(long, stdout=subprocess.DEVNULL) for _ in range(CROWD)]
    pages, looks = [], []
    while any(each.poll() is None for each in crowd):
        pages.append(timed(short))
        for _ in range(20):
            before = time.perf_counter()
            # A random name, because the kernel caches names that were looked up.
            os.path.exists(f"{mount}/{secrets.token_hex(8)}")
            looks.append((time.perf_counter() - before) * 1000)
    assert all(each.returncode == 0 for each in crowd)
    print_memory(daemon, f"{CROWD} by size at once and others")
    print(f"all paths by size, alone: {alone:.0f} ms; {CROWD} at once: {(time.perf_counter() - start) * 1000:.0f} ms")
    for name, figures in (("first page", pages), ("a name that is not there", looks)):
        middle, most = statistics.median(figures), max(figures, default=math.nan)
        print(f"meanwhile, {name}: {middle:.2f} ms in the middle, {most:.0f} at most, {len(figures)} times")
