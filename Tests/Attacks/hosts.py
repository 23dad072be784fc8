#!/usr/bin/env python3
"""hosts.py AGONYFS NUMBER [--after VISITS|grown|cut] HOST...: asks what a host's file system tells of a hidden space, with the
decoy's password known.

For each host (ext4, xfs, btrfs, or one of them with an option of its mount, as in btrfs:compress=zstd) it makes NUMBER vaults
with a hidden space and as many without, each on a file system of its own that has nothing else. The decoy is used in the same
way in all: three visits, or as many as `--after` says. `--after grown` gives nobody as much more cover by `cover add` in the
vaults without a hidden space as `space grow` gives the space in the others; `--after cut` ends a mount of the hidden space by
SIGKILL while a file is short, and all vaults are refreshed and completed. Then it looks at a copy by rsync on another such file
system, at the disk as it is, and at the disk after a refresh: at absolute inode numbers, offsets of directories, allocation
groups, places of files, the host's counters, how often it counts that a directory or file was changed, and all that the
decoy's password opens in the heads. A line for each look:
`fails` when no feature tells the two kinds apart, `DECLARED` with those that do and of which the threat model says so,
`WORKS` with others. Fails when one works, and when nothing of what is declared is seen: then it sees nothing. With fewer
vaults than 11 of each kind it only looks. Needs root, for the disks. What is declared is in declared.py.
"""

import contextlib
import ctypes
import fcntl
import os
import random
import re
import select
import shutil
import signal
import statistics
import struct
import sys
import tempfile

import program
from declared import DECLARED, LOOKS, WORDS
from program import agonyfs, area, create, little_room, segments, shell, use

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Reader"))
import log as reader_log  # noqa: E402
import segments as reader_segments  # noqa: E402

# With fewer of each kind even a feature that tells all of them apart may be chance, see `CHANCE`.
LEAST = 11
# One run in a thousand may find something by chance, with all features of all looks at all hosts together.
CHANCE = 0.001 / 300
# Where something declared has to be seen.
MUST_TELL = ("disk", "disk after a refresh")


@contextlib.contextmanager
def disk(host, name):
    """A new file system, mounted, and the device that it is on."""
    kind, *options = host.split(":")
    mount = f"mount -o {','.join(['loop', *options])} {name}.image {name}"
    shell(f"truncate -s 512M {name}.image; mkfs.{kind} -q {name}.image; mkdir -p {name}; {mount}")
    try:
        yield shell(f"findmnt -n -o SOURCE {name}").stdout.strip()
    finally:
        shell(f"umount {name}; rm {name}.image")


def cut(vault, password):
    """A visit that ends in the middle, as at a power cut, and leaves a short file."""
    agonyfs("mount", "--thumbnails", "none", "--password-file", password, vault, "Albums")
    with open("Albums/cut", "wb") as file:
        file.write(os.urandom(300_000))
        os.fsync(file.fileno())
    process = os.pidfd_open(int(os.getxattr("Albums", "system.agonyfs.daemon").split()[0]))
    signal.pidfd_send_signal(process, signal.SIGKILL)
    # It is ready when the process has ended.
    select.select([process], [], [])
    os.close(process)
    shell("umount -l Albums")
    assert any(os.path.getsize(path) != program.MEGABYTE for path in segments(vault)), "no file is short"


def use_vault(vault, hidden, chance):
    """The decoy's visits are the same in all vaults."""
    with little_room():
        create(vault, "--cover", "24M", *(["--hidden-password-file", "hidden"] if hidden else []))
    # btrfs gives the room of what is deleted when all of it is durable.
    shell("sync -f disk")
    for visit in range(int(AFTER) if AFTER.isdigit() else 3):
        # Of many visits each replaces what an earlier one wrote, so that spaces are cleaned.
        use(vault, "first", 1, f"photo {visit % 5}")
        if hidden:
            for number in range(chance.randint(1, 2)):
                use(vault, "hidden", 1, f"secret {visit % 4} {number}")
    if AFTER == "grown":
        with little_room():
            agonyfs(*(["space", "grow", "--password-file", "hidden"] if hidden else ["cover", "add"]), "8M", vault)
        shell("sync -f disk")
    if AFTER == "cut":
        if hidden:
            cut(vault, "hidden")
        agonyfs("refresh", "--complete", vault)
    use(vault, "first", 1, "the last")


