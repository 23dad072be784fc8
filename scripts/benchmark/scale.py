"""Measures how mounting, memory, lookups, creating and listing depend on the number of files."""

import os
import statistics
import time

from systems import System, timed

PER_ALBUM = 5000
ROWS = ["mount beyond password ms", "resident MiB", "lookup us", "create us", "first page of a listing ms"]


def fill(path, count, in_one):
    """Creates empty files, in albums of 5,000 or in one directory."""
    for number in range(count):
        folder = f"{path}/all" if in_one else f"{path}/album{number // PER_ALBUM}"
        if number == 0 or (not in_one and number % PER_ALBUM == 0):
            os.makedirs(folder)
        os.close(os.open(f"{folder}/IMG_{number:07}.jpg", os.O_CREAT | os.O_WRONLY, 0o644))
    return f"{path}/all" if in_one else f"{path}/album0"


def measure(system, folder, count):
    """One pass over a filled space; returns the figures by the names in `ROWS`."""
    beyond = []
    for _ in range(7):
        password = system.password_seconds()
        beyond.append(timed(system.mount, "-o", "nothumbs") - password)
        system.unmount()
    figures = {"mount beyond password ms": statistics.median(beyond) * 1000}
    system.mount("-o", "nothumbs")
    here = min(count, PER_ALBUM) if not folder.endswith("/all") else count
    step = max(1, here // 1000)
    names = [f"{folder}/IMG_{number:07}.jpg" for number in range(0, here, step)]
    start = time.perf_counter()
    for name in names:
        os.lstat(name)
    figures["lookup us"] = (time.perf_counter() - start) / len(names) * 1e6
    start = time.perf_counter()
    with os.scandir(folder) as entries:
        next(entries)
    figures["first page of a listing ms"] = (time.perf_counter() - start) * 1000
    new = [f"{folder}/new{number}" for number in range(1000)]
    start = time.perf_counter()
    for name in new:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o644))
    figures["create us"] = (time.perf_counter() - start) / len(new) * 1e6
    for name in new:
        os.remove(name)
    figures["resident MiB"] = system.resident_bytes() / (1 << 20)
    system.unmount()
    return figures


def run(options, folder):
    """Fills spaces with increasing numbers of files, and prints a row for each."""
    counts = options.scale or [10, 10_000, 100_000, 1_000_000]
    results = {}
    print(f"{'files':>10} {'':>14}" + "".join(f"{name:>28}" for name in ROWS) + f"{'store MiB':>12}")
    for in_one in (False, True):
        for count in counts:
            system = System("agonyfs", folder, options)
            system.create("--kdf", "interactive")
            empty = system.stored_bytes()
            system.mount("-o", "nothumbs")
            where = fill(system.path, count, in_one)
            system.unmount()
            passes = [measure(system, where, count) for _ in range(options.rounds)]
            figures = {name: statistics.median(one[name] for one in passes) for name in ROWS}
            figures["store MiB"] = (system.stored_bytes() - empty) / (1 << 20)
            system.delete()
            kind = "one directory" if in_one else "albums"
            results.setdefault(kind, {})[count] = figures
            print(f"{count:>10} {kind:>14}" + "".join(f"{figures[name]:>28.2f}" for name in ROWS)
                  + f"{figures['store MiB']:>12.1f}", flush=True)
    if options.plot:
        draw(results, counts, options.plot)
    return results


def draw(results, counts, path):
    """Draws a small diagram for each row: the number of files on the x axis, the figure on the y axis from zero."""
    width, height, gap = 300, 160, 60
    parts = []
    for place, row in enumerate(ROWS):
        left, top = gap + place * (width + gap), gap
        most = max(figures[row] for kind in results.values() for figures in kind.values()) * 1.2 or 1
        parts.append(f'<text x="{left}" y="{top - 20}">{row}</text>')
        parts.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#999"/>')
        parts.append(f'<text x="{left - 5}" y="{top + 10}" text-anchor="end">{most:.3g}</text>')
        parts.append(f'<text x="{left - 5}" y="{top + height}" text-anchor="end">0</text>')
        for kind, color in zip(results, ("#06c", "#c60")):
            points = []
            for index, count in enumerate(counts):
                x = left + width * (index + 0.5) / len(counts)
                y = top + height * (1 - results[kind][count][row] / most)
                points.append(f"{x:.1f},{y:.1f}")
                parts.append(f'<text x="{x:.1f}" y="{top + height + 15}" text-anchor="middle">{count:,}</text>')
            parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{color}" stroke-width="2"/>')
    for place, (kind, color) in enumerate(zip(results, ("#06c", "#c60"))):
        parts.append(f'<text x="{gap + place * 150}" y="{gap * 2 + height}" fill="{color}">{kind}</text>')
    size = f'width="{gap + len(ROWS) * (width + gap)}" height="{height + gap * 3}"'
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>{"".join(parts)}</svg>\n')
