#!/usr/bin/env python3
"""attacks.py [--exact] AGONYFS [ATTACK...]: tries the known attacks on a vault, each with what an attacker has, and says what
it learned. With --exact `looks` has few vaults, and tries only what must be equal in all of them.

The attacker has a vault, the password of its first space and the program, and asks whether there is a hidden space, or wants
what is in it. Vaults with and without one are made by the program and used; of each pair the attacker guesses which is which.
A line for each attack: `fails` when it learned nothing, `DECLARED` when the threat model says that it works, `WORKS` when it
should not. Fails when one works, and when a declared one does not: then it shows nothing. Needs root, for a disk of its own.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import program
from judgement import FEW, PAIRS, Report, guess
from machine import page_cache, shell_history
from program import MEGABYTE, agonyfs, create, create_pair, little_room, segments, shell, use


def pair(number):
    """Two vaults that were used; one has a hidden space that was written too."""
    vaults = []
    for hidden in (False, True):
        vault = f"disk/{'with' if hidden else 'without'}{number}"
        create_pair(hidden, vault)
        first_look(vault)
        use(vault, "first", 2, "one")
        if hidden:
            use(vault, "hidden", 5, "secret")
        elif number % 2:
            # Neither is a mount in vain a difference.
            agonyfs("info", "--password-file", "wrong", vault, status=12)
        use(vault, "first", 1, "two")
        vaults.append(vault)
    return vaults


OWN = {}


def first_look(vault):
    """Notes the files at the beginning."""
    OWN[vault] = {os.path.basename(path) for path in segments(vault)}


def unexplained_number(vault):
    """How many files the first password does not explain, by the figures of `info`."""
    info = json.loads(agonyfs("info", "--json", "--password-file", "first", vault).stdout)
    return info["vault"]["files"] - info["space"]["storedBytes"] // MEGABYTE


# Each of these gives a number for a vault, by which the attacker would tell one with a hidden space.

def folder_times(vault):
    return len({os.stat(f"{vault}/segments/{name}").st_mtime_ns for name in os.listdir(f"{vault}/segments")})


def access_times(vault):
    return len({os.stat(path).st_atime_ns for path in segments(vault)})


def short_files(vault):
    return sum(os.path.getsize(path) != MEGABYTE for path in segments(vault))


def new_files(vault):
    """Files that came since the creation, which only two looks show."""
    return sum(os.path.basename(path) not in OWN[vault] for path in segments(vault))


def late_births(vault):
    """How many files were born after the creation, which ends with `agonyfs.json`."""
    created = float(shell(f"stat -c %.9Z {vault}/agonyfs.json").stdout)
    births = shell(f"find {vault}/segments -type f -print0 | xargs -0 stat -c %.9W").stdout.split()
    return sum(float(born) > created for born in births)


def inode_order(vault):
    """The largest gap between inode numbers: late files stand apart."""
    numbers = sorted(os.stat(path).st_ino for path in segments(vault))
    return max(b - a for a, b in zip(numbers, numbers[1:]))


def last_births(vault):
    """How late the last two files came, in the time in which all new ones came."""
    lines = shell(f"find {vault}/segments -type f -print0 | xargs -0 stat -c '%n %.9W'").stdout.splitlines()
    births = sorted(float(line.split()[1]) for line in lines if os.path.basename(line.split()[0]) not in OWN[vault])
    return round((births[-1] - births[-3]) / (births[-1] - births[0]), 3)


def named(feature):
    return feature.__name__.replace("_", " ")


def looks(report):
    vaults = [pair(number) for number in range(2 if EXACT else PAIRS)]
    exact = (folder_times, short_files, unexplained_number)
    if not EXACT:
        report.line("two looks", *guess(new_files, vaults, declared=True), declared=True)
        report.line("late births on the live disk", *guess(late_births, vaults, declared=True), declared=True)
    for feature in exact if EXACT else (*exact, access_times):
        report.line(f"{named(feature)} on the live disk", *guess(feature, vaults))
    # One file more is found, so that number can be found.
    numbers = [(unexplained_number(one), unexplained_number(one) + 1) for one, _ in vaults]
    report.line("one file more, for comparison", *guess(int, numbers), declared=True)
    copies = []
    for with_out in vaults:
        copies.append([])
        for vault in with_out:
            shell(f"rsync -a {vault}/ {vault}-copy/")
            copies[-1].append(vault + "-copy")
    for feature in exact[:2] if EXACT else (folder_times, access_times, short_files, late_births, inode_order):
        report.line(f"{named(feature)} in a copy by rsync", *guess(feature, copies))
    for vault in sum(copies, []):
        shutil.rmtree(vault)
    for vault in sum(vaults, []):
        agonyfs("refresh", vault)
    for feature in exact if EXACT else (*exact, access_times, late_births, inode_order):
        report.line(f"{named(feature)} after a refresh", *guess(feature, vaults))
    for vault in sum(vaults, []):
        shutil.rmtree(vault)


def piled_backup(report):
    """rsync without --delete keeps what was displaced."""
    numbers = []
    for hidden in (False, True) * FEW:
        create_pair(hidden, "disk/vault")
        shell("rsync -a disk/vault/ disk/backup/")
        before = len(segments("disk/backup"))
        use("disk/vault", "hidden" if hidden else "first", 4, "photo")
        shell("rsync -a disk/vault/ disk/backup/")
        # What the first password explains of the growth.
        own = len(segments("disk/vault")) - before
        numbers.append(len(segments("disk/backup")) - before - own)
        shell("rm -rf disk/vault disk/backup")
    report.line("backup filled twice by rsync", *guess(int, list(zip(numbers[::2], numbers[1::2])), True), declared=True)


def old_list(report):
    """A list of names that somebody made before, as locate(1) does, beside a vault that was refreshed since."""
    numbers = []
    for hidden in (False, True) * FEW:
        create_pair(hidden, "disk/vault")
        first_look("disk/vault")
        use("disk/vault", "first", 1, "photo")
        if hidden:
            use("disk/vault", "hidden", 2, "secret")
        agonyfs("refresh", "disk/vault")
        numbers.append(len(OWN["disk/vault"] - {os.path.basename(path) for path in segments("disk/vault")}))
        shutil.rmtree("disk/vault")
    pairs = list(zip(numbers[::2], numbers[1::2]))
    report.line("list of names from before a refresh", *guess(int, pairs, True), declared=True)


def short_length(report):
    """A copy that was made beside a mount, without any password: who owns cover could leave a length that nobody else leaves."""
    lengths = []
    for hidden in (False, True) * FEW:
        create_pair(hidden, "disk/vault")
        agonyfs("mount", "--thumbnails", "none", "--password-file", "hidden" if hidden else "first", "disk/vault", "Albums")
        try:
            with open("Albums/photo", "wb") as file:
                file.write(os.urandom(300_000))
                os.fsync(file.fileno())
            shell("cp -r disk/vault disk/copy")
        finally:
            agonyfs("unmount", "Albums")
        short = [size for size in map(os.path.getsize, segments("disk/copy")) if size != MEGABYTE]
        assert short, "nothing is being written"
        lengths.append(sum(size % 16 != 0 for size in short))
        shell("rm -rf disk/vault disk/copy")
    report.line("short length beside a mount", *guess(int, list(zip(lengths[::2], lengths[1::2]))))


def added_cover(report):
    """Is what was added later a space, or cover of nobody?"""
    vaults = []
    for number in range(PAIRS):
        vaults.append([])
        for command in (["cover", "add", "4M"], ["space", "add", "--cover", "4M", "--password-file", "other"]):
            vault = f"disk/{command[0]}{number}"
            create(vault, "--cover", "0")
            first_look(vault)
            with little_room():
                agonyfs(*command, vault)
            vaults[-1].append(vault)
    for feature in (new_files, folder_times, access_times, short_files, late_births, last_births, inode_order):
        report.line(f"{named(feature)} of added cover", *guess(feature, vaults))
    for vault in sum(vaults, []):
        shutil.rmtree(vault)


def weak_derivation(report):
    """Somebody who can write agonyfs.json has the next password be cheap to guess."""
    create("disk/vault", "--cover", "0")
    path = "disk/vault/agonyfs.json"
    with open(path) as file:
        parameters = json.load(file)
    text = json.dumps(parameters)
    key = next(name for name, value in parameters.items() if isinstance(value, list))
    weak = dict(parameters[key][0])
    for name, value in weak.items():
        if isinstance(value, int):
            weak[name] = 8 << 20 if value > MEGABYTE else 1
    parameters[key].append(weak)
    with open(path, "w") as file:
        json.dump(parameters, file)
    said = agonyfs("password", "change", "--password-file", "first", "--new-password-file", "new", "disk/vault", status=None)
    with open(path, "w") as file:
        file.write(text)
    # The password that was set does not depend on the weak one.
    opens = agonyfs("info", "--password-file", "new", "disk/vault", status=None).returncode == 0
    report.line("weak derivation", not (opens and "weak" in said.stderr), said.stderr.strip() or "nothing was said")
    shutil.rmtree("disk/vault")


def old_slot(report):
    """Files of before a password change are put back: does the old password show what was written later?"""
    for rekey in ([], ["--rekey"]):
        create("disk/vault", "--cover", "0")
        before = {path: open(path, "rb").read() for path in segments("disk/vault")}
        agonyfs("password", "change", *rekey, "--password-file", "first", "--new-password-file", "new", "disk/vault")
        use("disk/vault", "new", 1, "later")
        for path, content in before.items():
            if not os.path.exists(path):
                with open(path, "wb") as file:
                    file.write(content)
        done = agonyfs("info", "--json", "--password-file", "first", "disk/vault", status=None)
        files = json.loads(done.stdout)["space"]["files"] if done.returncode == 0 else 0
        report.line(
            f"old slot put back after {' '.join(['password change'] + rekey)}", files > 1,
            f"info with the old password ends with {done.returncode}, and sees {files} files", declared=not rekey)
        shutil.rmtree("disk/vault")


def carved_slots(report):
    """Free blocks of the disk are searched for what was removed."""
    for command, name in (
            (["space", "remove", "--yes", "--password-file", "other"], "space remove"),
            (["password", "change", "--password-file", "other", "--new-password-file", "new"], "password change")):
        create("disk/vault", "--cover", "0")
        before = set(segments("disk/vault"))
        agonyfs("space", "add", "--cover", "0", "--password-file", "other", "disk/vault")
        shell("sync -f disk")
        pieces = {path: open(path, "rb").read()[:168] for path in set(segments("disk/vault")) - before}
        agonyfs(*command, "disk/vault")
        gone = [piece for path, piece in pieces.items() if not os.path.exists(path)]
        shell("sync -f disk; sync")
        with open("image", "rb") as file:
            image = file.read()
        found = sum(piece in image for piece in gone)
        report.line(f"carved slots after {name}", found > 0 or not gone, f"{found} of {len(gone)} files were found")
        shutil.rmtree("disk/vault")
    # What is only unlinked is found, so the search can find something.
    with open("disk/plain", "wb") as file:
        mark = os.urandom(168)
        file.write(mark + os.urandom(MEGABYTE))
    shell("sync -f disk")
    os.remove("disk/plain")
    shell("sync -f disk; sync")
    with open("image", "rb") as file:
        report.line("carved plain file, for comparison", mark in file.read(), "it is found", declared=True)


def redirected_mount(report):
    """While root's mount works on the password, the mount point becomes a link to another place."""
    create("disk/vault", "--cover", "0")
    for name in ("victim", "point"):
        os.makedirs(name)
    # The password's command runs when the mount point was checked already.
    swap = "mv point moved && ln -s victim point && cat first"
    done = agonyfs("mount", "--password-command", swap, "disk/vault", "point", status=None)
    assert os.path.islink("point"), done
    hit, checked = os.path.ismount("victim"), os.path.ismount("moved")
    place = "where it was checked" if checked else "elsewhere" if hit else "nowhere"
    report.line("redirected mount", hit, f"mount ends with {done.returncode}, and is {place}")
    for place in ("victim", "moved"):
        if os.path.ismount(place):
            agonyfs("unmount", place)
    shell("rm point; rmdir victim moved")
    shutil.rmtree("disk/vault")


