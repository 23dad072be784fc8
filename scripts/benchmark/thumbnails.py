"""Measures the time until a folder of pictures has all thumbnails and facts, on one processor and on more, compared
with the build that --before names and with vipsthumbnail."""

import os
import shutil
import statistics
import subprocess
import sys

from materials import noise_picture
from systems import BEFORE, System, run, timed

WIDTH, HEIGHT = 1600, 1200
# The pictures for each call of vipsthumbnail, few enough that parallel calls end at about the same time.
CALL = 30


def pictures(folder, count):
    """Makes JPEGs of noise that differ in bytes after the end, which decoders ignore."""
    os.makedirs(folder)
    picture = noise_picture(folder, WIDTH, HEIGHT)
    for number in range(count):
        with open(f"{folder}/IMG_{number:04}.jpg", "wb") as file:
            file.write(picture + number.to_bytes(4, "big"))


def ready(system, source):
    """Copies the pictures and waits for the last thumbnail."""
    run("cp", "-r", source, f"{system.path}/pictures")
    run(system.agonyfs, "thumbnails", system.path)


def libvips(source, target, processes):
    """Makes both sizes of each picture with vipsthumbnail, in `processes` processes of one thread."""
    os.makedirs(target)
    names = sorted(os.listdir(source))
    calls = [names[first : first + CALL] for first in range(0, len(names), CALL)]
    running = []
    environment = {**os.environ, "VIPS_CONCURRENCY": "1"}
    for call in calls:
        paths = [f"{source}/{name}" for name in call]
        words = " && ".join(
            f'vipsthumbnail --size {size} -o "{target}/%s-{size}.jpg" "$@"' for size in (1024, 256))
        if len(running) == processes:
            running.pop(0).wait()
        running.append(subprocess.Popen(["sh", "-c", words, "sh", *paths], env=environment))
    for process in running:
        process.wait()
    shutil.rmtree(target)


def measure(options, folder):
    """Prints the medians of seconds for each number of processors, and their ratios."""
    source = f"{folder}/pictures"
    pictures(source, options.photos)
    whole = sorted(os.sched_getaffinity(0))
    counts = sorted({1, *(1 << power for power in range(1, 8) if 1 << power < len(whole)), len(whole)})
    names = [BEFORE, "agonyfs"] if options.before else ["agonyfs"]
    times = {}
    for number in range(options.rounds):
        for count in counts:
            os.sched_setaffinity(0, whole[:count])
            try:
                for name in names[:: -1 if number % 2 else 1]:
                    with System(name, folder, options) as system:
                        system.create("--kdf", "interactive")
                        system.mount()
                        times.setdefault((name, count), []).append(timed(ready, system, source))
                times.setdefault(("vipsthumbnail", count), []).append(timed(libvips, source, f"{folder}/made", count))
            finally:
                os.sched_setaffinity(0, whole)
            print(f"round {number + 1} of {options.rounds}, processors: {count}", file=sys.stderr)
    names.append("vipsthumbnail")
    medians = {key: statistics.median(values) for key, values in times.items()}
    print(f"{options.photos} pictures of {WIDTH} x {HEIGHT}, seconds until all have thumbnails and facts")
    print(f"| processors | {' | '.join(names)} | agonyfs: share of one processor's time |")
    print("|---" * (len(names) + 2) + "|")
    for count in counts:
        cells = [f"{medians[name, count]:.2f}" for name in names]
        print(f"| {count} | {' | '.join(cells)} | {medians['agonyfs', count] / medians['agonyfs', 1]:.2f} |")
    if options.before:
        print(f"agonyfs ÷ before, all processors: {medians['agonyfs', len(whole)] / medians[BEFORE, len(whole)]:.2f}")
    return {f"{name}, {count}": values for (name, count), values in times.items()}
