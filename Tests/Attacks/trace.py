#!/usr/bin/env python3
"""trace.py AGONYFS [LEAK]: whether work with one password depends on what else a vault holds.

Several vaults with the same first space and as many files: in some a hidden space owns the other files, filled to several
degrees; in one nobody does. Each operation with the first password is traced in each of them. The calls that touch files must
be the same, on as many files; names are replaced by what kind of name they are. Prints a line for each operation, and fails
if one differs. With LEAK (`number`, `short`) the last vault differs on purpose.
"""

import collections
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CALLS = "%file,getdents64,pread64,pwrite64,fsync,fdatasync,ftruncate,fallocate,syncfs"
MEGABYTE = 1 << 20


class Vaults:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.chdir(folder)
        for name in ("first", "hidden", "wrong", "new", "other"):
            with open(name, "w") as file:
                file.write(f"the {name} password\n")
        os.mkdir("Albums")

    def run(self, *arguments, status=0):
        done = subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
        assert done.returncode == status, f"{arguments}: {done}"

    def use(self, vault, password, work):
        self.run("mount", "--thumbnails", "none", "--password-file", password, vault, "Albums")
        try:
            work()
        finally:
            self.run("unmount", "Albums")

    def make(self):
        """Vaults of which each but the last holds a hidden space; all have the same first one and as many files."""
        self.run("create", "--kdf", "interactive", "--segment-size", "1M", "--cover", "0", "--password-file", "first", "base")
        self.use("base", "first", lambda: write("Albums/photo", 3))
        own = files_of("base")
        self.run("space", "add", "--cover", "16M", "--password-file", "hidden", "base")
        names = []
        for number, degree in enumerate((0, 5, 14)):
            name = f"hidden{number}"
            shutil.copytree("base", name)
            if degree:
                self.use(name, "hidden", lambda: write("Albums/secret", degree))
                self.use(name, "hidden", lambda: write("Albums/secret", degree // 2))
            names.append(name)
        # The same first space, and as many files of nobody.
        shutil.copytree("base", "nobody")
        for path in files_of("nobody") - own:
            os.remove(f"nobody/segments/{path}")
            put_random("nobody")
        for name in names + ["nobody"]:
            # No name came since: otherwise the next end of a use puts the names in a random order on some hosts.
            os.utime(f"{name}/segments", (946684800, 946684800))
        return names + ["nobody"]


def write(path, megabytes):
    with open(path, "wb") as file:
        file.write(os.urandom(megabytes * MEGABYTE))
        os.fsync(file.fileno())


def files_of(vault):
    return {f"{folder}/{name}" for folder in os.listdir(f"{vault}/segments") for name in os.listdir(f"{vault}/segments/{folder}")}


def put_random(vault, size=MEGABYTE):
    name = os.urandom(16).hex()
    path = f"{vault}/segments/{name[:2]}/{name}"
    with open(path, "wb") as file:
        file.write(os.urandom(size))
    os.utime(path, (946684800, 946684800))


def kind(text):
    """What kind of name a path is."""
    last = text.rsplit("/", 1)[-1]
    if re.fullmatch("[0-9a-f]{32}", last):
        return "file"
    if re.fullmatch("[0-9a-f]{2}", last):
        return "folder"
    return "other"


def calls(trace, vault):
    """The calls of a trace that have to do with files, with what they touch, and the files of the vault that are named."""
    found, touched, looks = collections.Counter(), set(), False
    existing = {path.split("/")[1] for path in files_of(vault)}
    with open(trace) as lines:
        for line in lines:
            call = re.match(r"\d+ +(\w+)\((.*)", line)
            if not call:
                continue
            names = re.findall(r'"((?:[^"\\]|\\.)*)"', call[2]) if call[1] not in ("pread64", "pwrite64") else []
            if names and names[0].startswith("/proc/"):
                looks |= names[0].endswith("/fd")
                continue
            kinds = tuple(kind(name) for name in names)
            if call[1] in ("execve", "readlink", "access", "mount", "umount2") or kinds == ("other",):
                continue
            found[(call[1], kinds)] += 1
            touched |= {name.rsplit("/", 1)[-1] for name in names if kind(name) == "file"}
    if looks:
        # It looked who else reads the vault, and lists what processes there are.
        del found[("getdents64", ())]
    return found, len(touched & existing), len(touched - existing)


def traced(vaults, arguments, vault, status, during=None):
    """Runs the program under strace; `during` runs while it does, once nothing more happens."""
    trace = f"{vault}.trace"
    # Without decoding descriptors: that would ask the mount, which is stopped meanwhile.
    command = ["timeout", "-s", "KILL", "100", "strace", "-f", "-qq", "-s", "200", "-e", "trace=" + CALLS, "-e", "signal=none"]
    process = subprocess.Popen(
        command + ["-o", trace, vaults.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL)
    if during:
        deadline = time.monotonic() + 60
        while not os.path.ismount("Albums"):
            assert time.monotonic() < deadline and process.poll() is None, "it is not mounted"
            time.sleep(0.05)
        settle(trace)
        during()
        settle(trace)
        vaults.run("unmount", "Albums")
    assert process.wait() == status, f"{arguments} ended with {process.returncode}"
    return calls(trace, vault)


def settle(trace):
    """Waits until the trace does not grow for a while."""
    size, since = -1, time.monotonic()
    while time.monotonic() - since < 2.5:
        if os.path.getsize(trace) != size:
            size, since = os.path.getsize(trace), time.monotonic()
        time.sleep(0.1)


def read():
    # Small pieces, one after the other: the kernel's readahead asks for several at once, in any order.
    done = subprocess.run(
        ["dd", "if=Albums/photo", "of=/dev/null", "bs=64k", "iflag=direct"], stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 0 and f"{3 * MEGABYTE} bytes" in done.stderr, done.stderr


def derivations(program, vault, *options):
    """How often a key is derived while a vault is created: each time maps the memory for it, 256 MiB."""
    trace = f"{vault}.trace"
    subprocess.run(
        ["timeout", "-s", "KILL", "100", "strace", "-f", "-qq", "-e", "trace=mmap", "-o", trace, program, "create", "--segment-size",
         "1M", "--cover", "8M", "--kdf", "moderate", "--password-file", "first", *options, vault], check=True,
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=110)
    with open(trace) as lines:
        sizes = [int(size) for size in re.findall(r"mmap\(NULL, (\d+),", lines.read())]
    return sum(size >= 256 * MEGABYTE for size in sizes)


OPERATIONS = {
    "info": (["info", "--password-file", "first"], 0, None),
    "info, wrong password": (["info", "--password-file", "wrong"], 12, None),
    "check": (["check", "--password-file", "first"], 0, None),
    "check --read-data": (["check", "--read-data", "--password-file", "first"], 0, None),
    "mount": (["mount", "--foreground", "--thumbnails", "none", "--password-file", "first"], 0, read),
    "space add, refused": (["space", "add", "--cover", "0", "--password-file", "first"], 13, None),
    "check --repair": (["check", "--repair", "--yes", "--password-file", "first"], 0, None),
    "password add": (["password", "add", "--password-file", "first", "--new-password-file", "other"], 0, None),
    "password remove": (["password", "remove", "--password-file", "other"], 0, None),
    "password change": (["password", "change", "--password-file", "first", "--new-password-file", "new"], 0, None),
    "space remove": (["space", "remove", "--password-file", "new"], 0, None),
}


def main():
    program, leak = os.path.realpath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    folder = tempfile.mkdtemp(prefix="agonyfs-test-")
    differing = 0
    try:
        vaults = Vaults(program, folder)
        names = vaults.make()
        if leak:
            others = files_of(names[-1]) - files_of("base")
            put_random(names[-1], MEGABYTE if leak == "number" else 5000)
            if leak == "short":
                # In a copy nobody completes files of others, so the first space makes its own of both.
                for name in (names[0], names[-1]):
                    vaults.use(name, "first", lambda: write("Albums/mark", 1))
                os.remove(f"{names[-1]}/segments/{min(others, key=lambda path: -os.path.getsize(f'{names[-1]}/segments/{path}'))}")
        if leak:
            names = [names[0], names[-1]]
        else:
            # How long it takes shows in the births of folders and files.
            numbers = [derivations(program, "plain"), derivations(program, "two", "--hidden-password-file", "hidden")]
            differing += numbers[0] != numbers[1] or numbers[0] == 0
            print(f"{'the same' if numbers[0] == numbers[1] else 'DIFFERS'}: create: {numbers} keys are derived")
        for name, (arguments, status, during) in OPERATIONS.items():
            if leak and name not in ("info", "mount"):
                continue
            found = []
            for vault in names:
                # mount takes two paths.
                paths = [vault] + (["Albums"] if during else [])
                found.append(traced(vaults, arguments + paths, vault, status, during))
            same = all(one == found[-1] for one in found)
            differing += not same
            total = sum(found[-1][0].values())
            print(f"{'the same' if same else 'DIFFERS'}: {name}: {total} calls, {found[-1][1]} files, {found[-1][2]} names of none")
            for vault, one in zip(names, found):
                if one != found[-1]:
                    more, less = one[0] - found[-1][0], found[-1][0] - one[0]
                    print(f"  {vault}: {one[1]} files, {one[2]} names of none; more: {dict(more)}; less: {dict(less)}")
    finally:
        if os.path.ismount(f"{folder}/Albums"):
            subprocess.run(["umount", "-l", f"{folder}/Albums"])
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(1 if differing else 0)


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
main()