def cloned_mount_table(report):
    """Somebody holds a copy of the table of mounts."""
    create("disk/vault", "--cover", "0")
    agonyfs("mount", "--password-file", "first", "disk/vault", "Albums")
    holder = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sleep", "3600"])
    try:
        while os.readlink(f"/proc/{holder.pid}/ns/mnt") == os.readlink("/proc/self/ns/mnt"):
            assert holder.poll() is None, "there is no copy"
            time.sleep(0.05)
        ended = subprocess.run(["timeout", "-s", "KILL", "300", PROGRAM, "unmount", "Albums"], capture_output=True).returncode
        free = agonyfs("check", "--password-file", "first", "disk/vault", status=None).returncode
        report.line("cloned mount table", ended != 0 or free != 0, f"unmount ends with {ended}, then the space is free ({free})")
    finally:
        holder.kill()
        holder.wait()
    shutil.rmtree("disk/vault")


def main():
    report = Report()
    folder = tempfile.mkdtemp(prefix="agonyfs-test-")
    try:
        os.chdir(folder)
        for name in ("first", "hidden", "wrong", "new", "other"):
            with open(name, "w") as file:
                file.write(f"the {name} password\n")
        os.mkdir("Albums")
        os.mkdir("disk")
        for size, attacks in (
                (8000, [looks, added_cover]),
                (400, [piled_backup, old_list, short_length, weak_derivation, old_slot, carved_slots, redirected_mount,
                       cloned_mount_table, page_cache, shell_history])):
            shell(f"truncate -s {size}M image; mkfs.ext4 -q -m 0 image; mount -o loop image disk")
            for attack in attacks:
                if not ATTACKS or attack.__name__ in ATTACKS:
                    attack(report)
            shell("umount disk; rm image")
    finally:
        os.chdir("/")
        for place in ("Albums", "victim", "moved", "point"):
            if os.path.ismount(f"{folder}/{place}"):
                # A mount that hangs goes all the same.
                left = f"timeout -k 1 60 '{PROGRAM}' unmount {place} || umount -l {place}"
                subprocess.run(["sh", "-c", left], cwd=folder, timeout=100)
        if os.path.ismount(f"{folder}/disk"):
            subprocess.run(["umount", "-l", f"{folder}/disk"], timeout=60)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if report.bad else 0)


EXACT = sys.argv[1] == "--exact"
PROGRAM, *ATTACKS = sys.argv[1 + EXACT:]
program.PROGRAM = PROGRAM = os.path.realpath(PROGRAM)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
main()
