#!/usr/bin/env python3
"""Measures agonyfs with a library of N photos: importing, thumbnails and facts, questions, mounting, and the page.

The photos are made in batches, each deleted once it is imported, so that the disk holds one batch beside the vault. Each is a
cut of a picture, turned, so that no two have the same bytes. Making them is not counted.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import report
from library_memory import Memory, with_folder
from systems import PASSWORD, System, run, timed
from turns import forget
from web_servers import Serve

GB = 1e9
# The bytes on disk for each byte of photos: thumbnails, facts, and the overhead of the storage.
STORED = 1.15
# The seconds that programs have to end when a run is interrupted.
PATIENCE = 60
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Seconds, smaller is better. If root runs it, what is measured first is read from the disk.")
    parser.add_argument("--library", type=int, required=True, metavar="N", help="number of photos")
    parser.add_argument("--photos", metavar="FOLDER", help="cut the photos from the pictures there (default: made ones)")
    parser.add_argument("--small", action="store_true", help="make photos of 800 x 600 pixels in place of 4000 x 3000")
    parser.add_argument("--batch", type=int, default=500, help="photos that are made at a time (default: 500)")
    parser.add_argument("--way", choices=("import", "no-verify", "cp"), default="import",
                        help="agonyfs import, the same with --no-verify, or cp and sync (default: import)")
    parser.add_argument("--processors", default="", metavar="P,P,…",
                        help="also make all thumbnails anew on so many processors")
    parser.add_argument("--kdf", default="interactive", help="work of a password (default: interactive)")
    parser.add_argument("--folder", help="working folder (default: a new temporary one)")
    parser.add_argument("--json", help="also write all results to this file")
    parser.add_argument("--no-browser", action="store_true", help="leave out the page")
    parser.add_argument("--agonyfs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--web", required=True, metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.set_defaults(floor=None, before=None)
    options = parser.parse_args()
    if options.library < 1 or options.batch < 1:
        parser.error("--library and --batch take a number above 0")
    try:
        options.processors = [int(each) for each in options.processors.split(",") if each]
    except ValueError:
        parser.error("--processors takes numbers with commas between them, such as 1,2")
    there = len(os.sched_getaffinity(0))
    if any(not 1 <= each <= there for each in options.processors):
        parser.error(f"--processors takes numbers from 1 to {there}: this machine has no more")
    return options


def say(text):
    print(text, file=sys.stderr, flush=True)


class Bench:
    """A run. `rows` has a figure for each step, `batches` those of each batch, `memory` those of each part."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.rows, self.batches, self.memory, self.page, self.watching = {}, [], {}, None, None
        self.system = System("agonyfs", folder, options)

    def need_room(self, photo_bytes):
        """Exits if the disk has too little room for the remaining photos and a batch."""
        left = self.options.library - sum(batch["photos"] for batch in self.batches)
        needed = photo_bytes * (left * STORED + min(left, self.options.batch))
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise SystemExit(
                f"{left:,} photos need about {needed / GB:,.1f} GB in {os.path.dirname(self.folder)}, where {free / GB:,.1f} GB "
                "are free; take fewer photos, or a folder on a larger disk with --folder.")

    def ask(self, *words):
        """The output of an agonyfs command."""
        done = subprocess.run([self.options.agonyfs, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"agonyfs {' '.join(words)} failed: {done.stderr}")
        return done.stdout

    def mount(self):
        """The seconds of mounting. Resets the peak memory afterwards, because deriving the key needs the most."""
        seconds = timed(self.system.mount)
        self.watching.begin(self.system.process(), "agonyfs mount, without the password")
        return seconds

    def bring(self, batch):
        """Copies or imports a folder into the space; returns when it is durable."""
        if self.options.way == "cp":
            target = f"{self.system.path}/{os.path.basename(batch)}"
            run("cp", "-a", batch, target)
            # sync -f has no effect on FUSE file systems.
            run("sync", *(f"{target}/{name}" for name in os.listdir(target)))
        else:
            words = ["--no-verify"] if self.options.way == "no-verify" else []
            self.ask("import", *words, batch, self.system.path)

    def fill(self):
        """Imports batch after batch; the mount is idle while photos are made."""
        # Imported late, because Pillow is only in the environment of scripts/web-tools, and --help works without it.
        from library_photos import Photos  # pylint: disable=import-outside-toplevel

        photos = Photos(self.options.library, self.options.photos, self.options.small)
        self.need_room(photos.bytes)
        self.system.create("--kdf", self.options.kdf)
        self.mount()
        for first in range(0, self.options.library, self.options.batch):
            numbers = range(first, min(first + self.options.batch, self.options.library))
            batch = f"{self.folder}/Batch-{len(self.batches) + 1:04}"
            size = photos.batch(batch, numbers)
            if not self.batches:
                self.need_room(size / len(numbers))
            forget()
            brought = timed(self.bring, batch)
            ready = timed(self.ask, "thumbnails", self.system.path)
            shutil.rmtree(batch)
            self.batches.append({"photos": len(numbers), "bytes": size, "import": brought, "thumbnails and facts": ready})
            say(f"{numbers.stop:,} of {self.options.library:,} photos: {brought:.1f} s, {ready:.1f} s for thumbnails and facts")
            self.need_room(size / len(numbers))
        self.rows["import, MB/s"] = sum(batch["bytes"] for batch in self.batches) / 1e6 / sum(
            batch["import"] for batch in self.batches)
        for name in ("import", "thumbnails and facts"):
            self.rows[f"{name}, photos/s"] = self.options.library / sum(batch[name] for batch in self.batches)
        self.rows["both, photos/s"] = self.options.library / sum(
            batch["import"] + batch["thumbnails and facts"] for batch in self.batches)

    def question(self):
        """Asks for everything, and checks that every photo is in the answer."""
        lines = self.ask("list", self.system.path).count("\n")
        if lines != self.options.library:
            raise SystemExit(f"agonyfs list knows {lines:,} of {self.options.library:,} photos.")

    def mounts(self):
        """Measures closing, opening and querying a filled space."""
        self.rows["unmount, s"] = timed(self.system.unmount)
        self.rows["work of the password, s"] = self.system.password_seconds()
        forget()
        self.rows["mount, with the work of the password, s"] = self.mount()
        self.rows["first question, for everything, s"] = timed(self.question)
        self.rows["second question, s"] = timed(self.question)
        self.rows["question for a year, s"] = timed(self.ask, "list", self.system.path, "date:2019")
        self.rows["unmount after questions, s"] = timed(self.system.unmount)

    def look(self):
        """Measures the page of the vault in Chromium, from the password to the last photo."""
        serve = Serve(self.folder, self.options.agonyfs, self.options.web, self.system.store)
        try:
            path, secret = serve.code()
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library_page.py")
            # In another process group, so that Ctrl-C reaches only this process, which ends the browser. Its data is in
            # the folder.
            page = subprocess.Popen(
                [sys.executable, script, f"https://127.0.0.1:{serve.port}/{path}#{secret}", PASSWORD], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, text=True, start_new_session=True,
                env={**os.environ, "TMPDIR": self.folder, "PYTHONDONTWRITEBYTECODE": "1"})
            try:
                output = page.communicate()[0]
            finally:
                page.terminate()
                page.wait()
            if page.returncode != 0:
                raise SystemExit(f"the page could not be measured, {page.returncode}: {serve.text()}")
        finally:
            ended = timed(serve.end)
        self.page = json.loads(output)
        screens = sorted(self.page["screens"])
        self.rows["login to the first picture, s"] = self.page["login"]
        self.rows["scrolling through all of the page, s"] = self.page["scroll"]
        self.rows["a screen until all is shown, median ms"] = statistics.median(screens)
        self.rows["a screen until all is shown, p99 ms"] = screens[len(screens) * 99 // 100]
        self.rows["photos on the page"] = self.page["seen"]
        self.rows["pictures shown"] = self.page["shown"]
        self.rows["end of the server, with its mount, s"] = ended

    def anew(self, count):
        """Rebuilds all thumbnails with a mount that may use `count` processors."""
        whole = os.sched_getaffinity(0)
        # Child processes inherit the affinity, as with taskset.
        os.sched_setaffinity(0, sorted(whole)[:count])
        try:
            forget()
            self.mount()
            seconds = timed(self.ask, "thumbnails", "--rebuild", self.system.path)
        finally:
            os.sched_setaffinity(0, whole)
        self.system.unmount()
        self.rows[f"thumbnails again, processors: {count}, photos/s"] = self.options.library / seconds

    def part(self, name, function, *words):
        """Runs a part, and records the memory of all processes during it."""
        say(name)
        with Memory(self.folder) as self.watching:
            function(*words)
        self.memory[name] = self.watching.results()

    def run(self):
        self.part("filling", self.fill)
        self.part("questions", self.mounts)
        if not self.options.no_browser:
            self.part("page", self.look)
        for count in self.options.processors:
            self.part(f"processors: {count}", self.anew, count)

    def show(self):
        """Prints tables of the steps and of the memory."""
        done = sum(batch["photos"] for batch in self.batches)
        size = sum(batch["bytes"] for batch in self.batches)
        print(f"{done:,} photos, {size / GB:.2f} GB, by {self.options.way}")
        for name, value in self.rows.items():
            print(f"{name:<68}{value:12,.0f}" if isinstance(value, int) else f"{name:<68}{value:12,.2f}")
        for part, programs in self.memory.items():
            for program, found in programs.items():
                print(f"{f'most memory of {program}, {part}, MiB':<68}{found['MiB']:12.1f}  ({found['processes']} processes)")

    def results(self):
        return {"photos": self.options.library, "way": self.options.way, "small": self.options.small, "steps": self.rows,
                "batches": self.batches, "memory": self.memory, "page": self.page}


def clean(folder):
    """Ends the processes of an interrupted run, waits until its mounts have flushed, and deletes everything."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    end, told = time.monotonic() + PATIENCE, set()
    while left := with_folder(folder):
        is_late = time.monotonic() > end
        for process in left:
            if process in told and not is_late:
                continue
            told.add(process)
            try:
                os.kill(process, signal.SIGKILL if is_late else signal.SIGTERM)
            except ProcessLookupError:
                pass
        time.sleep(0.1)
    with open("/proc/mounts", encoding="utf-8", errors="surrogateescape") as file:
        places = [line.split()[1] for line in file]
    for place in places:
        if place.startswith(folder):
            subprocess.run(["fusermount3", "-u", "-z", place], check=False)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    options = arguments()
    for number in SIGNALS:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    folder = tempfile.mkdtemp(prefix="agonyfs-bench-", dir=options.folder)
    try:
        bench = Bench(options, folder)
        facts = report.machine(options)
        try:
            bench.run()
        finally:
            # Hours of measurements are shown even if a later step fails.
            if bench.batches:
                bench.show()
    finally:
        clean(folder)
    del facts["packages"]
    report.show(facts, None, bench.results(), options.json)


main()
