"""Measures the cost of both thumbnails for photos and videos of each kind: processor time of the decoders and of the
mount, compared with the build that --before names."""

import os
import statistics
import struct
import subprocess
import sys

from systems import BEFORE, System, timed

# Readers of these formats, ISO base media and JPEG XL, skip a box of the type "free".
BOXES = {".heic", ".avif", ".mp4", ".mov", ".jxl"}
TICKS = os.sysconf("SC_CLK_TCK")


def samples(folder):
    """The largest file of each suffix below a folder."""
    found = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            suffix = os.path.splitext(name)[1].lower()
            if suffix not in ("", ".md", ".txt") and os.path.getsize(path) > os.path.getsize(found.get(suffix, os.devnull)):
                found[suffix] = path
    return dict(sorted(found.items()))


def copies(sample, target, count):
    """Makes copies that differ in bytes that decoders ignore."""
    os.makedirs(target)
    suffix = os.path.splitext(sample)[1].lower()
    with open(sample, "rb") as file:
        content = file.read()
    is_box = suffix in BOXES and not content.startswith(b"\xff\n")
    for number in range(count):
        tail = struct.pack(">I4sI", 12, b"free", number) if is_box else struct.pack(">I", number)
        with open(f"{target}/{number:04}{suffix}", "wb") as file:
            file.write(content + tail)


def used(process):
    """The processor seconds of a mount, and of its decoders."""
    def fields(number):
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()

    own = fields(process)
    decoders = int(own[13]) + int(own[14])
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            other = fields(number)
        except OSError:
            continue
        if int(other[1]) == process:
            decoders += int(other[11]) + int(other[12])
    return (int(own[11]) + int(own[12])) / TICKS, decoders / TICKS


def demand(system, kind, number):
    """Opens all large thumbnails, as a viewer does."""
    for place in range(number):
        with open(f"{system.path}/.agonyfs/thumbnails/1024/{kind[1:]}/{place:04}{kind}", "rb") as file:
            file.read()


def make(system, source, kind, perf):
    """Copies the files of a kind and waits for their thumbnails."""
    words = ["sh", "-c", 'cp -r "$1" "$2" && "$3" thumbnails "$4" >/dev/null', "sh", source,
             f"{system.path}/{kind[1:]}", system.agonyfs, system.path]
    record = ["perf", "record", "-q", "-a", "-F", "499", "-o", f"{perf}/{system.name}{kind}", "--"] if perf else []
    subprocess.run([*record, *words], check=True, stdout=subprocess.DEVNULL)


def measure(options, folder):
    """Prints the medians for each kind and program."""
    found = samples(options.kinds)
    for kind, sample in found.items():
        copies(sample, f"{folder}/{kind[1:]}", options.photos)
    names = [BEFORE, "agonyfs"] if options.before else ["agonyfs"]
    taken = {}
    for number in range(options.rounds):
        for name in names[:: -1 if number % 2 else 1]:
            with System(name, folder, options) as system:
                system.create("--kdf", "interactive")
                system.mount()
                process = system.process()
                for kind in found:
                    start = used(process)
                    seconds = timed(make, system, f"{folder}/{kind[1:]}", kind, options.perf)
                    made = used(process)
                    demand(system, kind, options.photos)
                    shown = used(process)
                    taken.setdefault((kind, name), []).append(
                        (seconds, made[0] - start[0], made[1] - start[1], shown[1] - made[1]))
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
    print(f"{options.photos} files of each kind; milliseconds of processor time for a file, and seconds until all are ready")
    print("| kind | program | decoders | mount | large on demand | seconds |")
    print("|---|---|---|---|---|---|")
    for (kind, name), rows in sorted(taken.items()):
        seconds, mount, decoders, large = (statistics.median(column) for column in zip(*rows))
        per_file = 1e3 / options.photos
        print(f"| {kind[1:]} | {name} | {decoders * per_file:.0f} | {mount * per_file:.1f} | {large * per_file:.0f} | {seconds:.2f} |")
    for kind in found if options.perf else []:
        for name in names:
            print(f"\n{kind[1:]}, {name}: where the decoders' time goes")
            subprocess.run(
                ["perf", "report", "-i", f"{options.perf}/{name}{kind}", "--comm", "agonyfs-decoder",
                 "--percentage", "relative", "--sort", "dso",
                 "--stdio", "-q", "--percent-limit", "3"], check=False)
    return {f"{kind}, {name}": [row[0] for row in rows] for (kind, name), rows in taken.items()}