def offsets(path):
    """The offsets of a directory's entries, as getdents64(2) gives them."""
    found = {}
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    buffer = ctypes.create_string_buffer(32 << 10)
    try:
        while (count := ctypes.CDLL(None, use_errno=True).getdents64(descriptor, buffer, len(buffer))) > 0:
            at = 0
            while at < count:
                _, offset, size, _ = struct.unpack_from("<QqHB", buffer.raw, at)
                name = buffer.raw[at + 19:at + size].split(b"\0")[0]
                if name not in (b".", b".."):
                    found[name.decode()] = offset
                at += size
    finally:
        os.close(descriptor)
    return found


def extents(path):
    """Where the pieces of a file lie, in bytes: FS_IOC_FIEMAP with FIEMAP_FLAG_SYNC."""
    with open(path, "rb") as file:
        answer = bytearray(struct.pack("<QQIIII", 0, 2**64 - 1, 1, 0, 64, 0) + bytes(56 * 64))
        fcntl.ioctl(file, 0xC020660B, answer)
    count = struct.unpack_from("<I", answer, 20)[0]
    pieces = [struct.unpack_from("<QQQ", answer, 32 + 56 * number) for number in range(count)]
    return [(physical, length) for _, physical, length in pieces]


def inodes_of_group(kind, device):
    """How many inode numbers an allocation group has; None where there are none."""
    if kind == "ext4":
        return int(re.search(r"Inodes per group:\s+(\d+)", shell(f"dumpe2fs -h {device} 2>&1").stdout)[1])
    if kind == "xfs":
        bits = re.findall(r"= (\d+)", shell(f"xfs_db -r -c 'sb 0' -c 'p agblklog inopblog' {device}").stdout)
        return 1 << sum(map(int, bits))
    return None


def counters(kind, device):
    """What the file system counts of all that was ever written to it."""
    if kind == "ext4":
        name = os.path.basename(device)
        with open(f"/sys/fs/ext4/{name}/lifetime_write_kbytes", encoding="ascii") as file:
            written = int(file.read())
        journal = int(re.search(r"Journal sequence:\s+(\w+)", shell(f"dumpe2fs -h {device} 2>&1").stdout)[1], 0)
        return {"counter: KiB ever written": written, "counter: journal": journal}
    if kind == "xfs":
        head = re.search(r"head: (\d+)", shell(f"xfs_logprint -t {device} 2>&1", check=False).stdout)
        return {"counter: head of the log": int(head[1])}
    generation = re.search(r"^generation\s+(\d+)", shell(f"btrfs inspect-internal dump-super {device}").stdout, re.M)
    return {"counter: generation": int(generation[1])}


def changes(kind, device, inodes):
    """How often the file system counts that each inode was changed: i_version of ext4, change_count of XFS, sequence of
    btrfs."""
    # What is read of the device may be older than what was written to it since.
    shell(f"blockdev --flushbufs {device}")
    if kind == "ext4":
        with open("requests", "w", encoding="ascii") as file:
            file.writelines(f"stat <{inode}>\n" for inode in inodes)
        told = shell(f"debugfs -f requests {device} 2>&1").stdout
        found = [int(high + low, 16) for high, low in re.findall(r"Version: 0x(\w{8}):(\w{8})", told)]
    elif kind == "xfs":
        requests = " ".join(f"-c 'inode {inode}' -c 'p v3.change_count'" for inode in inodes)
        found = [int(count) for count in re.findall(r"change_count = (\d+)", shell(f"xfs_db -r {requests} {device}").stdout)]
    else:
        told = shell(f"btrfs inspect-internal dump-tree -t 5 {device}").stdout
        items = re.findall(r"key \((\d+) INODE_ITEM 0\) itemoff.*?\ssequence (\d+)", told, re.S)
        counts = {int(inode): int(count) for inode, count in items}
        found = [counts[inode] for inode in inodes]
    assert len(found) == len(inodes), f"{len(found)} of {len(inodes)} change counts"
    return dict(zip(inodes, found))


