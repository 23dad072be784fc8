"""The program as attacks use it, in the current directory: passwords are in files there, and spaces are mounted in `Albums`."""

import contextlib
import os
import subprocess

MEGABYTE = 1 << 20
# Seconds after which something hangs; nothing else has a limit.
LIMIT = 900
# The program that is attacked; who imports this sets it.
PROGRAM = None
# A key that is known is not derived again (Tests/DerivationCache).
BUILT = os.environ.get("AGONYFS_TEST_BUILT", os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../.build/debug"))
CACHE = os.path.realpath(f"{BUILT}/libderivation-cache.so")
ENVIRONMENT = {**os.environ, **({"LD_PRELOAD": CACHE} if os.path.exists(CACHE) else {})}


def shell(script, check=True, timeout=LIMIT):
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise AssertionError(f"{script}: {done}")
    return done


def agonyfs(*arguments, status=0):
    done = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
    if status is not None:
        assert done.returncode == status, f"{arguments}: {done}"
    return done


def use(vault, password, megabytes, name):
    agonyfs("mount", "--thumbnails", "none", "--password-file", password, vault, "Albums")
    try:
        with open(f"Albums/{name}", "wb") as file:
            file.write(os.urandom(megabytes * MEGABYTE))
    finally:
        agonyfs("unmount", "Albums")


def create(vault, *options):
    agonyfs("create", "--kdf", "interactive", "--segment-size", "1M", "--password-file", "first", *options, vault)


@contextlib.contextmanager
def little_room():
    """So little on `disk` that no more than the least number of files of nobody is drawn, 4: one file more or less can be
    seen."""
    # btrfs counts what was deleted and what is reserved only when all of it is durable.
    shell("sync -f disk")
    with open("disk/ballast", "wb") as file:
        host = os.statvfs("disk")
        os.posix_fallocate(file.fileno(), 0, host.f_bavail * host.f_frsize - 98 * MEGABYTE)
    shell("sync -f disk")
    host = os.statvfs("disk")
    assert 80 <= host.f_bavail * host.f_frsize / MEGABYTE < 100, f"the disk has other room than was asked for: {host}"
    try:
        yield
    finally:
        os.remove("disk/ballast")


def create_pair(hidden, vault):
    """One of two vaults, as large as the other one: of their cover a hidden space owns all, or nobody."""
    with little_room():
        create(vault, "--cover", "8M", *(["--hidden-password-file", "hidden"] if hidden else []))


def area(some, others):
    """The probability that one of the second is larger, ties by half."""
    return sum((a < b) + (a == b) / 2 for a in some for b in others) / len(some) / len(others)


def segments(vault):
    return [f"{folder}/{name}" for folder, _, names in os.walk(f"{vault}/segments") for name in names]