def generation(path):
    """In which generation of btrfs a directory was made: FS_IOC_GETVERSION."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    answer = bytearray(8)
    try:
        fcntl.ioctl(descriptor, 0x80087601, answer)
    finally:
        os.close(descriptor)
    return struct.unpack_from("<I", answer)[0]


def heads(vault):
    """Numbers in the heads that the first password opens. The reader ignores some; here each field counts."""
    kept, original = [], reader_segments.State.__init__

    def keep(state, data):
        kept.append(struct.unpack_from("<2IqQqIIQ32x5Q", data))
        original(state, data)

    reader_segments.State.__init__ = keep
    try:
        log = reader_log.Log(reader_segments.Vault(vault), b"the first password")
        for epoch in log.listed_heads():
            log.head(epoch)
    finally:
        reader_segments.State.__init__ = original
    names = ("version", "epoch", "time", "field at 16", "birth", "nanoseconds", "owner", "end", "sequence")
    features = {"head: number of them": len(kept)}
    for place, name in enumerate(names):
        # What a clock shows is different in each vault.
        if name in ("time", "birth", "nanoseconds"):
            continue
        values = [head[place] for head in kept]
        steps = [b - a for a, b in zip(values, values[1:])]
        features[f"head: {name}, last"] = values[-1]
        features[f"head: {name}, largest step"] = max(steps, default=0)
    return features


def look(kind, device, vault):
    """A number for each feature. What is written is on the disk."""
    files = segments(vault)
    folders = [f"{vault}/segments/{name}" for name in os.listdir(f"{vault}/segments")]
    inode = {path: os.lstat(path).st_ino for path in files + folders + [vault, f"{vault}/segments", f"{vault}/agonyfs.json"]}
    numbers = sorted(inode[path] for path in files)
    features = {
        "inode of the vault": inode[vault], "inode of segments": inode[f"{vault}/segments"],
        "inode of agonyfs.json": inode[f"{vault}/agonyfs.json"], "inode of files, lowest": numbers[0],
        "inode of files, highest": numbers[-1], "inode of files, largest gap": max(b - a for a, b in zip(numbers, numbers[1:])),
        "inode of files, not used between": numbers[-1] - numbers[0] + 1 - len(numbers),
        "inode of folders, lowest": min(inode[path] for path in folders),
        "inode of folders, highest": max(inode[path] for path in folders),
        "inode of folders, lowest, less that of segments": min(inode[path] for path in folders) - inode[f"{vault}/segments"],
        "number of files": len(files), "number of folders": len(folders),
    }
    if group := inodes_of_group(kind, device):
        of = {path: (number - (kind == "ext4")) // group for path, number in inode.items()}
        features["allocation group of agonyfs.json"] = of[f"{vault}/agonyfs.json"]
        features["allocation group of segments"] = of[f"{vault}/segments"]
        features["allocation group of folders, mean"] = statistics.mean(of[path] for path in folders)
        features["allocation group of files, mean"] = statistics.mean(of[path] for path in files)
    count = changes(kind, device, list(inode.values()))
    features["change count of the vault"] = count[inode[vault]]
    features["change count of segments"] = count[inode[f"{vault}/segments"]]
    for name, paths in (("folders", folders), ("files", files)):
        of = sorted(count[inode[path]] for path in paths)
        features[f"change counts of {name}, lowest"], features[f"change counts of {name}, highest"] = of[0], of[-1]
        features[f"change counts of {name}, mean"] = statistics.mean(of)
    for name, path in (("the vault", vault), ("segments", f"{vault}/segments")):
        of = sorted(offsets(path).values())
        # The last offset is that of the end of the directory, whatever is in it.
        features[f"offset in {name}, first"] = of[0]
        features[f"offset in {name}, last but one"] = of[-2]
        features[f"offset in {name}, largest gap"] = max((b - a for a, b in zip(of, of[1:-1])), default=0)
    pieces = [extents(path) for path in files]
    ends = {sum(each[-1]) for each in pieces if each}
    starts = sorted(each[0][0] for each in pieces if each)
    features["place: pieces of files"] = sum(map(len, pieces))
    features["place: files that follow another"] = sum(start in ends for start in starts)
    features["place: first"], features["place: last"] = starts[0], starts[-1]
    births = sorted(float(born) for born in shell(f"stat -c %.9W {' '.join(files)}").stdout.split())
    features["birth: longest time between two"] = max(b - a for a, b in zip(births, births[1:]))
    changed = sorted(os.lstat(path).st_ctime_ns for path in files)
    features["change time: longest time between two"] = max(b - a for a, b in zip(changed, changed[1:]))
    if kind == "btrfs":
        features["counter: generation of segments"] = generation(f"{vault}/segments")
        # Which a file keeps of which the first piece did not get smaller.
        told = shell(f"btrfs inspect-internal dump-tree -t 5 {device} | grep -c NOCOMPRESS", check=False).stdout
        features["flags: files that are not compressed"] = int(told)
    return {**features, **heads(vault)}


def settle(name):
    """Has everything be on the disk, and the counters with it."""
    device = shell(f"findmnt -n -o SOURCE {name}").stdout.strip()
    shell(f"sync -f {name}; mount -o remount,ro {name}")
    return device


def looks(host, hidden, chance):
    """The looks at one vault."""
    kind = host.split(":")[0]
    found = {}
    with disk(host, "disk"):
        use_vault("disk/vault", hidden, chance)
        with disk(host, "copy"):
            shell("rsync -a disk/vault/ copy/vault/")
            found["copy by rsync"] = look(kind, settle("copy"), "copy/vault")
            # Who has a copy has not the disk.
        device = settle("disk")
        found["disk"] = {**look(kind, device, "disk/vault"), **counters(kind, device)}
        shell("mount -o remount,rw disk")
        agonyfs("refresh", "disk/vault")
        device = settle("disk")
        found["disk after a refresh"] = {**look(kind, device, "disk/vault"), **counters(kind, device)}
        shell("mount -o remount,rw disk")
    return found


def bound(size):
    """How far from 0.5 that is at most, for two groups of the same kind, in all but CHANCE of the cases: by how many of all
    orders have so many pairs in order, the coefficients of the Gaussian binomial."""
    ways = [1] + [0] * size * size
    for factor in range(1, size + 1):
        for power in range(size * size, size + factor - 1, -1):
            ways[power] -= ways[power - size - factor]
        for power in range(factor, size * size + 1):
            ways[power] += ways[power - factor]
    pairs, tail = 0, ways[0]
    while 2 * tail / sum(ways) <= CHANCE:
        pairs += 1
        tail += ways[pairs]
    return 0.5 - (pairs - 1) / size**2 - 1e-9


def judge(host, name, found):
    """Prints what a look tells; whether that is as the threat model says."""
    declared = [WORDS[word] for word in DECLARED.get((host.split(":")[0], name), [])]
    areas = {feature: area(*([each[feature] for each in found[hidden][name]] for hidden in (False, True)))
             for feature in found[False][name][0]}
    limit = bound(len(found[False][name]))
    telling = {feature: value for feature, value in areas.items() if abs(value - 0.5) >= limit}
    wrong = {feature: value for feature, value in telling.items() if not any(map(feature.startswith, declared))}
    word = "WORKS" if wrong else "DECLARED" if telling else "NO LONGER" if name in MUST_TELL else "fails"
    worst = max(areas, key=lambda feature: abs(areas[feature] - 0.5))
    shown = ", ".join(f"{feature} {value:.2f}" for feature, value in (wrong or telling or {worst: areas[worst]}).items())
    print(f"{word}: {host}, {name}: {shown} ({len(areas)} features, bound 0.5 ± {limit:.2f})", flush=True)
    return word in ("fails", "DECLARED")


def main():
    folder = tempfile.mkdtemp(prefix="agonyfs-test-")
    good = True
    try:
        os.chdir(folder)
        for name in ("first", "hidden"):
            with open(name, "w", encoding="ascii") as file:
                file.write(f"the {name} password\n")
        os.mkdir("Albums")
        for host in HOSTS:
            found = {hidden: {name: [] for name in LOOKS} for hidden in (False, True)}
            for number in range(NUMBER):
                chance = random.Random(number)
                # Chance says which is first.
                for hidden in random.sample((False, True), 2):
                    for name, features in looks(host, hidden, chance).items():
                        found[hidden][name].append(features)
            if NUMBER < LEAST:
                print(f"looked: {host}: {sum(len(found[False][name][0]) for name in LOOKS)} features", flush=True)
            else:
                good = all([judge(host, name, found) for name in LOOKS]) and good
    finally:
        os.chdir("/")
        for place in ("Albums", "copy", "disk"):
            shell(f"! mountpoint -q {folder}/{place} || umount -l {folder}/{place}", check=False)
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(not good)


program.PROGRAM, NUMBER, HOSTS = os.path.realpath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
AFTER = "3"
if HOSTS[0] == "--after":
    AFTER, HOSTS = HOSTS[1], HOSTS[2:]
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
main()
